/**
 * What the flight recorder costs an operator at 1,000 events a second, each of which is reconciled: processor time of
 * `chancery run`, without and with `--record`, in turns, so that the load of the machine is the same for both.
 * `npm run measure -- flight`, with `--built` from what `npm run build` has made; `--rounds=N` (default 5) and
 * `--seconds=N` (default 20) for each. Linux only. See docs/measurements.md.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually, freePort } from '@chancery/testing';
import { machineLoad, peakMB } from './figures.ts';

const IS_BUILT = process.argv.includes('--built');
const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const COMMAND = pathOf(IS_BUILT ? '../../dist/operator/cli/main.js' : '../../operator/cli/main.ts');
const MODULE = pathOf('modules/measured.ts');
const ROUNDS = numberOf('rounds', 5);
const SECONDS = numberOf('seconds', 20);
/** On a busy machine. */
const START_MS = 60_000;
/** V8 has compiled what runs often, and the first list is read. */
const WARM_UP_MS = 5_000;
/** Of Linux, on every platform that Node supports (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;

interface Figures {
  /** Processor time in percent of one processor. */
  readonly percent: number;
  readonly peakMB: number;
  readonly reconciles: number;
}

function numberOf(name: string, otherwise: number): number {
  const word = process.argv.map((each) => new RegExp(`^--${name}=([0-9]+)$`).exec(each)?.[1]);
  return Number(word.find((each) => each !== undefined) ?? otherwise);
}

/** User and system time since the process began, in seconds: fields 14 and 15 of `/proc/PID/stat`. */
function processorSeconds({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function reconciles(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('controller_runtime_reconcile_total{'));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function run(
  apiPort: number,
  more: readonly string[],
  metricsPort: number,
): Promise<Figures> {
  const operator = spawn(process.execPath, [COMMAND, 'run', MODULE, ...more], {
    env: {
      ...{ PATH: process.env.PATH, MEASURED_CONTROLLER: 'reads' },
      CHANCERY_API_URL: `http://127.0.0.1:${apiPort}`,
      CHANCERY_HEALTH_PORT: '0',
      CHANCERY_METRICS_PORT: String(metricsPort),
      CHANCERY_SELF_TEST: 'off',
      CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
      CHANCERY_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await eventually(async () => (await reconciles(metricsPort)) > 0, { timeoutMs: START_MS });
    await after(WARM_UP_MS);
    const [usedBefore, doneBefore] = [processorSeconds(operator), await reconciles(metricsPort)];
    const startedAt = performance.now();
    await after(SECONDS * 1_000);
    const seconds = (performance.now() - startedAt) / 1_000;
    return {
      percent: ((processorSeconds(operator) - usedBefore) / seconds) * 100,
      peakMB: peakMB(operator),
      reconciles: ((await reconciles(metricsPort)) - doneBefore) / seconds,
    };
  } finally {
    operator.kill('SIGKILL');
    await once(operator, 'exit');
  }
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0;
}

const server = fork(pathOf('flight-server.ts'));
const folder = mkdtempSync(join(tmpdir(), 'chancery-measure-flight-'));
const [{ port }] = (await once(server, 'message')) as [{ readonly port: number }];
process.stdout.write(
  `Node ${process.version}, ${IS_BUILT ? 'built' : 'sources'}, ${ROUNDS} rounds of ${SECONDS} s; load ${machineLoad()}\n`,
);
try {
  const all: { without: Figures; with: Figures }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const figures = {
      without: await run(port, [], await freePort()),
      with: await run(port, ['--record', folder], await freePort()),
    };
    all.push(figures);
    for (const [name, { percent, peakMB: peak, reconciles: done }] of Object.entries(figures)) {
      const shown = `${percent.toFixed(1)} % of a processor, ${Math.round(peak)} MB, ${Math.round(done)} reconciles/s`;
      process.stdout.write(`  ${name.padEnd(8)} ${shown}\n`);
    }
  }
  const more = median(all.map((each) => each.with.percent - each.without.percent));
  const share = median(all.map((each) => (each.with.percent / each.without.percent - 1) * 100));
  process.stdout.write(
    `median of the differences: ${more.toFixed(1)} % of a processor, ${share.toFixed(1)} % of what the operator takes; load ${machineLoad()}\n`,
  );
} finally {
  server.disconnect();
  rmSync(folder, { recursive: true });
}
