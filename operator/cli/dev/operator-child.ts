import { Socket } from 'node:net';
import process from 'node:process';
import type { Duplex } from 'node:stream';
import { ConfigurationError } from '../../core/errors.ts';
import { settingsFrom } from '../../manager/settings/settings.ts';
import type { ExitCode, Io } from '../command.ts';
import { parseFlags } from '../flags.ts';
import { loadModules, merged } from '../loading/load-modules.ts';
import { LoadedFiles } from '../loading/loaded-files.ts';
import { resolveToolkit } from '../loading/toolkit-hooks.ts';
import { runModules } from '../run/run.ts';
import { RUN } from '../run/table.ts';
import { type DevPlace, declarationsOf } from './declarations.ts';
import { withFirstReconciles } from './first-reconciles.ts';
import { onMessage, sendMessage, type ToOperator } from './messages.ts';

/**
 * The file descriptor of the channel through which `GuardedChild` connects this process to the
 * process that has started it.
 */
const CHANNEL_FILE = 3;

/**
 * The operator's process of `chancery dev`. It loads the modules, reports their declarations to
 * `chancery dev`, and runs them when it gets the message `go`. So one process both declares and
 * runs, and is started once per save.
 */
export async function runOperator(
  modules: readonly string[],
  args: readonly string[],
  place: DevPlace,
  io: Io,
): Promise<ExitCode> {
  const channel = new Socket({ fd: CHANNEL_FILE });
  channel.on('error', () => {}); // the other end is gone, and our guard ends this process
  const go = nextGo(channel);
  // Each file is reported at once, because a module may end this process while it loads.
  const files = new LoadedFiles();
  files.notice((path, sha256) =>
    sendMessage(channel, { kind: 'files', files: { [path]: sha256 } }),
  );
  try {
    resolveToolkit();
    const loaded = await loadModules(modules, { args, environment: io.env });
    const { controllers, webhooks, settings } = merged(loaded, modules);
    const { webhookListen: listen } = settingsFrom(io.env);
    const declarations = declarationsOf(controllers, place, { webhooks, listen }, settings);
    const { pid } = process;
    sendMessage(channel, {
      kind: 'loaded',
      pid,
      files: Object.fromEntries(files.hashes),
      declarations,
    });
  } catch (error) {
    sendMessage(channel, { kind: 'failed', files: Object.fromEntries(files.hashes) });
    throw withPlace(error);
  }
  const environment = await Promise.race([go, aborted(io.signal)]);
  if (environment === undefined) return 0;
  channel.unref();
  Object.assign(process.env, environment); // the operator's own code may read it
  const surroundings = { ...io, env: { ...io.env, ...environment } };
  const parsed = parseFlags([...modules, '--', ...args], RUN);
  return runModules(parsed, surroundings, { wrapLogger: withFirstReconciles });
}

function nextGo(channel: Duplex): Promise<ToOperator['environment']> {
  return new Promise((resolve) => {
    onMessage<ToOperator>(channel, ({ environment }) => resolve(environment));
  });
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    if (signal.aborted) resolve(undefined);
  });
}

/**
 * Adds the line of the operator's code at which the error was thrown, unless the message already
 * contains a line.
 */
function withPlace(error: unknown): unknown {
  if (!(error instanceof ConfigurationError) || !(error.cause instanceof Error)) return error;
  const frames = error.cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  const places = frames.flatMap(
    (line) => /(?:file:\/\/)?(\/[^\s()]+:[0-9]+):[0-9]+\)?$/.exec(line)?.[1] ?? [],
  );
  const [place] = places.filter((each) => !each.includes('/node_modules/'));
  if (place === undefined || / at \/\S+:[0-9]+$/.test(error.message)) return error;
  return new ConfigurationError(`${error.message} at ${place}`, { cause: error.cause });
}
