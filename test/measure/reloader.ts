/**
 * What the reloader example costs in a cluster with many Secrets, few of which any workload uses: 5,000 of
 * 10 KiB, 200 of them used by 500 Deployments. The operator runs behind the generated filter and under the
 * generated rights, and is started twice: the second start finds everything recorded. Bytes are counted on a
 * line between the operator and `kubectl proxy`, without heads.
 * `npm run measure:reloader` starts the sources. With `-- --built` the toolkit is what `npm run build` has made,
 * and the example is one file, as in its image; then a figure over its budget is a failure. Linux only. See
 * docs/performance.md.
 */
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
  freePort,
  KubectlProxy,
  StandInAmbassador,
} from '@chancery/testing';
import { proxyFilter, rbac } from 'chancery';
import reloader from '../../examples/reloader/operator.ts';
import {
  allowedBytes,
  CountingLine,
  metadataListBytes,
} from '../../examples/reloader/test/support/counting-line.ts';
import type { ProcessStatus } from '../../operator/manager/status-page/process-status.ts';
import { machineLoad, peakMB } from './figures.ts';
import type { Serving } from './reloader-server.ts';

const SECRETS = 5_000;
const REFERENCED = 200;
const WORKLOADS = 500;
const SECRET_BYTES = 10 * 1024;

const MOST_MB = 150;
const MOST_SECONDS = 60;

const IS_BUILT = process.argv.includes('--built');
const ROOT = new URL('../../', import.meta.url);
const pathOf = (file: string): string => fileURLToPath(new URL(file, ROOT));
const COMMAND = pathOf(IS_BUILT ? 'dist/operator/cli/main.js' : 'operator/cli/main.ts');
const SOURCE = 'examples/reloader/operator.ts';
const DOCKERFILE = readFileSync(pathOf('examples/reloader/Dockerfile'), 'utf8');
/** Of Node, in the entry point of the image. */
const NODE_FLAGS = (JSON.parse(/^ENTRYPOINT (.+)$/m.exec(DOCKERFILE)?.[1] ?? '[]') as string[])
  .slice(1)
  .filter((word) => word.startsWith('--'));
const ARGS = ['--auto-reload-all'];
const HOME = 'reloader';
const POLL_MS = 100;
/** Longer than the debounce of 2 s, after which the operator goes on. */
const QUIET_MS = 4_000;

interface Figures {
  readonly peakMB: number;
  readonly readySeconds: number;
  /** Until nothing was left to do. */
  readonly idleSeconds: number;
  readonly secretBytes: number;
  readonly secretReads: number;
  /** Of workloads. */
  readonly patches: number;
}

const folder = mkdtempSync(join(tmpdir(), 'chancery-measure-reloader-'));
const MODULE = IS_BUILT ? bundled(folder) : pathOf(SOURCE);
const { controllers = [] } = await reloader.create({ args: ARGS, environment: {} });
const server = fork(
  fileURLToPath(new URL('reloader-server.ts', import.meta.url)),
  [SECRETS, REFERENCED, WORKLOADS, SECRET_BYTES].map(String),
);
try {
  const [{ url, userUrl }] = (await once(server, 'message')) as [Serving];
  const name = HOME;
  const placement = { namespaces: undefined };
  const serviceAccount = { name, namespace: HOME };
  server.send(rbac(controllers, { ...placement, name, serviceAccount }));
  await once(server, 'message');
  const proxy = await startProxy(userUrl, proxyFilter(controllers, placement));
  try {
    const listBytes = await metadataListBytes(`${url}/api/v1/secrets`);
    const payloadBytes = REFERENCED * Buffer.alloc(SECRET_BYTES).toString('base64').length;
    const budget = allowedBytes({ payloadBytes, listBytes });
    process.stdout.write(
      `Node ${process.version}, ${IS_BUILT ? 'built' : 'sources'}, behind ${proxy.name}; load ${machineLoad()}\n` +
        `${SECRETS} Secrets of ${SECRET_BYTES} bytes, ${REFERENCED} of them used by ${WORKLOADS} Deployments\n` +
        `payload that is used, as base64: ${payloadBytes} bytes; one list of metadata: ${listBytes} bytes\n`,
    );
    for (const start of ['first start', 'second start'])
      report(start, await measure(proxy.url), budget);
    process.stdout.write(`load ${machineLoad()}\n`);
  } finally {
    await proxy.kill();
  }
} finally {
  server.disconnect();
  server.kill();
  rmSync(folder, { recursive: true });
}

