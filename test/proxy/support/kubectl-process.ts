import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { pathOf } from '../../tools/tools.ts';

export interface KubectlProcess {
  /** What it says that it serves on: `127.0.0.1:PORT`, or the path of a socket. */
  readonly serves: string;
  /** `http://` and that; of no use for a socket. */
  readonly url: string;
  readonly process: ChildProcess;
  /** What it has written to its standard error so far: its log. */
  readonly log: () => string;
  /** The same for its standard output. */
  readonly output: () => string;
  stop(): Promise<void>;
}

/** No configuration, no credentials and no proxies of this machine. */
export const BARE: Readonly<Record<string, string>> = {
  HOME: '/nonexistent',
  KUBECONFIG: '/dev/null',
  KUBERC: 'off',
  NO_PROXY: '*',
  GOGC: process.env.GOGC ?? '',
};

/**
 * `COMMAND ARGUMENTS`, which ends in `kubectl proxy`. Who starts it stops it.
 *
 * @throws Error with its exit code and its own words when it does not serve.
 */
export async function serving(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = BARE,
): Promise<KubectlProcess> {
  const child = spawn(command, [...args], { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const log: string[] = [];
  const output: string[] = [];
  child.stderr.on('data', (chunk) => log.push(String(chunk)));
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  const ended = once(child, 'close').then(([code]) =>
    Promise.reject(new Error(`kubectl ended with ${code}: ${log.join('')}`)),
  );
  ended.catch(() => {}); // it ends one day, and then nobody asks why
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended,
  ])) as [string];
  const serves = line.replace('Starting to serve on ', '');
  return {
    serves,
    url: `http://${serves}`,
    process: child,
    log: () => log.join(''),
    output: () => output.join(''),
    stop: () => end(child, 'SIGKILL'),
  };
}

/** `kubectl proxy` of one version, with flags of the test's choice and on a free port. */
export async function proxyOf(
  { path }: { readonly path: string },
  flags: readonly string[],
  env: Readonly<Record<string, string>> = BARE,
): Promise<KubectlProcess> {
  return serving(path, ['proxy', '--port=0', ...flags], env);
}

/** The newest `kubectl proxy` with flags of the test's choice. Killed when the test ends. */
export async function startKubectl(...flags: readonly string[]): Promise<KubectlProcess> {
  return untilTestEnds(serving(pathOf('kubectl'), ['proxy', ...flags]));
}

/** Stops what a test has started for itself. */
export async function untilTestEnds<T extends { stop(): Promise<void> }>(
  starting: Promise<T>,
): Promise<T> {
  const started = await starting;
  onTestFinished(() => started.stop());
  return started;
}

/** Sends a signal and resolves when the process is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
