import { ENVIRONMENT } from '../manager/settings/settings.ts';
import type { Command } from './command.ts';

/** What `chancery --help` prints. */
export function overview(commands: readonly Command[]): string {
  return `Usage: chancery COMMAND [ARGUMENT...]

Operators for Kubernetes that hold no credentials: they speak plain HTTP to a kubectl proxy.

Commands:
${table([...commands.map(({ name, summary }) => [name, summary] as const), HELP])}

Options:
${table([
  ['--help', 'print this, or the help of a command'],
  ['--version', 'print the version'],
])}

Exit codes: 0 done or asked to stop, 1 failed, 2 wrong command line, environment or module, 3 leadership
lost, or refused to start where it is not safe.

SIGTERM and SIGINT end a command at once while it reads files, standard input and modules. It has 300 s for that,
and a file has at most 64 MiB.
`;
}

const HELP = ['help', 'explain a command'] as const;

/** A row of the options of each command that works until it is asked to stop. */
export const EXIT_WITH_PARENT = [
  '--exit-with-parent',
  'stop also when the process that has started this command ends',
] as const;

/**
 * The help text for the environment variables of a command.
 *
 * @param narrower - meanings of variables of which the command does not take every value.
 */
export function environmentHelp(
  names?: readonly string[],
  narrower: Readonly<Record<string, string>> = {},
): string {
  const rows = ENVIRONMENT.filter(([name]) => names === undefined || names.includes(name));
  return `Environment:\n${table(rows.map(([name, meaning]) => [name, narrower[name] ?? meaning]))}`;
}

/** Two columns, indented. */
export function table(rows: readonly (readonly [term: string, meaning: string])[]): string {
  const width = Math.max(...rows.map(([term]) => term.length));
  return rows.map(([term, meaning]) => `  ${term.padEnd(width)}  ${meaning}`).join('\n');
}

/** Terminals are often 100 columns wide. */
const COLUMNS = 100;
/** The second column is no narrower: with long terms the lines are longer instead. */
const MIN_MEANING = 40;

/** As `table`, for meanings that others have written: they go on in the second column of the next line. */
export function wrappedTable(rows: readonly (readonly [term: string, meaning: string])[]): string {
  const indent = Math.max(...rows.map(([term]) => term.length)) + 4;
  const width = Math.max(COLUMNS - indent, MIN_MEANING);
  return table(
    rows.map(([term, meaning]) => [term, wrapped(meaning, width).join(`\n${' '.repeat(indent)}`)]),
  );
}

/** Lines of at most `width` characters. A longer word has a line of its own. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