/** The example in one file, by the command of the Dockerfile. */
function bundled(target: string): string {
  const [, words = ''] = /^RUN \S+\/rolldown (.+) --file \S+$/m.exec(DOCKERFILE) ?? [];
  const file = join(target, 'operator.mjs');
  const args = [pathOf('node_modules/.bin/rolldown'), ...words.split(' '), '--file', file];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  return file;
}

function report(start: string, figures: Figures, budget: number): void {
  const rows: readonly (readonly [string, number, number?])[] = [
    ['peak resident memory, MB', figures.peakMB, MOST_MB],
    ['seconds until /readyz is 200', figures.readySeconds, MOST_SECONDS],
    ['seconds until nothing is left to do', figures.idleSeconds],
    ['bytes of Secret responses', figures.secretBytes, budget],
    ['reads of single Secrets', figures.secretReads],
    ['patches of workloads', figures.patches],
  ];
  process.stdout.write(`${start}\n`);
  for (const [title, figure, most] of rows) {
    const isOver = most !== undefined && figure > most;
    if (isOver && IS_BUILT) process.exitCode = 1;
    const bound = most === undefined ? '' : `, at most ${most}${isOver ? ': EXCEEDED' : ''}`;
    process.stdout.write(`  ${title.padEnd(40)} ${Math.round(figure * 10) / 10}${bound}\n`);
  }
}

async function measure(proxyUrl: string): Promise<Figures> {
  const line = new CountingLine(proxyUrl);
  await line.start();
  const healthPort = await freePort();
  const startedAt = performance.now();
  const operator = startOperator(line.url, healthPort);
  try {
    await answered(operator, async () => {
      const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`);
      return answer.ok;
    });
    const readySeconds = (performance.now() - startedAt) / 1_000;
    await idle(operator, healthPort, line);
    const idleSeconds = (performance.now() - startedAt) / 1_000;
    const secrets = line.secrets();
    return {
      peakMB: peakMB(operator),
      readySeconds,
      idleSeconds,
      secretBytes: secrets.reduce((sum, { bytes }) => sum + bytes, 0),
      secretReads: secrets.filter(({ path }) => /\/secrets\/[^/]+$/.test(path)).length,
      patches: line.passed.filter(
        ({ method, path }) => method === 'PATCH' && path.includes('/apis/apps/'),
      ).length,
    };
  } finally {
    const ended = once(operator, 'exit');
    if (operator.exitCode === null) {
      operator.kill();
      await ended;
    }
    await line.close();
  }
}

function startOperator(apiUrl: string, healthPort: number): ChildProcess {
  return spawn(process.execPath, [...NODE_FLAGS, COMMAND, 'run', MODULE, '--', ...ARGS], {
    stdio: ['ignore', 'ignore', 'inherit'],
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
async function answered(operator: ChildProcess, ask: () => Promise<boolean>): Promise<void> {
  while (!(await ask().catch(() => false))) {
    if (operator.exitCode !== null)
      throw new Error(`chancery run has ended with ${operator.exitCode}`);
    await after(POLL_MS);
  }
}

/** Nothing is under way or queued, and nothing was asked for a while. */
async function idle(operator: ChildProcess, healthPort: number, line: CountingLine): Promise<void> {
  let quietSince = performance.now();
  let seen = 0;
  await answered(operator, async () => {
    const answer = await fetch(`http://127.0.0.1:${healthPort}/status.json`);
    const { controllers: all } = (await answer.json()) as ProcessStatus;
    const isBusy = all.some(({ busy, ready }) => busy > 0 || ready.length > 0);
    if (isBusy || line.passed.length !== seen) quietSince = performance.now();
    seen = line.passed.length;
    return performance.now() - quietSince > QUIET_MS;
  });
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
