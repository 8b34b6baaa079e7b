import { ENVIRONMENT } from '../manager/settings/settings.ts';
import type { Command } from './command.ts';
import { type CommandTable, optionsOf } from './command-table.ts';
import { isOther } from './flags.ts';
import { enumerated, type Option, valueName } from './value-types.ts';

/** The text of `chancery --help`. */
export function overview(commands: readonly Command[]): string {
  return `Usage: chancery COMMAND [ARGUMENT...]

Operators for Kubernetes that hold no credentials: they speak plain HTTP to a kubectl proxy.

Commands:
${wrappedTable([...commands.map(({ name, summary }) => [name, summary] as const), HELP])}

Options:
${wrappedTable([
  ['--help', 'print this, or the help of a command'],
  ['--version', 'print the version'],
])}

Exit codes: 0 done or asked to stop, 1 failed, 2 wrong command line, environment or module, 3 leadership
lost, or refused to start where it is not safe, 4 what was asked about is not known.

SIGTERM and SIGINT end a command at once while it reads files, standard input and modules. It has 300 s for that,
and a file has at most 64 MiB.
`;
}

const USAGE = 'Usage: ';

const HELP = ['help', 'explain a command'] as const;

/** The text of `chancery COMMAND --help`. */
export function helpText(table: CommandTable): string {
  const { description, kinds = {}, environment, notes, exitCodes, examples } = table;
  const [first = '', ...others] = usageLines(table);
  const words = Object.entries(kinds).filter(([kind]) => !isOther(kind));
  const sections = [
    [first, ...others]
      .map((line, at) => `${at === 0 ? USAGE : ' '.repeat(USAGE.length)}${wrappedUsage(line)}`)
      .join('\n'),
    description && wrappedProse(description),
    words.length > 0 ? wrappedTable(words) : undefined,
    ...optionGroups(table).map(
      ({ title, options }) => `${title}:\n${wrappedTable(options.map(row))}`,
    ),
    environment && `Environment:\n${wrappedTable(environmentRows(environment))}`,
    notes && wrappedProse(notes),
    `Exit codes:\n${wrappedTable(Object.entries(exitCodes))}`,
    examples && `Examples:\n\n${examples}`,
  ];
  return `${sections.filter((section) => section).join('\n\n')}\n`;
}

/** The lines of the usage, starting with `chancery`. */
export function usageLines({
  name,
  usage,
  arguments: words = [],
  options,
}: CommandTable): readonly string[] {
  const named = words.map((word) => (word.repeats === true ? `${word.name}...` : word.name));
  const own = [...named, ...(Object.keys(options).length > 0 ? ['[OPTION...]'] : [])].join(' ');
  return (usage ?? [own]).map((line) => `chancery ${name} ${line}`.trimEnd());
}

/** Options that are printed under one title. */
export interface OptionGroup {
  readonly title: string;
  readonly options: readonly (readonly [name: string, option: Option])[];
}

/**
 * The options in groups: first the options for all kinds of work, then the options for only some
 * kinds, with one group for each combination of kinds.
 */
export function optionGroups(table: CommandTable): readonly OptionGroup[] {
  const shown = Object.entries(optionsOf(table)).filter(([, { hidden }]) => hidden !== true);
  const groups = new Map<string, OptionGroup['options'][number][]>([['Options', []]]);
  for (const each of shown) {
    const title = groupTitle(each[1]);
    groups.set(title, [...(groups.get(title) ?? []), each]);
  }
  return [...groups]
    .filter(([, options]) => options.length > 0)
    .map(([title, options]) => ({ title, options }));
}

function groupTitle({ for: takers }: Option): string {
  return takers === undefined ? 'Options' : `Options of ${enumerated(takers, 'and')}`;
}

function row([name, option]: OptionGroup['options'][number]): readonly [string, string] {
  return [optionTitle(name, option), optionMeaning(option)];
}

/** The title of an option: `-n, --namespace NAME`. */
export function optionTitle(name: string, option: Option): string {
  const value = valueName(option);
  const long = `--${name}${value === undefined ? '' : option.implied === undefined ? ` ${value}` : `[=${value}]`}`;
  return option.short === undefined ? long : `-${option.short}, ${long}`;
}

/** The help of an option, with its default and its other properties. */
export function optionMeaning({
  help,
  default: otherwise,
  implied,
  env,
  multiple,
}: Option): string {
  const more = [
    otherwise === undefined ? '' : `; default ${otherwise}`,
    implied === undefined ? '' : `; without a value ${implied}`,
    env === undefined ? '' : `; or by ${env}`,
    multiple === true ? '; repeatable' : '',
  ];
  return `${help}${more.join('')}`;
}

/** The variables of a command with their meanings. */
function environmentRows(
  environment: NonNullable<CommandTable['environment']>,
): readonly (readonly [name: string, meaning: string])[] {
  if (environment === 'all') return ENVIRONMENT;
  return environment.map((each) => {
    if (typeof each !== 'string') return each;
    return ENVIRONMENT.find(([name]) => name === each) ?? [each, ''];
  });
}

/** Maximum line length. Terminals often have 100 columns. */
const COLUMNS = 100;
/**
 * Minimum width of the second column. If the first column is wide, lines become longer than
 * `COLUMNS`.
 */
const MIN_MEANING = 40;

/** Wraps each paragraph to the width of a terminal. An indented paragraph keeps its line breaks. */
function wrappedProse(text: string): string {
  const paragraphs = text.split('\n\n').map((each) => {
    return /^ /m.test(each) ? each : wrapped(each.split(/\s+/), COLUMNS).join('\n');
  });
  return paragraphs.join('\n\n');
}

/** A wrapped line of the usage. Text in brackets stays together. */
function wrappedUsage(line: string): string {
  const words = line.split(/ (?![^[]*\])/);
  return wrapped(words, COLUMNS - USAGE.length - 2).join(`\n${' '.repeat(USAGE.length + 2)}`);
}

/** Text in two indented columns. A long meaning continues in the second column of the next line. */
export function wrappedTable(rows: readonly (readonly [term: string, meaning: string])[]): string {
  const width = Math.max(...rows.map(([term]) => term.length));
  const indent = width + 4;
  const lines = rows.map(([term, meaning]) => {
    const text = wrapped(meaning.split(/\s+/), Math.max(COLUMNS - indent, MIN_MEANING));
    return `  ${term.padEnd(width)}  ${text.join(`\n${' '.repeat(indent)}`)}`;
  });
  return lines.join('\n');
}

/** Lines of at most `width` characters. A longer word gets its own line. */
function wrapped(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
