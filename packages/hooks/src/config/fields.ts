import { ConfigurationError } from 'chancery';
import {
  DOCUMENT_LIMITS,
  type JsonLimits,
  JsonTextError,
  nearMatches,
  parseGoDuration,
  readJsonValue,
  runInSlices,
  type YamlAnswer,
  type YamlReader,
} from 'chancery/internal';

/** A value, and its path for messages: `kubernetes[0].kind`. */
export interface Item {
  readonly value: unknown;
  readonly path: string;
}

/**
 * Throws an error with the message `PATH: problem`.
 *
 * @throws ConfigurationError `CONFIG` always.
 */
export function refuse(path: string, problem: string): never {
  throw new ConfigurationError(path === '' ? problem : `${path}: ${problem}`);
}

/**
 * Limits for an answer or a file of a hook. Usually these have a few kilobytes and a few hundred
 * values.
 */
const LIMITS: JsonLimits = { ...DOCUMENT_LIMITS, values: 10_000, documentValues: 10_000 };
const MAX_CHARS = 1_000_000;

/**
 * The value of a YAML or JSON document that belongs to a hook. The document is parsed outside of
 * the main thread.
 *
 * @throws ConfigurationError `CONFIG` when the document is empty or invalid, when a key occurs
 * twice (only the last value would count), and when the document has more than a million characters
 * or 10,000 values; `signal.reason` when aborted.
 */
export async function readDocument(
  text: string,
  yaml: Pick<YamlReader, 'read'>,
  signal: AbortSignal,
): Promise<unknown> {
  if (text.trim() === '') throw new ConfigurationError('it is empty');
  if (text.length > MAX_CHARS) {
    throw new ConfigurationError(`it is longer than ${MAX_CHARS} characters`);
  }
  const answer = await yaml.read({ texts: [text], form: 'unique' }, signal);
  return await runInSlices(documentIn(answer), signal);
}

/**
 * The value in an answer of the YAML reader.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `readDocument`.
 */
export function* documentIn(answer: YamlAnswer): Generator<void, unknown, undefined> {
  if ('problem' in answer) return refuse('', `it ${answer.problem}`);
  const { documents, duplicate } = answer;
  if (duplicate !== undefined) {
    const { key, line } = duplicate;
    refuse('', `line ${line} gives ${JSON.stringify(key.slice(0, 64))} for the second time`);
  }
  try {
    return (yield* readJsonValue(documents[0] ?? 'null', LIMITS)).value;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return refuse('', `it ${error.message}`);
  }
}

/** The type of a value, for messages: `a string`, `a list`. */
export function formOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'bigint') return 'a number';
  return typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}

/**
 * Reads a mapping whose field names are known. Every method throws a ConfigurationError `CONFIG`
 * with the path of the field when its value has another type.
 */
export class Fields {
  /** Path of the mapping. Empty for the root of the document. */
  readonly path: string;
  readonly #values: Readonly<Record<string, unknown>>;

  /**
   * @param names - all fields that are allowed.
   * @param form - an example of the mapping, for messages: `{matchNames: [a, b]}`.
   */
  constructor({ value, path }: Item, names: readonly string[], form?: string) {
    this.path = path;
    if (formOf(value) !== 'a mapping') {
      refuse(path, `expected ${form ?? 'a mapping'}, got ${formOf(value)}`);
    }
    this.#values = value as Readonly<Record<string, unknown>>;
    const unknown = Object.keys(this.#values).find((name) => !names.includes(name));
    if (unknown === undefined) return;
    const near = nearMatches(unknown, names);
    const hint =
      near.length > 0 ? `did you mean ${near.join(' or ')}?` : `expected ${names.join(', ')}`;
    refuse(this.pathOf(unknown), `unknown field; ${hint}`);
  }

  pathOf(name: string): string {
    const shown = /^[\w-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 64));
    return this.path === '' ? shown : `${this.path}.${shown}`;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name);
  }

  /** The value of a field with its path. Undefined when the field is missing. */
  item(name: string): Item | undefined {
    return this.has(name) ? { value: this.#values[name], path: this.pathOf(name) } : undefined;
  }

  /** The string in a field. An empty string counts as missing. */
  text(name: string): string | undefined {
    const item = this.item(name);
    if (item === undefined) return undefined;
    return textOf(item) || undefined;
  }

  requiredText(name: string): string {
    return this.text(name) ?? refuse(this.pathOf(name), 'is required, and is not given');
  }

  oneOf<T extends string>(name: string, known: readonly T[]): T | undefined {
    const item = this.item(name);
    return item === undefined ? undefined : wordOf(item, known);
  }

  flag(name: string, byDefault: boolean): boolean {
    const item = this.item(name);
    if (item === undefined) return byDefault;
    if (typeof item.value === 'boolean') return item.value;
    return refuse(item.path, `expected true or false, got ${formOf(item.value)}`);
  }

  integer(
    name: string,
    {
      min = Number.MIN_SAFE_INTEGER,
      max = Number.MAX_SAFE_INTEGER,
    }: { readonly min?: number; readonly max?: number } = {},
  ): number | undefined {
    const item = this.item(name);
    if (item === undefined) return undefined;
    const { value, path } = item;
    if (typeof value !== 'number') return refuse(path, `expected an integer, got ${formOf(value)}`);
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
    const least = min === Number.MIN_SAFE_INTEGER ? '' : ` from ${min}`;
    const most = max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`;
    return refuse(path, `expected an integer${least}${most}, got ${value}`);
  }

  /** A duration in milliseconds. */
  duration(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const ms = parseGoDuration(text);
    if (ms !== undefined) return ms;
    return refuse(
      this.pathOf(name),
      `expected a duration such as 30s, 1m30s or 500ms, got ${JSON.stringify(text.slice(0, 64))}`,
    );
  }

  /**
   * The items of a list. Undefined when the field is missing.
   *
   * @param form - an example of the list, for messages.
   */
  list(name: string, form = 'a list'): readonly Item[] | undefined {
    const item = this.item(name);
    if (item === undefined) return undefined;
    const { value, path } = item;
    if (!Array.isArray(value)) return refuse(path, `expected ${form}, got ${formOf(value)}`);
    return value.map((each: unknown, at) => ({ value: each, path: `${path}[${at}]` }));
  }

  /** A list of strings, none of them empty. */
  texts(name: string): readonly string[] | undefined {
    return this.list(name, 'a list such as [a, b]')?.map(
      (item) => textOf(item) || refuse(item.path, 'expected a string, got an empty one'),
    );
  }

  requiredTexts(name: string): readonly string[] {
    const texts = this.texts(name) ?? refuse(this.pathOf(name), 'is required, and is not given');
    if (texts.length > 0) return texts;
    return refuse(this.pathOf(name), 'expected at least one, got an empty list');
  }
}

/**
 * The string of an item.
 *
 * @throws ConfigurationError `CONFIG` when the value is not a string.
 */
export function textOf({ value, path }: Item): string {
  if (typeof value === 'string') return value;
  const hint = typeof value === 'number' || typeof value === 'boolean' ? ': quote it' : '';
  return refuse(path, `expected a string, got ${formOf(value)}${hint}`);
}

/**
 * Returns the item, which must be one of the known words.
 *
 * @throws ConfigurationError `CONFIG` when the item is not one of these words.
 */
export function wordOf<T extends string>(item: Item, known: readonly T[]): T {
  const text = textOf(item);
  const word = known.find((each) => each === text);
  if (word !== undefined) return word;
  return refuse(
    item.path,
    `expected ${known.join(', ')}, got ${JSON.stringify(text.slice(0, 64))}`,
  );
}
