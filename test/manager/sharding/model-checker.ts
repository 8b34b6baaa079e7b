/** All states that a model can reach, breadth first, and what a fair world without further failures makes of each. */
import type { Model } from './model.ts';
import { BrokenRule } from './model-actions.ts';
import { encode, type State } from './model-state.ts';

export interface Verdict {
  readonly states: number;
  readonly steps: number;
  /** The rule that is broken, and the steps that lead to it; undefined when all hold. */
  readonly broken: string | undefined;
  readonly trace: readonly string[];
}

/** @param limit - of states: more are an error, so that nobody takes a part for the whole. */
export function check(model: Model, limit = 3_000_000): Verdict {
  return new Check(model, limit).run();
}

class Check {
  readonly #model: Model;
  readonly #limit: number;
  readonly #indices = new Map<string, number>();
  /** By index: the state before it, and the step between. */
  readonly #before: number[] = [];
  readonly #titles: string[] = [];
  /** By index: what a fair world makes of it, and whether all is at rest. */
  readonly #fair: number[] = [];
  readonly #atRest: boolean[] = [];
  #frontier: State[] = [];
  #steps = 0;

  constructor(model: Model, limit: number) {
    this.#model = model;
    this.#limit = limit;
  }

  run(): Verdict {
    this.#reach(this.#model.initial(), -1, 'start');
    for (let from = 0; this.#frontier.length > 0; ) {
      const states = this.#frontier;
      this.#frontier = [];
      for (const state of states) {
        const broken = this.#model.broken(state) ?? this.#follow(state, from);
        if (broken !== undefined) return this.#verdict(broken, from);
        from++;
      }
    }
    return this.#unfair();
  }

  #follow(state: State, from: number): string | undefined {
    this.#atRest.push(this.#model.isAtRest(state));
    let fair = -1;
    for (const { isFailure, run, title } of this.#model.next(state)) {
      this.#steps++;
      let to: number;
      try {
        to = this.#reach(run(), from, title);
      } catch (error) {
        if (error instanceof BrokenRule) return `${error.message} (${title})`;
        throw error;
      }
      if (!isFailure && fair < 0) fair = to;
    }
    this.#fair.push(fair);
    return fair < 0 ? 'nothing can happen' : undefined;
  }

  #reach(state: State, from: number, title: string): number {
    const key = encode(state);
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    const index = this.#before.length;
    if (index >= this.#limit) throw new Error(`there are more than ${this.#limit} states`);
    this.#indices.set(key, index);
    this.#before.push(from);
    this.#titles.push(title);
    this.#frontier.push(state);
    return index;
  }

  /** Each state has one fair next one: each way ends in a circle, and there all has to be at rest. */
  #unfair(): Verdict {
    const isChecked = new Uint8Array(this.#fair.length);
    const way = new Map<number, number>();
    for (const start of this.#fair.keys()) {
      way.clear();
      let index = start;
      for (; isChecked[index] === 0 && !way.has(index); index = this.#fair[index] ?? 0) {
        way.set(index, way.size);
      }
      const circle = way.get(index) ?? way.size;
      for (const [passed, place] of way) {
        isChecked[passed] = 1;
        if (place >= circle && this.#atRest[passed] === false) {
          return this.#verdict('I2, I3: no rest without further failures', start);
        }
      }
    }
    return this.#verdict(undefined, 0);
  }

  #verdict(broken: string | undefined, at: number): Verdict {
    const trace: string[] = [];
    for (let index = at; index > 0; index = this.#before[index] ?? 0) {
      trace.unshift(this.#titles[index] ?? '');
    }
    return { states: this.#before.length, steps: this.#steps, broken, trace };
  }
}
