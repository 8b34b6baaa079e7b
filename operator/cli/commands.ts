import { APISERVER_DESCRIPTION } from './apiserver/help.ts';
import { CHECK_DESCRIPTION } from './check/help.ts';
import type { Command } from './command.ts';
import { GENERATE_DESCRIPTION } from './generate/help.ts';
import { LINT_DESCRIPTION } from './lint/help.ts';
import { RUN_DESCRIPTION } from './run/help.ts';
import { WATCH_DESCRIPTION } from './watch/help.ts';

/**
 * All commands. What one of them needs is read when it is run: the HTTP client alone is a third of
 * the start of a command that does not use it.
 */
export const COMMANDS: readonly Command[] = [
  {
    ...RUN_DESCRIPTION,
    run: async (args, io) => (await import('./run/run.ts')).runCommand().run(args, io),
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
    ...APISERVER_DESCRIPTION,
    run: async (args, io) =>
      (await import('./apiserver/apiserver.ts')).apiserverCommand().run(args, io),
  },
];
