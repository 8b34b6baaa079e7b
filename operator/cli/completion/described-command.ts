import type { Command } from '../command.ts';

/** A value of an option, or a positional argument. */
export interface DescribedValue {
  /** The words to choose from; none when any text will do. */
  readonly words: readonly string[];
  /** The value is a path. */
  readonly isPath: boolean;
}

export interface DescribedOption extends DescribedValue {
  /** With its dashes. */
  readonly long: string;
  /** With its dash. */
  readonly short: string | undefined;
  /** The name of the value in the help; undefined for a switch. */
  readonly argument: string | undefined;
  readonly meaning: string;
}

/** A command as its help describes it. */
export interface DescribedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly DescribedOption[];
  /** The first word after the command. */
  readonly first: DescribedValue;
  /** All further words. */
  readonly others: DescribedValue;
}

const HELP: DescribedOption = {
  long: '--help',
  short: '-h',
  argument: undefined,
  meaning: 'explain the command',
  words: [],
  isPath: false,
};

/**
 * A row of the table of options: `  -n, --namespace NAME  what it is`. An option with a value that may be left
 * out, `--inspect[=PORT]`, is completed as a switch.
 */
const ROW = /^ {2}(?:(-\w), )?(--[a-z][a-z0-9-]*)(?:\[=\w+\])?(?: (\S+))? {2,}(.*)$/;

/** Names that the usage and the rows give to a path. */
const PATH = /^(?:MODULE|FILE|PATH|DIR|FOLDER)$/;

/**
 * Reads the help of a command, which is the one description of its options. Options are the rows below
 * `Options:`. A value is a path when its name says so, and one of a few words when it is written `args|patch|A,B`:
 * parts in capitals stand for other text. An option may have a row for each of its words.
 */
export function describedCommand({ name, summary, help }: Omit<Command, 'run'>): DescribedCommand {
  const [, table = ''] = /^Options:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
  const options = new Map<string, DescribedOption>();
  for (const line of table.split('\n')) {
    const [, short, long, argument, meaning = ''] = ROW.exec(line) ?? [];
    if (long === undefined) continue;
    const { words, isPath } = valueNamed(argument);
    const before = options.get(long) ?? { short, long, argument, meaning, isPath, words: [] };
    options.set(long, { ...before, words: [...before.words, ...words] });
  }
  const usages = help.matchAll(new RegExp(`^(?:Usage:| {6}) chancery ${name}(.*)$`, 'gm'));
  const [usage = [], ...furtherUsages] = [...usages].map(([, text = '']) => positionals(text));
  const [first, second = first?.endsWith('...') ? first : undefined] = usage;
  return {
    name,
    summary,
    options: [...options.values(), HELP],
    first: withWords(
      valueNamed(first),
      furtherUsages.flatMap(([each]) => valueNamed(each).words),
    ),
    others: valueNamed(second),
  };
}

/** The words of a usage line that are no options and no values of options. */
function positionals(usage: string): readonly string[] {
  return usage
    .replaceAll(/\[-[^\]]*\]?\]/g, '')
    .replaceAll(/[[\]]/g, '')
    .split(/\s+/)
    .filter((word) => word !== '' && !word.startsWith('OPTION') && !word.startsWith('-'));
}

/** A value of which the first usage names some words: further usages name the others. */
function withWords(value: DescribedValue, words: readonly string[]): DescribedValue {
  return value.words.length === 0
    ? value
    : { ...value, words: [...new Set([...value.words, ...words])] };
}

function valueNamed(name: string | undefined): DescribedValue {
  const plain = name?.replace(/\.\.\.$/, '') ?? '';
  const words = plain.split('|').filter((word) => /^[a-z0-9][a-z0-9.-]*$/.test(word));
  return { words, isPath: PATH.test(plain) };
}
