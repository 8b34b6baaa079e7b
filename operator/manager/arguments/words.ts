import { nearMatches } from '../../client/near-match.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { boundedText } from '../../core/visible-text.ts';

/** The type of each argument, by its name. */
export type ArgumentTypes = Readonly<
  Record<string, { readonly type: 'boolean' | 'string' | 'list' }>
>;

/** One argument, or one positional, as it was given. */
export interface GivenArgument {
  /** Undefined for a positional. */
  readonly name: string | undefined;
  /** The text after `=`, or the next word. `true` for a boolean without one. */
  readonly value: string;
  /** The words of the command line that say this, one or two. */
  readonly words: readonly string[];
}

/**
 * The arguments that `words` give, in the order given. The syntax is that of Go's pflag (flag.go of
 * spf13/pflag), so that manifests written for a Go program fit: `--name=value` and `--name value` are the
 * same, a boolean takes its value only after `=`, and words after `--` are positionals. There are no short
 * names. pflag would take a following argument as the value that was forgotten; here that is an error.
 *
 * @throws ConfigurationError `CONFIG` for an unknown argument, with the most similar known ones, and for a
 *   missing value.
 */
export function givenArguments(
  words: readonly string[],
  known: ArgumentTypes,
): readonly GivenArgument[] {
  const given: GivenArgument[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') {
      for (const value of words.slice(at + 1)) given.push(positional(value));
      return given;
    }
    if (!word.startsWith('-') || word === '-') {
      given.push(positional(word));
      continue;
    }
    const { name, value } = named(word, known);
    if (value !== undefined) {
      given.push({ name, value, words: [word] });
    } else if (known[name]?.type === 'boolean') {
      given.push({ name, value: 'true', words: [word] });
    } else {
      const next = words[++at];
      if (next === undefined || isArgument(next, known)) throw valueMissing(name);
      given.push({ name, value: next, words: [word, next] });
    }
  }
  return given;
}

/**
 * @throws ConfigurationError `CONFIG` for the first positional that `isTaken` refuses. A word such as `false`
 *   after a boolean was probably meant as its value.
 */
export function requirePositionals(
  given: readonly GivenArgument[],
  known: ArgumentTypes,
  isTaken: (argument: GivenArgument) => boolean,
): void {
  const at = given.findIndex((each) => each.name === undefined && !isTaken(each));
  const { value } = given[at] ?? {};
  if (value === undefined) return;
  const { name = '', words = [] } = given[at - 1] ?? {};
  const isValue =
    known[name]?.type === 'boolean' && words[0] === `--${name}` && BOOLEANS.has(value);
  const hint = isValue ? `; did you mean --${name}=${value}?` : '';
  throw new ConfigurationError(
    `expected arguments that begin with --, got ${JSON.stringify(value)}${hint}`,
  );
}

function positional(value: string): GivenArgument {
  return { name: undefined, value, words: [value] };
}

function named(
  word: string,
  known: ArgumentTypes,
): { readonly name: string; readonly value: string | undefined } {
  const [, dashes = '', name = '', value] = /^(--?)([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
  if (dashes === '--' && Object.hasOwn(known, name)) return { name, value };
  throw unknownArgument(`${dashes}${name}`, Object.keys(known));
}

/** Where a value belongs, such a word is the next argument: the value was forgotten. */
function isArgument(word: string, known: ArgumentTypes): boolean {
  const [, name = ''] = /^--([^=]+)/.exec(word) ?? [];
  return Object.hasOwn(known, name);
}

function valueMissing(name: string): ConfigurationError {
  return new ConfigurationError(`--${name} needs a value, as --${name}=VALUE`);
}

function unknownArgument(word: string, names: readonly string[]): ConfigurationError {
  const near = nearMatches(word.replace(/^-+/, ''), names);
  const hint =
    near.length > 0
      ? `did you mean --${near.join(' or --')}?`
      : `known: ${names.map((name) => `--${name}`).join(', ') || 'none'}`;
  return new ConfigurationError(`unknown argument ${JSON.stringify(word)}; ${hint}`);
}

/** The words of Go's `strconv.ParseBool`. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false] as const),
]);

/** @throws ConfigurationError `CONFIG` for a text that Go's `strconv.ParseBool` refuses. */
export function booleanOf(name: string, text: string): boolean {
  const value = BOOLEANS.get(text);
  if (value !== undefined) return value;
  throw new ConfigurationError(
    `--${name} must be one of ${[...BOOLEANS.keys()].join(', ')}, not ${JSON.stringify(text)}`,
  );
}

/**
 * The items of a list: one record of CSV, as Go's encoding/csv reads it for pflag (string_slice.go). An item in double quotes may contain
 * commas; a double quote in it is written twice. An empty text has no items.
 *
 * @throws ConfigurationError `CONFIG` for a quote in the wrong place, and for more than one line.
 */
export function listOf(name: string, text: string): readonly string[] {
  const line = text.replace(/\r?\n$/, '');
  if (line === '') return [];
  const items: string[] = [];
  const item = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|$)/y;
  for (let more = true; more; ) {
    const [found, quoted, plain, end] = item.exec(line) ?? [];
    if (found === undefined) {
      throw new ConfigurationError(
        `--${name} must be a list as a,b or "a,b",c on one line, not ${JSON.stringify(boundedText(text))}`,
      );
    }
    items.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    more = end === ',';
  }
  return items;
}
