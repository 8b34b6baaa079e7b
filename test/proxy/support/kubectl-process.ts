import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { realKubectl } from './ambassador.ts';

export interface KubectlProcess {
  /** What it says that it serves on: `127.0.0.1:PORT`, or the path of a socket. */
  readonly serves: string;
  readonly process: ChildProcess;
}

const env = { HOME: '/nonexistent', KUBECONFIG: '/dev/null', KUBERC: 'off', NO_PROXY: '*' };

/**
 * `kubectl proxy` with flags of the test's choice. Killed when the test ends.
 *
 * @throws Error with its exit code and its own words when it does not serve.
 */
export async function startKubectl(...flags: readonly string[]): Promise<KubectlProcess> {
  const child = spawn(realKubectl(), ['proxy', ...flags], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const words: string[] = [];
  child.stderr.on('data', (chunk) => words.push(String(chunk)));
  onTestFinished(() => end(child, 'SIGKILL'));
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'close').then(([code]) =>
      Promise.reject(new Error(`kubectl ended with ${code}: ${words.join('')}`)),
    ),
  ])) as [string];
  return { serves: line.replace('Starting to serve on ', ''), process: child };
}

/** Sends a signal and resolves when the process is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
