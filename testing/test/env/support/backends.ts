import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { TestBackend } from '../../../src/env/choose-backend.ts';
import { writeAssets } from '../../control-plane/assets.ts';

const MAIN = fileURLToPath(new URL('../../../../operator/cli/main.ts', import.meta.url));

/** The environment variables by which a backend is had on a machine without a cluster. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  close(): Promise<void>;
}

const { PATH, CHANCERY_TEST_AMBASSADOR } = process.env;

export type Backend = readonly [TestBackend, () => Promise<Surroundings>];

export const EMBEDDED: Backend = [
  'embedded',
  async () => ({ environment: { PATH, CHANCERY_TEST_AMBASSADOR }, close: async () => {} }),
];

/** All of them. The last two are reached through a real kubectl. */
export const BACKENDS: readonly Backend[] = [
  EMBEDDED,
  ['kubebuilder', kubebuilder],
  ['existing', startCluster],
];

export async function kubebuilder(): Promise<Surroundings> {
  const folder = writeAssets();
  return {
    environment: { PATH, KUBEBUILDER_ASSETS: folder },
    close: async () => rmSync(folder, { recursive: true }),
  };
}

/** A cluster in a process of its own, as people have one: all that is known of it is a kubeconfig. */
export async function startCluster(): Promise<Surroundings> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-existing-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const args = [MAIN, 'apiserver', '--port=0', '--kubeconfig-out', kubeconfig];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${code}`))),
  ]);
  return {
    environment: { PATH, KUBECONFIG: kubeconfig },
    async close(): Promise<void> {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true });
    },
  };
}

/** What `make` makes, until the test has finished. */
export async function surroundings(
  make: () => Promise<Surroundings>,
): Promise<Surroundings['environment']> {
  const { environment, close } = await make();
  onTestFinished(close);
  return environment;
}
