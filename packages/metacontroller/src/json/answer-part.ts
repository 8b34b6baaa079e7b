import { visibleJson } from 'chancery/internal';
import { HookError } from '../hook-error.ts';
import type { HookName } from '../spec.ts';

/**
 * A value within an answer, and its path. Errors contain the path and the type of the value, but
 * never the value itself, because an answer may contain Secrets.
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

  /** True when the value is missing or null, because Go reads null as a missing field. */
  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  /**
   * Returns one member of an object.
   *
   * @throws HookError when this value is not an object.
   */
  member(name: string): AnswerPart {
    const map = this.map();
    const path = /^[A-Za-z_]\w*$/.test(name)
      ? `${this.path === '' ? '' : `${this.path}.`}${shownName(name)}`
      : `${this.path}[${shownName(name)}]`;
    return new AnswerPart(Object.hasOwn(map, name) ? map[name] : undefined, path, this.#hook);
  }

  /**
   * Returns the members of an object.
   *
   * @throws HookError when this value is not an object.
   */
  map(): Readonly<Record<string, unknown>> {
    const { value } = this;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>;
    }
    return this.#mustBe('an object');
  }

  /**
   * Returns the items of a list.
   *
   * @throws HookError when this value is not a list.
   */
  items(): readonly AnswerPart[] {
    if (!Array.isArray(this.value)) return this.#mustBe('a list');
    return this.value.map(
      (item: unknown, index) => new AnswerPart(item, `${this.path}[${index}]`, this.#hook),
    );
  }

  /**
   * Returns the string.
   *
   * @throws HookError when this value is not a string.
   */
  string(): string {
    return typeof this.value === 'string' ? this.value : this.#mustBe('a string');
  }

  /** Returns the string, which must not be empty. */
  filledString(): string {
    if (this.isAbsent) return this.fail('is missing');
    return this.string() === '' ? this.fail('is empty') : this.string();
  }

  /**
   * Returns the string; undefined if it is absent or empty, because Go cannot distinguish the two.
   */
  optionalString(): string | undefined {
    return this.isAbsent || this.string() === '' ? undefined : this.string();
  }

  /** Returns the boolean; false if it is absent. */
  boolean(): boolean {
    if (this.isAbsent) return false;
    return typeof this.value === 'boolean' ? this.value : this.#mustBe('true or false');
  }

  /**
   * Returns the number; undefined if it is absent. An integer beyond 2^53 may be stored as a
   * bigint.
   */
  number(): number | undefined {
    if (this.isAbsent) return undefined;
    if (typeof this.value === 'bigint') return Number(this.value);
    return typeof this.value === 'number' ? this.value : this.#mustBe('a number');
  }

  /** Returns an object whose members are strings; undefined if it is absent. */
  stringMap(): Readonly<Record<string, string>> | undefined {
    if (this.isAbsent) return undefined;
    for (const name of Object.keys(this.map())) this.member(name).string();
    return this.value as Readonly<Record<string, string>>;
  }

  /** Refuses the answer with a HookError. */
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

/** The kind of a JSON value, for messages. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'bigint') return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A field name of the answer, for messages: safe to show, and cut to 40 characters. */
export function shownName(name: string): string {
  const cut = name.slice(0, 40).toWellFormed();
  return /^[A-Za-z_]\w*$/.test(cut) ? cut : visibleJson(JSON.stringify(cut));
}
