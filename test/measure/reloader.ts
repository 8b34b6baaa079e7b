/**
 * What the reloader example costs in a cluster with many Secrets, few of which any workload uses: 5,000 of
 * 10 KiB, 200 of them used by 500 Deployments. The operator runs behind the generated filter and under the
 * generated rights, and is started twice: the second start finds everything recorded. Bytes are counted on a
 * line between the operator and `kubectl proxy`, without heads.
 * `npm run measure -- reloader` starts the sources. With `--built` the toolkit is what `npm run build` has made,
 * and the example is one file, as in its image; then a figure over its budget is a failure. Linux only. See
 * docs/performance.md.
 */
import type { ChildProcess } from 'node:child_process';
import { freePort } from '@chancery/testing';
import {
  allowedBytes,
  CountingLine,
  metadataListBytes,
} from '../../examples/reloader/test/support/counting-line.ts';
import type { ProcessStatus } from '../../operator/manager/status-page/process-status.ts';
import { machineLoad, peakMB } from './figures.ts';
import {
  answered,
  IS_BUILT,
  type Surroundings,
  startOperator,
  stopOperator,
  withReloaderServer,
} from './reloader-process.ts';

const SECRETS = 5_000;
const REFERENCED = 200;
const WORKLOADS = 500;
const SECRET_BYTES = 10 * 1024;

const MOST_MB = 150;
const MOST_SECONDS = 60;

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

await withReloaderServer([SECRETS, REFERENCED, WORKLOADS, SECRET_BYTES], async (surroundings) => {
  const listBytes = await metadataListBytes(`${surroundings.url}/api/v1/secrets`);
  const payloadBytes = REFERENCED * Buffer.alloc(SECRET_BYTES).toString('base64').length;
  const budget = allowedBytes({ payloadBytes, listBytes });
  process.stdout.write(
    `Node ${process.version}, ${IS_BUILT ? 'built' : 'sources'}, behind ${surroundings.proxyName}; load ${machineLoad()}\n` +
      `${SECRETS} Secrets of ${SECRET_BYTES} bytes, ${REFERENCED} of them used by ${WORKLOADS} Deployments\n` +
      `payload that is used, as base64: ${payloadBytes} bytes; one list of metadata: ${listBytes} bytes\n`,
  );
  for (const start of ['first start', 'second start'])
    report(start, await measure(surroundings), budget);
  process.stdout.write(`load ${machineLoad()}\n`);
});

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

async function measure(surroundings: Surroundings): Promise<Figures> {
  const line = new CountingLine(surroundings.proxyUrl);
  await line.start();
  const healthPort = await freePort();
  const startedAt = performance.now();
  const operator = startOperator(surroundings, line.url, healthPort);
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
    await stopOperator(operator);
    await line.close();
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
