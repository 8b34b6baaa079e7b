import { DEEPEST } from './json-walk.ts';
import { isObject, type Json } from './metadata.ts';

/**
 * Deeper values are not indented, in JSON or in YAML: the indentation grows with the square of the
 * depth, to 200 MB at 10 000 levels.
 */
export const READABLE_LEVELS = 200;

/**
 * JSON of a value. `JSON.stringify` writes it wherever it can; this function writes what
 * `JSON.stringify` cannot: integers beyond 2^53, which are of the type bigint here, and values that
 * are nested too deep for the stack. A value deeper than `READABLE_LEVELS` is never indented.
 *
 * @throws TypeError for a value that contains itself.
 */
export function jsonText(value: unknown, indent = ''): string {
  const indentation = indent !== '' && isDeeper(value, READABLE_LEVELS) ? '' : indent;
  try {
    return JSON.stringify(value, undefined, indentation) ?? 'null';
  } catch (error) {
    return new Writer(error, indentation).write(value);
  }
}

/** Whether objects and lists stand inside of one another on more than so many levels. */
export function isDeeper(value: unknown, levels: number): boolean {
  let row = [value].filter(isContainer);
  for (let level = 0; level < levels && row.length > 0; level++) {
    row = row.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return row.length > 0;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** An object or a list that is not written to its end yet. */
interface Level {
  readonly value: Json | readonly unknown[];
  /** The fields to write; undefined in a list. */
  readonly names: readonly string[] | undefined;
  at: number;
}

/** Writes JSON with a stack of its own. */
class Writer {
  readonly #levels: Level[] = [];
  readonly #cause: unknown;
  readonly #indent: string;
  #text = '';

  /** @param cause - why `JSON.stringify` gave up; thrown again for a value without an end. */
  constructor(cause: unknown, indent: string) {
    this.#cause = cause;
    this.#indent = indent;
  }

  write(value: unknown): string {
    this.#open(value);
    for (let level = this.#levels.at(-1); level; level = this.#levels.at(-1)) this.#step(level);
    return this.#text;
  }

  /** A value that is no container, or the beginning of one. */
  #open(value: unknown): void {
    if (typeof value !== 'object' || value === null) {
      this.#text += typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null');
      return;
    }
    if (this.#levels.length >= DEEPEST) throw this.#cause;
    const names = isObject(value)
      ? Object.keys(value).filter((name) => value[name] !== undefined)
      : undefined;
    this.#levels.push({ value: value as Level['value'], names, at: 0 });
  }

  #step(level: Level): void {
    const { value, names, at } = level;
    const count = names?.length ?? (value as readonly unknown[]).length;
    if (at === count) {
      this.#levels.pop();
      if (count === 0) this.#text += names === undefined ? '[]' : '{}';
      else this.#text += `${this.#newLine()}${names === undefined ? ']' : '}'}`;
      return;
    }
    if (at > 0) this.#text += ',';
    else this.#text += names === undefined ? '[' : '{';
    this.#text += this.#newLine();
    level.at++;
    const name = names?.[at];
    if (name === undefined) {
      this.#open((value as readonly unknown[])[at]);
    } else {
      this.#text += `${JSON.stringify(name)}:${this.#indent === '' ? '' : ' '}`;
      this.#open((value as Json)[name]);
    }
  }

  #newLine(): string {
    return this.#indent === '' ? '' : `\n${this.#indent.repeat(this.#levels.length)}`;
  }
}
