import { parseArgs } from 'node:util';
import { ConfigurationError, messageOf } from '../core/errors.ts';
import { nearMatches } from '../core/text/near-match.ts';
import {
  type CommandTable,
  camelCase,
  type Given,
  type Options,
  optionsOf,
} from './command-table.ts';
import { enumerated, type Option, parsedText } from './value-types.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses the command line of one command in the same way as kubectl. `-l a=b`, `-la=b`, `-l=a=b`,
 * `--selector a=b` and `--selector=a=b` are equivalent. Options and arguments may be mixed, and the
 * last value of an option wins.
 *
 * @param env - the environment, for options that can be set by a variable.
 * @throws ConfigurationError `CONFIG` in one line with the option.
 */
export function parseFlags<O extends Options, K extends string>(
  args: readonly string[],
  table: CommandTable<O, K>,
  env: Environment = {},
): Given<O, K> {
  const { own, rest } = table.rest === undefined ? { own: args, rest: [] } : splitAtDashes(args);
  const options = optionsOf(table);
  refuseReplaced(own, table.replaced ?? {});
  const { values, positionals } = textsOf(own, options);
  const { kind, words } = kindOf(table, positionals);
  for (const name of Object.keys(values)) requireFor(kind, name, options[name]);
  const parsed = Object.entries(options).map(
    ([name, option]) => [camelCase(name), parsedValue(name, option, values[name], env)] as const,
  );
  const ignored = Object.entries(table.ignored ?? {})
    .filter(([variable]) => env[variable] !== undefined)
    .map(([variable, instead]) => `${variable}: ${instead}`);
  return { values: Object.fromEntries(parsed), kind, words, rest, ignored } as unknown as Given<
    O,
    K
  >;
}

/** The arguments before and after the first `--`. */
export function splitAtDashes(words: readonly string[]): {
  readonly own: readonly string[];
  readonly rest: readonly string[];
} {
  const end = words.indexOf('--');
  return end < 0
    ? { own: words, rest: [] }
    : { own: words.slice(0, end), rest: words.slice(end + 1) };
}

/** The value of an option as given: one string or several, or true for a switch. */
type Text = string | boolean | readonly (string | boolean)[] | undefined;

interface Texts {
  readonly values: Readonly<Record<string, Text>>;
  readonly positionals: readonly string[];
}

function textsOf(args: readonly string[], options: Options): Texts {
  const config = Object.entries(options).map(([name, { type, short, multiple }]) => [
    name,
    {
      type: type === undefined ? ('boolean' as const) : ('string' as const),
      ...(short !== undefined && { short }),
      multiple: multiple === true,
    },
  ]);
  try {
    return parseArgs({
      args: args.map((word) => withImplied(word, options)),
      options: Object.fromEntries(config),
      allowPositionals: true,
    });
  } catch (error) {
    throw new ConfigurationError(explain(messageOf(error), Object.keys(options)), { cause: error });
  }
}

/**
 * Adds to an option without a value the `implied` value of its table. The next argument is never
 * the value of such an option.
 */
function withImplied(word: string, options: Options): string {
  const implied = word.startsWith('--') ? options[word.slice(2)]?.implied : undefined;
  return implied === undefined ? word.replace(/^(-[A-Za-z])=/, '$1') : `${word}=${implied}`;
}

function explain(message: string, options: readonly string[]): string {
  const [, flag] = /^Option '([^']+)' argument is ambiguous/.exec(message) ?? [];
  if (flag !== undefined) {
    return `${flag} needs a value; write one that begins with a dash as ${flag}=-VALUE`;
  }
  const [first = message] = message.split(/\.\s/, 1);
  const text = first.charAt(0).toLowerCase() + first.slice(1);
  const [, unknown] = /^unknown option '--([^']+)'/.exec(text) ?? [];
  const near = unknown === undefined ? [] : nearMatches(unknown, options);
  return near.length === 0 ? text : `${text}; did you mean --${near.join(' or --')}?`;
}

function parsedValue(name: string, option: Option, given: Text, env: Environment): unknown {
  const { type, multiple, env: variable } = option;
  const inherited = variable === undefined ? undefined : env[variable]?.trim() || undefined;
  if (type === undefined) return given === true || /^(?:true|1|yes)$/.test(inherited ?? '');
  const isInherited = given === undefined && variable !== undefined && inherited !== undefined;
  const source = isInherited ? variable : `--${name}`;
  const parse = (text: unknown): unknown => parsedText(source, String(text), option);
  if (multiple === true) return [given ?? []].flat().map(parse);
  const text = given ?? inherited ?? option.default;
  return text === undefined ? undefined : parse(text);
}

/** The kind of work that the first argument chooses, and the remaining arguments. */
function kindOf(
  { name, kinds }: CommandTable,
  positionals: readonly string[],
): { readonly kind: string; readonly words: readonly string[] } {
  if (kinds === undefined) return { kind: '', words: positionals };
  const known = Object.keys(kinds);
  const [word, ...words] = positionals;
  if (word !== undefined && known.includes(word) && !isOther(word)) return { kind: word, words };
  const otherwise = known.find(isOther);
  if (otherwise !== undefined) return { kind: otherwise, words: positionals };
  const expected = `expected ${enumerated(known, 'or')}`;
  if (word === undefined) throw new ConfigurationError(`${expected}; got nothing`);
  const near = nearMatches(word, known);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : expected;
  throw new ConfigurationError(`cannot ${name} ${JSON.stringify(word)}; ${hint}`);
}

/**
 * True for a kind in capital letters, which is a placeholder. It applies when the first argument is not the
 * name of another kind.
 */
export function isOther(kind: string): boolean {
  return kind === kind.toUpperCase();
}

function requireFor(kind: string, name: string, option: Option | undefined): void {
  const takers = option?.for;
  if (takers === undefined || takers.includes(kind)) return;
  const instead = option?.instead?.[kind];
  throw new ConfigurationError(
    `--${name} is for ${takers.join(', ')}, not for ${kind}${instead === undefined ? '' : `; ${instead}`}`,
  );
}

function refuseReplaced(
  words: readonly string[],
  replaced: Readonly<Record<string, string>>,
): void {
  for (const word of words) {
    const [, option = ''] = /^--([a-z-]+)/.exec(word) ?? [];
    const instead = Object.hasOwn(replaced, option) ? replaced[option] : undefined;
    if (instead !== undefined) throw new ConfigurationError(`--${option}: ${instead}`);
  }
}
