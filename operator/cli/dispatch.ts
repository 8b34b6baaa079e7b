import { OperatorError } from '../core/errors.ts';
import { nearMatches } from '../core/text/near-match.ts';
import { VERSION } from '../core/version.ts';
import { APISERVER } from './apiserver/table.ts';
import { CERTIFICATES } from './certificates/table.ts';
import { CHECK } from './check/table.ts';
import type { Command, ExitCode, Io } from './command.ts';
import { COMPLETION } from './completion/table.ts';
import { CREATE } from './create/table.ts';
import { describeError } from './describe-error.ts';
import { DEV } from './dev/table.ts';
import { exitCodeOf } from './exit-code.ts';
import { splitAtDashes } from './flags.ts';
import { GENERATE } from './generate/table.ts';
import { overview } from './help.ts';
import { HOOKS } from './hooks/table.ts';
import { INIT } from './init/table.ts';
import { LINT } from './lint/table.ts';
import { loadPackage } from './loading/load-package.ts';
import { METACONTROLLER } from './metacontroller/table.ts';
import { MIGRATE } from './migrate/table.ts';
import { PLUGIN } from './plugin/table.ts';
import { PROXY } from './proxy/table.ts';
import { RECORD } from './record/table.ts';
import { REPLAY } from './replay/table.ts';
import { RUN } from './run/table.ts';
import { STATUS } from './status/table.ts';
import { command, type TableCommand } from './table-command.ts';
import { TEST_HOOK } from './test-hook/table.ts';
import { UPGRADE } from './upgrade/table.ts';
import { WATCH } from './watch/table.ts';
import { WHY } from './why/table.ts';

/** Runs the command at the beginning of `args`. Rejects only because of a bug. */
export async function dispatch(
  commands: readonly Command[],
  args: readonly string[],
  io: Io,
): Promise<ExitCode> {
  const [word, ...rest] = args;
  switch (word) {
    case undefined:
      io.stderr.write(overview(commands));
      return 2;
    case '--version':
    case '-v':
    case 'version':
      io.stdout.write(`${VERSION}\n`);
      return 0;
    case 'help':
    case '--help':
    case '-h':
      return help(commands, rest[0], io);
  }
  const command = commands.find(({ name }) => name === word);
  if (command === undefined) return unknownCommand(commands, word, io);
  try {
    if (!asksForHelp(rest)) return await runWithin(command, rest, io);
    io.stdout.write((await command.helpOf?.(rest, io)) ?? command.help);
    return 0;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    io.stderr.write(`chancery ${word}: ${describeError(error)}\n`);
    return exitCodeOf(error);
  }
}

/**
 * Time limit for reading files, standard input and modules. It no longer applies when the command
 * has read `signal` or has ended. The largest file that a command accepts has 64 MiB. Parsing such
 * a file as YAML takes about a minute.
 */
const READING_LIMIT_MS = 300_000;

async function runWithin(command: Command, args: readonly string[], io: Io): Promise<ExitCode> {
  const { stdin, stdout, stderr, env, exitWithin, saveMemory } = io;
  const read = new AbortController();
  const says =
    `chancery ${command.name}: what it was given was not read within ${READING_LIMIT_MS / 1_000} s; ` +
    'give it less at once\n';
  io.exitWithin(READING_LIMIT_MS, 1, read.signal, says);
  try {
    return await command.run(args, {
      ...{ stdin, stdout, stderr, env, exitWithin, saveMemory },
      exitWithParent: () => io.exitWithParent(),
      get signal() {
        read.abort();
        return io.signal;
      },
    });
  } finally {
    read.abort();
  }
}

function help(commands: readonly Command[], word: string | undefined, io: Io): ExitCode {
  if (word === undefined) {
    io.stdout.write(overview(commands));
    return 0;
  }
  const command = commands.find(({ name }) => name === word);
  if (command === undefined) return unknownCommand(commands, word, io);
  io.stdout.write(command.help);
  return 0;
}

function unknownCommand(commands: readonly Command[], word: string, { stderr }: Io): ExitCode {
  const names = commands.map(({ name }) => name);
  const near = nearMatches(word, names);
  const hint =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `known: ${names.join(', ')}`;
  stderr.write(`chancery: unknown command ${JSON.stringify(word)}; ${hint}\n`);
  return 2;
}

function asksForHelp(args: readonly string[]): boolean {
  const { own } = splitAtDashes(args);
  return own.includes('--help') || own.includes('-h');
}

/** All commands, in the order of `chancery --help`. */
export const COMMANDS: readonly TableCommand[] = [
  command(INIT, async () => (await import('./init/init.ts')).init),
  command(CREATE, async () => (await import('./create/create.ts')).create),
  command(UPGRADE, async () => (await import('./upgrade/upgrade.ts')).upgrade),
  command(DEV, async () => (await import('./dev/dev.ts')).dev),
  command(RUN, async () => (await import('./run/run.ts')).runModules, {
    helpOf: async (args, io) => (await import('./run/run.ts')).runHelp(args, io),
  }),
  command(HOOKS, async () => (await loadPackage('@chancery/hooks/command', 'hooks')).hooks),
  command(METACONTROLLER, async () => {
    const entry = '@chancery/metacontroller/command';
    return (await loadPackage(entry, 'metacontroller')).metacontroller;
  }),
  command(CERTIFICATES, async () => {
    const entry = '@chancery/certificates/command';
    return (await loadPackage(entry, 'certificates')).certificates;
  }),
  command(TEST_HOOK, async () => (await import('./test-hook/test-hook.ts')).runTestHook),
  command(WATCH, async () => (await import('./watch/watch.ts')).runWatch),
  command(STATUS, async () => (await import('./status/status.ts')).status),
  command(WHY, async () => (await import('./why/why.ts')).why),
  command(CHECK, async () => (await import('./check/check.ts')).runCheck),
  command(MIGRATE, async () => (await import('./migrate/migrate.ts')).migrate),
  command(GENERATE, async () => (await import('./generate/generate.ts')).generate),
  command(LINT, async () => (await import('./lint/lint.ts')).lintFiles),
  command(PROXY, async () => (await import('./proxy/proxy.ts')).proxy),
  command(RECORD, async () => (await import('./record/record.ts')).record),
  command(REPLAY, async () => (await import('./replay/replay.ts')).replayRecord),
  command(APISERVER, async () => (await import('./apiserver/apiserver.ts')).serve),
  command(PLUGIN, async () => (await loadPackage('@chancery/packaging/command', 'plugin')).plugin),
  command(COMPLETION, async () => {
    const { completion } = await import('./completion/completion.ts');
    return (given, io) =>
      completion(
        given,
        io,
        COMMANDS.map(({ table }) => table),
      );
  }),
];
