import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { Collector } from './collector.ts';
import { ANYWHERE } from './invocation.ts';

/** The package's bin, as a shell finds it. */
export const BIN: string = fileURLToPath(
  new URL('../../operator/cli/chancery.js', import.meta.url),
);

/** The launcher asks for `node` by name: this puts the Node that runs the tests first. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;

export interface Child {
  /** The leader of a process group of its own. */
  readonly pid: number;
  readonly stdout: Collector;
  readonly stderr: Collector;
  /** Exit code, or the name of the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a program; it is killed when the test has finished. */
export function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Child {
  const child = spawn(program, args, {
    cwd,
    env: {
      PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      CHANCERY_HEALTH_PORT: '0',
      CHANCERY_METRICS_PORT: '0',
      BIN,
      ...ANYWHERE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stdout = child.stdout.pipe(new Collector());
  const stderr = child.stderr.pipe(new Collector());
  const exit = once(child, 'close').then(([code, signal]) => code ?? signal);
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGKILL'); // the whole pipeline, which is a group of its own
    }
    await exit;
  });
  const { pid = 0 } = child;
  return { pid, stdout, stderr, exit, kill: (signal) => child.kill(signal) };
}

/** Starts `chancery ARGS` in a process of its own. */
export function chancery(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Child {
  return start(process.execPath, [BIN, ...args], env);
}

export { freePort } from '@chancery/testing';

/** Files in a new folder far from any `node_modules`; answers the folder. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}
