import { visibleJson } from 'chancery/internal';
import { HookError } from '../hook-error.ts';
import type { HookName } from '../spec.ts';

/**
 * A part of an answer, and where it stands. Errors name the place and the kind of the value, never the value: an answer
 * may have Secrets.
 */
export class AnswerPart {
  readonly value: unknown;
  readonly path: string;
  readonly #hook: HookName;

  constructor(value: unknown, path: string, hook: HookName) {
    this.value = value;
    this.path = path;
    this.#hook = hook;
  }

  /** True for null, too: Go reads null as if the field were not there. */
  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  /** A member of an object. @throws HookError when this is none. */
  member(name: string): AnswerPart {
    const map = this.map();
    const path = /^[A-Za-z_]\w*$/.test(name)
      ? `${this.path === '' ? '' : `${this.path}.`}${shownName(name)}`
      : `${this.path}[${shownName(name)}]`;
    return new AnswerPart(Object.hasOwn(map, name) ? map[name] : undefined, path, this.#hook);
  }

  /** @throws HookError when this is no object. */
  map(): Readonly<Record<string, unknown>> {
    const { value } = this;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>;
    }
    return this.#mustBe('an object');
  }

  /** @throws HookError when this is no list. */
  items(): readonly AnswerPart[] {
    if (!Array.isArray(this.value)) return this.#mustBe('a list');
    return this.value.map(
      (item: unknown, index) => new AnswerPart(item, `${this.path}[${index}]`, this.#hook),
    );
  }

  /** @throws HookError when this is no string. */
  string(): string {
    return typeof this.value === 'string' ? this.value : this.#mustBe('a string');
  }

  /** A string with at least one character. */
  filledString(): string {
    if (this.isAbsent) return this.fail('is missing');
    return this.string() === '' ? this.fail('is empty') : this.string();
  }

  /** Undefined when absent or empty, which Go cannot tell apart. */
  optionalString(): string | undefined {
    return this.isAbsent || this.string() === '' ? undefined : this.string();
  }

  /** False when absent. */
  boolean(): boolean {
    if (this.isAbsent) return false;
    return typeof this.value === 'boolean' ? this.value : this.#mustBe('true or false');
  }

  /** Undefined when absent. A bigint is an integer beyond 2^53. */
  number(): number | undefined {
    if (this.isAbsent) return undefined;
    if (typeof this.value === 'bigint') return Number(this.value);
    return typeof this.value === 'number' ? this.value : this.#mustBe('a number');
  }

  /** Undefined when absent. */
  stringMap(): Readonly<Record<string, string>> | undefined {
    if (this.isAbsent) return undefined;
    for (const name of Object.keys(this.map())) this.member(name).string();
    return this.value as Readonly<Record<string, string>>;
  }

  /** Refuses the answer. */
  fail(problem: string): never {
    throw new HookError(
      `the answer of the ${this.#hook} hook is unusable: ${this.path || 'it'} ${problem}`,
      { reason: 'InvalidAnswer', context: { hook: this.#hook, path: this.path } },
    );
  }

  #mustBe(expected: string): never {
    return this.fail(`must be ${expected} and is ${kindOf(this.value)}`);
  }
}

/** What kind of JSON value it is, for messages. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'bigint') return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A name of the answer in a message: safe to show, and cut to 40 characters. */
export function shownName(name: string): string {
  const cut = name.slice(0, 40).toWellFormed();
  return /^[A-Za-z_]\w*$/.test(cut) ? cut : visibleJson(JSON.stringify(cut));
}
