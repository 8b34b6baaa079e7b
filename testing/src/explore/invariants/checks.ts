import type { Controller } from 'chancery';
import { messageOf } from 'chancery/internal-objects';
import type { AttemptFacts } from '../scenario/attempt-facts.ts';
import type { Invariant, LoggedWrite, Scenario, ScenarioCluster } from '../scenario/scenario.ts';
import { Copies } from './copies.ts';
import { differences } from './differences.ts';
import { Finalizers } from './finalizers.ts';
import type { Violation } from './violation.ts';
import { WriteLoops } from './write-loops.ts';

/** The results of the run in the usual order, with which other orders are compared. */
export interface Reference {
  readonly end: ReadonlyMap<string, readonly string[]>;
  /** The largest number of objects that existed at once, by their logical identity. */
  readonly copies: ReadonlyMap<string, number>;
  /** Finalizers that the operator adds to objects, or that its controllers declare. */
  readonly finalizers: ReadonlySet<string>;
}

/** The invariants of one run: the general invariants, and the invariants of the scenario. */
export class Checks {
  readonly #scenario: Scenario;
  readonly #reference: Reference | undefined;
  readonly #active = new Set<string>();
  readonly #copies: Copies;
  readonly #finalizers: Finalizers;
  readonly #loops: WriteLoops;

  /** @param reference - the results of the run in the usual order; undefined for that run itself. */
  constructor(scenario: Scenario, reference: Reference | undefined) {
    this.#scenario = scenario;
    this.#reference = reference;
    this.#copies = new Copies(reference?.copies);
    this.#finalizers = new Finalizers(reference?.finalizers);
    this.#loops = new WriteLoops();
  }

  /**
   * The results with which later runs are compared.
   * @param end - the stored objects at rest.
   */
  reference(end: Reference['end']): Reference {
    return { end, copies: this.#copies.most, finalizers: this.#finalizers.own };
  }

  started(controllers: readonly Controller[]): void {
    this.#finalizers.declared(controllers);
  }

  /** Records that the operator was killed. This also ends its running reconciles. */
  killed(): void {
    this.#active.clear();
    this.#finalizers.killed();
  }

  began({ controller, key }: AttemptFacts): Violation | undefined {
    const name = `${controller} ${key}`;
    const isTwice = this.#active.has(name);
    this.#active.add(name);
    if (!isTwice) return undefined;
    return {
      invariant: 'no key is processed twice at once',
      message: `${controller} reconciles ${key} while another reconcile of it is under way`,
    };
  }

  finished(attempt: AttemptFacts): void {
    this.#active.delete(`${attempt.controller} ${attempt.key}`);
    this.#finalizers.finished(attempt);
  }

  /** Records that a controller's cleanup has returned, and that nothing is left to clean up. */
  finalized(attempt: AttemptFacts): void {
    this.#finalizers.finalized(attempt);
  }

  /** @param inputs - the number of changes by other writers so far. */
  wrote(write: LoggedWrite, inputs: number): Violation | undefined {
    return (
      this.#copies.wrote(write) ?? this.#finalizers.wrote(write) ?? this.#loops.wrote(write, inputs)
    );
  }

  holds({ name, check }: Invariant, cluster: ScenarioCluster): Violation | undefined {
    try {
      const wrong = check(cluster);
      return typeof wrong === 'string' ? { invariant: name, message: wrong } : undefined;
    } catch (error) {
      return { invariant: name, message: messageOf(error) };
    }
  }

  atRest(
    cluster: ScenarioCluster,
    end: Reference['end'],
    times: { readonly lastInputMs: number; readonly nowMs: number },
  ): Violation | undefined {
    const { atRest = [] } = this.#scenario;
    for (const invariant of atRest) {
      const violation = this.holds(invariant, cluster);
      if (violation !== undefined) return violation;
    }
    return this.#loops.atRest(times) ?? this.#converged(end);
  }

  #converged(end: Reference['end']): Violation | undefined {
    if (this.#reference === undefined) return undefined;
    const [difference, ...more] = differences(this.#reference.end, end);
    if (difference === undefined) return undefined;
    const others = more.length === 0 ? '' : `, and ${more.length} more`;
    return {
      invariant: 'every order ends in the same state',
      message: `at rest it differs from the usual order: ${difference}${others}`,
    };
  }
}
