import { nearMatches } from '../client/near-match.ts';
import {
  ConfigurationError,
  LeadershipLostError,
  OperatorError,
  UnsafeSetupError,
} from '../core/errors.ts';
import { VERSION } from '../core/version.ts';
import { APISERVER_DESCRIPTION } from './apiserver/help.ts';
import { CHECK_DESCRIPTION } from './check/help.ts';
import type { Command, ExitCode, Io } from './command.ts';
import { COMPLETION_DESCRIPTION } from './completion/help.ts';
import { CREATE_DESCRIPTION } from './create/help.ts';
import { describeError } from './describe-error.ts';
import { DEV_DESCRIPTION } from './dev/help.ts';
import { GENERATE_DESCRIPTION } from './generate/help.ts';
import { EXIT_WITH_PARENT, overview } from './help.ts';
import { HOOKS_DESCRIPTION } from './hooks/help.ts';
import { INIT_DESCRIPTION } from './init/help.ts';
import { LINT_DESCRIPTION } from './lint/help.ts';
import { loadPackage } from './load-package.ts';
import { METACONTROLLER_DESCRIPTION } from './metacontroller/help.ts';
import { PLUGIN_DESCRIPTION } from './plugin/help.ts';
import { PROXY_DESCRIPTION } from './proxy/help.ts';
import { RUN_DESCRIPTION } from './run/help.ts';
import { TEST_HOOK_DESCRIPTION } from './test-hook/help.ts';
import { WATCH_DESCRIPTION } from './watch/help.ts';

/** Runs the command that `args` name. Rejects only because of a bug. */
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
    if (!asksForHelp(rest)) return await runWithin(command, withoutParent(command, rest, io), io);
    io.stdout.write((await command.helpOf?.(rest, io)) ?? command.help);
    return 0;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    io.stderr.write(`chancery ${word}: ${describeError(error)}\n`);
    if (error instanceof LeadershipLostError || error instanceof UnsafeSetupError) return 3;
    return error instanceof ConfigurationError ? 2 : 1;
  }
}

/**
 * How long a command may read its files, standard input and modules: until it asks for the signal to stop by, or ends.
 * The largest file that is read has 64 MiB, and takes about a minute as YAML.
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
  const options = args.slice(0, endOfOptions(args));
  return options.includes('--help') || options.includes('-h');
}

/** Does what `--exit-with-parent` says, and returns the arguments without it. */
function withoutParent({ isLasting }: Command, args: readonly string[], io: Io): readonly string[] {
  const [option] = EXIT_WITH_PARENT;
  const end = endOfOptions(args);
  if (!isLasting || !args.slice(0, end).includes(option)) return args;
  io.exitWithParent();
  return args.filter((word, at) => word !== option || at >= end);
}

/** Everything after `--` is an argument, never an option. */
function endOfOptions(args: readonly string[]): number {
  const end = args.indexOf('--');
  return end < 0 ? args.length : end;
}

/**
 * All commands. The module of a command is imported when the command runs: the HTTP client alone is a third
 * of the start time of a command that does not use it.
 */
export const COMMANDS: readonly Command[] = [
  {
    ...INIT_DESCRIPTION,
    run: async (args, io) => (await import('./init/init.ts')).initCommand().run(args, io),
  },
  {
    ...CREATE_DESCRIPTION,
    run: async (args, io) => (await import('./create/create.ts')).createCommand().run(args, io),
  },
  {
    ...DEV_DESCRIPTION,
    run: async (args, io) => (await import('./dev/dev.ts')).devCommand().run(args, io),
  },
  {
    ...RUN_DESCRIPTION,
    run: async (args, io) => (await import('./run/run.ts')).runCommand().run(args, io),
    helpOf: async (args, io) => (await import('./run/run.ts')).runCommand().helpOf(args, io),
  },
  {
    ...HOOKS_DESCRIPTION,
    run: async (args, io) =>
      (await loadPackage('@chancery/hooks/command', 'hooks')).hooksCommand().run(args, io),
  },
  {
    ...METACONTROLLER_DESCRIPTION,
    run: async (args, io) =>
      (await loadPackage('@chancery/metacontroller/command', 'metacontroller'))
        .metacontrollerCommand()
        .run(args, io),
  },
  {
    ...TEST_HOOK_DESCRIPTION,
    run: async (args, io) =>
      (await import('./test-hook/test-hook.ts')).testHookCommand().run(args, io),
  },
  {
    ...WATCH_DESCRIPTION,
    run: async (args, io) => (await import('./watch/watch.ts')).watchCommand().run(args, io),
  },
  {
    ...CHECK_DESCRIPTION,
    run: async (args, io) => (await import('./check/check.ts')).checkCommand().run(args, io),
  },
  {
    ...GENERATE_DESCRIPTION,
    run: async (args, io) =>
      (await import('./generate/generate.ts')).generateCommand().run(args, io),
  },
  {
    ...LINT_DESCRIPTION,
    run: async (args, io) => (await import('./lint/lint.ts')).lintCommand().run(args, io),
  },
  {
    ...PROXY_DESCRIPTION,
    run: async (args, io) => (await import('./proxy/proxy.ts')).proxyCommand().run(args, io),
  },
  {
    ...APISERVER_DESCRIPTION,
    run: async (args, io) =>
      (await import('./apiserver/apiserver.ts')).apiserverCommand().run(args, io),
  },
  {
    ...PLUGIN_DESCRIPTION,
    run: async (args, io) =>
      (await loadPackage('@chancery/packaging/command', 'plugin')).pluginCommand().run(args, io),
  },
  {
    ...COMPLETION_DESCRIPTION,
    run: async (args, io) =>
      (await import('./completion/completion.ts')).completionCommand(COMMANDS).run(args, io),
  },
];
