import { Readable, type Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Command, ExitCode } from '../../operator/cli/command.ts';
import { COMMANDS, dispatch } from '../../operator/cli/dispatch.ts';
import { Collector } from './collector.ts';

/** A command line that runs in this process. */
export interface Invocation {
  readonly stdout: Collector;
  readonly stderr: Collector;
  readonly exit: Promise<ExitCode>;
  /** What a SIGTERM does. */
  stop(): void;
}

interface InvocationOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly commands?: readonly Command[];
  readonly stdout?: Writable;
  readonly stdin?: string;
  readonly saveMemory?: () => void;
  readonly exitWithParent?: () => void;
}

/** Tests run in Pods as well, which have a token; those of what is done about one say so. */
export const ANYWHERE = { CHANCERY_INSECURE_ALLOW_TOKEN: 'true' } as const;

/** Runs `chancery ARGS`; it is stopped when the test has finished. */
export function invoke(args: readonly string[], options: InvocationOptions = {}): Invocation {
  const { env = {}, commands = COMMANDS, saveMemory = () => {} } = options;
  const stop = new AbortController();
  const collector = new Collector();
  const stderr = new Collector();
  const exit = dispatch(commands, args, {
    stdin: Readable.from(options.stdin === undefined ? [] : [options.stdin]),
    stdout: options.stdout ?? collector,
    stderr,
    env: { ...ANYWHERE, ...env },
    signal: stop.signal,
    // This process is the test's.
    exitWithin: () => {},
    saveMemory,
    exitWithParent: options.exitWithParent ?? (() => {}),
  });
  onTestFinished(async () => {
    stop.abort();
    await exit;
  });
  return { stdout: collector, stderr, exit, stop: () => stop.abort() };
}
