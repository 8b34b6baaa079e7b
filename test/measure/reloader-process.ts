/** The reloader example as a process, behind `kubectl proxy` and in front of `reloader-server.ts`. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type AmbassadorFilter,
  findKubectl,
  KubectlProxy,
  StandInAmbassador,
} from '@chancery/testing';
import { proxyFilter, rbac } from 'chancery/low-level';
import reloader from '../../examples/reloader/operator.ts';
import type { Serving } from './reloader-server.ts';

/** The operator's home, and its ServiceAccount. */
export const HOME = 'reloader';

/** With `--built` the toolkit is what `npm run build` has made, and the example is one file, as in its image. */
export const IS_BUILT: boolean = process.argv.includes('--built');
const ROOT = new URL('../../', import.meta.url);
const pathOf = (file: string): string => fileURLToPath(new URL(file, ROOT));
const COMMAND = pathOf(IS_BUILT ? 'dist/operator/cli/main.js' : 'operator/cli/main.ts');
const ARGS = ['--auto-reload-all'];
const SOURCE = 'examples/reloader/operator.ts';
const DOCKERFILE = readFileSync(pathOf('examples/reloader/Dockerfile'), 'utf8');
/** Of Node, in the entry point of the image. */
const NODE_FLAGS = (JSON.parse(/^ENTRYPOINT (.+)$/m.exec(DOCKERFILE)?.[1] ?? '[]') as string[])
  .slice(1)
  .filter((word) => word.startsWith('--'));
const POLL_MS = 100;

/** Where the parts of a measurement are. */
export interface Surroundings {
  /** Of the API server, for its administrator. */
  readonly url: string;
  readonly proxyUrl: string;
  /** What stands for the ambassador. */
  readonly proxyName: string;
  /** For `startOperator`. */
  readonly module: string;
}

/** @param sizes - arguments of `reloader-server.ts`. */
export async function withReloaderServer(
  sizes: readonly number[],
  work: (surroundings: Surroundings) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-measure-reloader-'));
  const module = IS_BUILT ? bundled(folder) : pathOf(SOURCE);
  const { controllers = [] } = await reloader.create({ args: ARGS, environment: {} });
  const server = fork(pathOf('test/measure/reloader-server.ts'), sizes.map(String));
  try {
    const [{ url, userUrl }] = (await once(server, 'message')) as [Serving];
    const placement = { namespaces: undefined };
    const serviceAccount = { name: HOME, namespace: HOME };
    server.send(rbac(controllers, { ...placement, name: HOME, serviceAccount }));
    await once(server, 'message');
    const proxy = await startProxy(userUrl, proxyFilter(controllers, placement));
    try {
      await work({ url, proxyUrl: proxy.url, proxyName: proxy.name, module });
    } finally {
      await proxy.kill();
    }
  } finally {
    server.disconnect();
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

/** The example in one file, by the command of the Dockerfile. */
function bundled(target: string): string {
  const [, words = ''] = /^RUN \S+\/rolldown (.+) --file \S+$/m.exec(DOCKERFILE) ?? [];
  const file = join(target, 'operator.mjs');
  const args = [pathOf('node_modules/.bin/rolldown'), ...words.split(' '), '--file', file];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  return file;
}

/** @param flags - more flags of Node. With an IPC channel, for what they load. */
export function startOperator(
  { module }: Pick<Surroundings, 'module'>,
  apiUrl: string,
  healthPort: number,
  flags: readonly string[] = [],
): ChildProcess {
  const words = [...NODE_FLAGS, ...flags, COMMAND, 'run', module, '--', ...ARGS];
  return spawn(process.execPath, words, {
    stdio: ['ignore', 'ignore', 'inherit', ...(flags.length > 0 ? (['ipc'] as const) : [])],
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      CHANCERY_API_URL: apiUrl,
      CHANCERY_HEALTH_PORT: String(healthPort),
      CHANCERY_METRICS_PORT: String(0),
      CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
      CHANCERY_LOG_LEVEL: 'error',
      POD_NAMESPACE: HOME,
      POD_NAME: 'reloader-0',
      WATCH_NAMESPACE: '*',
    },
  });
}

/** Asks until the answer is true. What fails while the operator starts is asked again. */
export async function answered(operator: ChildProcess, ask: () => Promise<boolean>): Promise<void> {
  while (!(await ask().catch(() => false))) {
    if (operator.exitCode !== null)
      throw new Error(`chancery run has ended with ${operator.exitCode}`);
    await after(POLL_MS);
  }
}

/** Ends what `startOperator` has started. */
export async function stopOperator(operator: ChildProcess): Promise<void> {
  if (operator.exitCode !== null) return;
  const ended = once(operator, 'exit');
  operator.kill();
  await ended;
}

async function startProxy(
  server: string,
  filter: AmbassadorFilter,
): Promise<{ readonly url: string; readonly name: string; kill(): Promise<void> }> {
  const kubectl = findKubectl(process.env);
  const proxy =
    kubectl === undefined
      ? new StandInAmbassador({ server, filter })
      : new KubectlProxy({ kubectl, server, filter });
  await proxy.start();
  return {
    name: kubectl === undefined ? 'the stand-in for kubectl proxy' : 'kubectl proxy',
    url: proxy.url,
    kill: () => proxy.kill(),
  };
}
