import type { Command, ExitCode, Io } from './command.ts';
import { type CommandTable, EXIT_WITH_PARENT, type Given, type Options } from './command-table.ts';
import { parseFlags, splitAtDashes } from './flags.ts';
import { helpText } from './help.ts';

/** The work of a command, with what its command line says. */
export type Run<O extends Options, K extends string> = (
  given: Given<O, K>,
  io: Io,
) => Promise<ExitCode>;

/** As `Run`, for the type of a table. */
export type RunOf<T> = T extends CommandTable<infer O, infer K> ? Run<O, K> : never;

/** A command whose command line a table describes. */
export interface TableCommand extends Command {
  readonly table: CommandTable;
}

/**
 * The command of a table.
 *
 * @param load - imports the work. It is called when the command line has been parsed, since imports cost: the HTTP
 *   client alone is a third of the start time of a command that does not use it.
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
