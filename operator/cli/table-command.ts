import type { Command, ExitCode, Io } from './command.ts';
import { type CommandTable, EXIT_WITH_PARENT, type Given, type Options } from './command-table.ts';
import { parseFlags, splitAtDashes } from './flags.ts';
import { helpText } from './help.ts';

/** The function of a command, which gets the parsed command line. */
export type Run<O extends Options, K extends string> = (
  given: Given<O, K>,
  io: Io,
) => Promise<ExitCode>;

/** The type `Run` with the options and kinds of the table type `T`. */
export type RunOf<T> = T extends CommandTable<infer O, infer K> ? Run<O, K> : never;

/** A command whose command line is described by a table. */
export interface TableCommand extends Command {
  readonly table: CommandTable;
}

/**
 * The command of a table.
 *
 * @param load - imports the function of the command. It is called after the command line is parsed,
 * because imports take time: the HTTP client alone is a third of the start time of a command that
 * does not use it.
 */
export function command<O extends Options, K extends string>(
  table: CommandTable<O, K>,
  load: () => Promise<Run<O, K>>,
  more: Pick<Command, 'helpOf'> = {},
): TableCommand {
  const { name, summary } = table;
  return {
    ...{ table, name, summary, ...more },
    get help() {
      return helpText(table);
    },
    async run(args: readonly string[], io: Io): Promise<ExitCode> {
      if (args.length === 0 && table.needsWords === true) {
        io.stderr.write(helpText(table));
        return 2;
      }
      const { own } = splitAtDashes(args);
      if (table.isLasting && own.includes(`--${EXIT_WITH_PARENT}`)) io.exitWithParent();
      const given = parseFlags(args, table, io.env);
      return (await load())(given, io);
    },
  };
}
