/** A flag that a program accepts. */
export interface KnownFlag {
  /** One letter that may be written after a single dash. */
  readonly shorthand?: string;
  /**
   * The value of the flag if the word of the flag contains no value: pflag's NoOptDefVal, which is `true` for
   * a boolean flag. If omitted, the next word is the value.
   */
  readonly valueIfNone?: string;
}

/**
 * One element of a command line: a flag with its value, a positional, or a mistake. `at` is the index of its
 * first word.
 */
export type CommandWord =
  | FlagWord
  | PositionalWord
  | {
      /** A flag that needs a value is the last word of the command line. */
      readonly type: 'no-value';
      readonly name: string;
      readonly at: number;
    }
  | {
      /** An unknown flag, or a word that cannot be a flag. pflag refuses the whole command line. */
      readonly type: 'unknown';
      /** The word without its value, such as `--colour` or `-xyz`. */
      readonly text: string;
      readonly at: number;
    };

/** A flag with its value. */
export interface FlagWord {
  readonly type: 'flag';
  /** The long name. */
  readonly name: string;
  readonly value: string;
  /**
   * Where the value comes from. `word`: the word of the flag. `next`: the word after it. `none`:
   * `valueIfNone`.
   */
  readonly from: 'word' | 'next' | 'none';
  readonly at: number;
}

/** A word that belongs to no flag. */
export interface PositionalWord {
  readonly type: 'positional';
  readonly value: string;
  /**
   * The boolean flag right before this word, if the word looks like the flag's value: `--all false` is
   * `--all=true` and the positional `false`.
   */
  readonly maybeValueOf: string | undefined;
  readonly at: number;
}

/**
 * Splits words into flags and positionals, as Go's pflag does (flag.go of spf13/pflag v1.0). `--name=value`
 * and `--name value` are the same, and so are `-n=value`, `-nvalue` and `-n value`. Shorthands without values
 * can share a word. A flag with `valueIfNone` takes a value only after `=`. Any other flag takes the next
 * word, whatever that word is. Flags and positionals can be mixed, and all words after `--` are positionals.
 *
 * It accepts every command line. As with pflag's option UnknownFlags, the word after an unknown flag is
 * treated as its value, unless that word begins with a dash. An unknown letter ends its group of shorthands.
 */
export function readCommandLine(
  words: readonly string[],
  known: Readonly<Record<string, KnownFlag>>,
): readonly CommandWord[] {
  return new CommandLine(words, known).read();
}

class CommandLine {
  readonly #words: readonly string[];
  readonly #known: ReadonlyMap<string, KnownFlag>;
  readonly #byLetter: ReadonlyMap<string, string>;
  readonly #read: CommandWord[] = [];
  /** The index of the word to read next. */
  #next = 0;

  constructor(words: readonly string[], known: Readonly<Record<string, KnownFlag>>) {
    this.#words = words;
    this.#known = new Map(Object.entries(known));
    this.#byLetter = new Map(
      Object.entries(known).flatMap(([name, { shorthand }]) =>
        shorthand === undefined ? [] : [[shorthand, name] as const],
      ),
    );
  }

  read(): readonly CommandWord[] {
    while (this.#next < this.#words.length) {
      const at = this.#next++;
      const word = this.#words[at] ?? '';
      if (word === '--') this.#rest();
      else if (word === '-' || !word.startsWith('-')) this.#positional(word, at);
      else if (word.startsWith('--')) this.#long(word, at);
      else this.#shorthands(word, at);
    }
    return this.#read;
  }

  #rest(): void {
    for (; this.#next < this.#words.length; this.#next++) {
      const value = this.#words[this.#next] ?? '';
      this.#read.push({ type: 'positional', value, maybeValueOf: undefined, at: this.#next });
    }
  }

  #positional(value: string, at: number): void {
    const last = this.#read.at(-1);
    const isAfterBoolean = last?.type === 'flag' && last.from === 'none' && last.at === at - 1;
    const maybeValueOf = isAfterBoolean && goBoolean(value) !== undefined ? last.name : undefined;
    this.#read.push({ type: 'positional', value, maybeValueOf, at });
  }

  #long(word: string, at: number): void {
    const equals = word.indexOf('=');
    const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
    const value = equals < 0 ? undefined : word.slice(equals + 1);
    if (this.#known.has(name)) this.#flag(name, value, at);
    else this.#unknown(word, value !== undefined, at);
  }

  #shorthands(word: string, at: number): void {
    for (let letters = word.slice(1); letters !== ''; ) {
      const [letter = ''] = letters;
      const rest = letters.slice(letter.length);
      const name = this.#byLetter.get(letter);
      // If the word is only `-p=`, the value is `=`.
      const afterEquals = rest.length > 1 && rest.startsWith('=') ? rest.slice(1) : undefined;
      if (name === undefined) {
        this.#unknown(word, afterEquals !== undefined, at);
        return;
      }
      if (afterEquals === undefined && this.#known.get(name)?.valueIfNone !== undefined) {
        this.#flag(name, undefined, at);
        letters = rest;
      } else {
        this.#flag(name, afterEquals ?? (rest === '' ? undefined : rest), at);
        return;
      }
    }
  }

  /**
   * @param value - the value after `=` in the word of the flag; undefined when the word contains no value.
   */
  #flag(name: string, value: string | undefined, at: number): void {
    const valueIfNone = this.#known.get(name)?.valueIfNone;
    const next = this.#words[this.#next];
    if (value !== undefined) this.#read.push({ type: 'flag', name, value, from: 'word', at });
    else if (valueIfNone !== undefined)
      this.#read.push({ type: 'flag', name, value: valueIfNone, from: 'none', at });
    else if (next === undefined) this.#read.push({ type: 'no-value', name, at });
    else {
      this.#next++;
      this.#read.push({ type: 'flag', name, value: next, from: 'next', at });
    }
  }

  #unknown(word: string, hasValue: boolean, at: number): void {
    this.#read.push({ type: 'unknown', text: word.replace(/=.*$/s, ''), at });
    const next = this.#words[this.#next];
    if (!hasValue && next !== undefined && !next.startsWith('-')) this.#next++;
  }
}

/** The values of a boolean flag that Go's `strconv.ParseBool` accepts. */
export const GO_BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false] as const),
]);

/** The value of a boolean flag. Undefined for a string that Go's `strconv.ParseBool` refuses. */
export function goBoolean(text: string): boolean | undefined {
  return GO_BOOLEANS.get(text);
}

/**
 * The items of a list: one record of CSV, as Go's encoding/csv reads it for pflag (string_slice.go). An item
 * in double quotes may contain commas, and a double quote inside such an item is written twice. An empty
 * string has no items. Undefined if a quote is in the wrong place, or if `text` has more than one line.
 */
export function stringSlice(text: string): readonly string[] | undefined {
  const line = text.replace(/\r?\n$/, '');
  if (line === '') return [];
  const items: string[] = [];
  const item = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|$)/y;
  for (let more = true; more; ) {
    const [found, quoted, plain, end] = item.exec(line) ?? [];
    if (found === undefined) return undefined;
    items.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    more = end === ',';
  }
  return items;
}
