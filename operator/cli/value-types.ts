import { isIP } from 'node:net';
import { ConfigurationError } from '../core/errors.ts';
import { parseGoDuration } from '../core/go/go-duration.ts';
import { nearMatches } from '../core/text/near-match.ts';
import { isDnsLabel } from '../model/dns-name.ts';

/** The types of option values, each with the TypeScript type of the parsed value. */
export interface ValueTypes {
  readonly text: string;
  /** A file or a folder. Shells complete it. */
  readonly path: string;
  /** One of the words in `choices`. */
  readonly choice: string;
  readonly port: number;
  /** A whole number from `min` to `max`. */
  readonly number: number;
  /** Milliseconds, from `min` to `max`. */
  readonly duration: number;
  readonly namespace: string;
  /** The namespaces to watch: `own` for the operator's namespace, `all`, or a sorted list. */
  readonly namespaces: 'own' | 'all' | readonly string[];
  readonly address: string;
  /** A time that `Date.parse` accepts. The value is the given string. */
  readonly time: string;
  /** The name of an environment variable. */
  readonly variable: string;
  readonly list: readonly string[];
  readonly pair: readonly [name: string, text: string];
}

export type ValueType = keyof ValueTypes;

/** One option of a command: its names, its value, and its text in `--help`. */
export interface Option {
  /** The type of the value. If omitted, the option is a switch. */
  readonly type?: ValueType;
  readonly short?: string;
  /** The placeholder for the value in `--help`. Default: the name of the type, or the choices. */
  readonly value?: string;
  /** The values of a `choice`, or of the items of a `list`. */
  readonly choices?: readonly string[];
  /** The minimum of a `number`, or of a `duration` in milliseconds. */
  readonly min?: number;
  readonly max?: number;
  /**
   * The option may be repeated. Its value is then the list of all given values in the given order,
   * and not only the last value.
   */
  readonly multiple?: true;
  /** The value when the option is omitted, written as on a command line. */
  readonly default?: string;
  /**
   * The value when the option is given without a value. With this field, a value is only accepted
   * after `=`.
   */
  readonly implied?: string;
  /** The environment variable that is used when the command line does not contain the option. */
  readonly env?: string;
  /** The kinds of work that accept the option. Default: all. */
  readonly for?: readonly string[];
  /** What to use instead of the option, for kinds of work that do not accept it. */
  readonly instead?: Readonly<Record<string, string>>;
  /** True if the option is omitted from help, completion and documentation. */
  readonly hidden?: true;
  readonly help: string;
}

interface Form<V> {
  /** The name of the value in `--help`. */
  readonly name: string;
  /** The parsed value. Undefined for invalid text. */
  parse(text: string, option: Option): V | undefined;
  /** The description of a valid value, for messages. */
  expected(option: Option): string;
}

const isWord = (name: string): Form<string> => ({
  name,
  parse: (text) => text,
  expected: () => 'a string',
});

/** The parser and the description of each type of value. */
const FORMS: { readonly [T in ValueType]: Form<ValueTypes[T]> } = {
  text: isWord('TEXT'),
  path: isWord('PATH'),
  choice: {
    name: 'WORD',
    // A version may be given with a leading `v`.
    parse: (text, { choices = [] }) =>
      choices.find((word) => word === text || (/^\d/.test(word) && `v${word}` === text)),
    expected: ({ choices = [] }) => enumerated(choices, 'or'),
  },
  port: {
    name: 'PORT',
    parse: (text) => wholeNumber(text, 0, 65_535),
    expected: () => 'a whole number from 0 to 65535',
  },
  number: {
    name: 'N',
    parse: (text, { min = 0, max = 999_999 }) => wholeNumber(text, min, max),
    expected: ({ min = 0, max = 999_999 }) => `a whole number from ${min} to ${max}`,
  },
  duration: {
    name: 'DURATION',
    parse: (text, { min = 0, max = Number.POSITIVE_INFINITY }) => {
      const ms = parseGoDuration(text);
      return ms !== undefined && ms >= min && ms <= max ? ms : undefined;
    },
    expected: ({ min = 0, max }) =>
      max === undefined
        ? 'a duration such as 90s or 5m, or 0 for none'
        : `a duration such as 90s or 5m, from ${min === 0 ? 0 : `${min / 1_000}s`} to ${max / 3_600_000}h`,
  },
  namespace: {
    name: 'NAME',
    parse: (text) => (isDnsLabel(text) ? text : undefined),
    expected: () => 'at most 63 of a-z, 0-9 and "-"',
  },
  namespaces: {
    name: 'own|all|A,B',
    parse: (text) => {
      if (text === 'own' || text === 'all') return text;
      if (text === '*') return 'all';
      const names = items(text);
      return names.every((name) => isDnsLabel(name)) ? [...new Set(names)].sort() : undefined;
    },
    expected: () => 'own, all, or namespaces as a,b',
  },
  address: {
    name: 'ADDRESS',
    parse: (text) => (isIP(text) === 0 ? undefined : text),
    expected: () => 'an IP address, such as 127.0.0.1',
  },
  time: {
    name: 'TIME',
    parse: (text) => (Number.isNaN(Date.parse(text)) ? undefined : text),
    expected: () => 'a time such as 2026-01-31T12:00:00Z',
  },
  variable: {
    name: 'NAME',
    parse: (text) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : undefined),
    expected: () => 'the name of a variable without its value',
  },
  list: {
    name: 'A,B',
    parse: (text, { choices }) => {
      const words = [...new Set(items(text))];
      return words.every((word) => word !== '' && choices?.includes(word) !== false)
        ? words
        : undefined;
    },
    expected: ({ choices }) =>
      choices === undefined ? 'words such as a,b' : `of ${choices.join(', ')}`,
  },
  pair: {
    name: 'NAME=TEXT',
    parse: (text) => {
      const [, name, value] = /^([^=]+)=([\s\S]+)$/.exec(text) ?? [];
      return name === undefined || value === undefined ? undefined : [name, value];
    },
    expected: () => 'NAME=MESSAGE',
  },
};

/**
 * The value of an option for `text`, parsed as the type that the table specifies.
 *
 * @param flag - the option with its dashes, or the variable, for the message.
 * @throws ConfigurationError `CONFIG` with the expected and the actual value.
 */
export function parsedText(flag: string, text: string, option: Option): unknown {
  const form: Form<unknown> = FORMS[option.type ?? 'text'];
  const value = form.parse(text, option);
  if (value !== undefined) return value;
  const { choices = [] } = option;
  const near = nearMatches(text, choices);
  const hint =
    near.length === 0 || near.length === choices.length
      ? ''
      : `; did you mean ${near.join(' or ')}?`;
  throw new ConfigurationError(
    `${flag} must be ${form.expected(option)}, not ${JSON.stringify(text)}${hint}`,
  );
}

/** The name of a value in `--help`. Undefined for a switch. */
export function valueName({ type, value, choices }: Option): string | undefined {
  if (type === undefined) return undefined;
  return value ?? (type === 'choice' ? choices?.join('|') : FORMS[type].name);
}

/** A list in words: `a, b or c`. */
export function enumerated(words: readonly string[], last: 'and' | 'or'): string {
  const [end = '', ...others] = words.toReversed();
  return others.length === 0 ? end : `${others.toReversed().join(', ')} ${last} ${end}`;
}

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function items(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim());
}
