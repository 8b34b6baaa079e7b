/**
 * The most memory that an operator takes, from `chancery run` with the flag of Dockerfile.operator: for
 * many small objects and for a few large ones; with a controller that reads each object, and with one
 * that knows them by key and owner. After the first list, after a list that shows nothing new, and after a list in
 * which every object has changed. Beside it stands what the status page shows of the source.
 * Then the same with the heap that Node gives V8 in a container with the memory limit that `chancery lint`
 * asks for; `--heap=MIB` gives every operator this heap, and says which of them ends. Three runs, each in a process of its own; `npm run measure -- operator`, with `--built` from what
 * `npm run build` has made. See docs/measurements.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@chancery/testing';
import { neededMemory } from '../../operator/generate/lint/cache-memory.ts';
import type { ProcessStatus } from '../../operator/manager/status-page/process-status.ts';
import { machineLoad, peakMB, row } from './figures.ts';
import { LOADS, type Load, type ServedCollection, servedCollection } from './served-collection.ts';
import type { Order } from './watch-server.ts';

const RUNS = 3;
const IS_BUILT = process.argv.includes('--built');
const COMMAND = fileURLToPath(
  new URL(
    IS_BUILT ? '../../dist/operator/cli/main.js' : '../../operator/cli/main.ts',
    import.meta.url,
  ),
);
const MODULE = fileURLToPath(new URL('modules/measured.ts', import.meta.url));

/** As in the ENTRYPOINT of Dockerfile.operator. */
const NODE_FLAGS = ['--max-semi-space-size=16'];

/** Handlers are told of what a list has shown after its watch is open. */
const SETTLED_MS = 2_000;

/** Large enough to count, and small enough to lie on V8's heap: there Node's choice of heap decides. */
const BETWEEN: Load = { title: '10,000 ConfigMaps of 20 kB', objects: 10_000, bytes: 20_000 };

const MIB = 2 ** 20;

/** `--heap=MIB`: everything with so much heap only, to find the least with which the operator lives. */
const HEAP_MIB = process.argv.map((word) => /^--heap=([0-9]+)$/.exec(word)?.[1]).find(Boolean);

type Kind = 'keys' | 'reads';

const KINDS: Readonly<Record<Kind, string>> = {
  keys: 'a controller that knows them by key and owner',
  reads: 'a controller that reads each of them',
};

/** Peaks in MB of 10^6 bytes, at the end of each phase. */
interface Figures {
  readonly idle: number;
  readonly listed: number;
  readonly relisted: number;
  readonly changed: number;
  /** What the status page shows after the first list, in MB. */
  readonly shownFirst: number;
  /** What it shows in the end. */
  readonly shownLast: number;
}

const PHASES: Readonly<Record<keyof Figures, string>> = {
  idle: 'no object',
  listed: 'first list, all reconciled',
  relisted: 'after a list without news',
  changed: 'after a list in which all have changed',
  shownFirst: 'shown on the status page, first list',
  shownLast: 'shown on the status page, in the end',
};

process.stdout.write(
  `Node ${process.version}, ${IS_BUILT ? 'built' : 'sources'}, ${RUNS} runs: ` +
    `peak resident memory in MB, median (least - most); load ${machineLoad()}\n`,
);
for (const load of [...LOADS, BETWEEN]) {
  for (const kind of Object.keys(KINDS) as Kind[]) {
    if (HEAP_MIB !== undefined) {
      process.stdout.write(`${load.title}, ${KINDS[kind]}, ${HEAP_MIB} MiB of heap\n`);
      const outcome = await runs(load, kind, [heapFlag(HEAP_MIB)]).then(rows, String);
      process.stdout.write(`${outcome.trimEnd()}\n`);
      continue;
    }
    const alone = await runs(load, kind, []);
    process.stdout.write(`${load.title}, ${KINDS[kind]}\n${rows(alone)}`);
    const bytes = 1_000_000 * Math.min(...alone.map(({ shownFirst }) => shownFirst));
    const { limit, limitBytes } = neededMemory(
      { objects: load.objects, bytes },
      { heapIsSet: false },
    );
    const heapMiB = Math.floor(Math.min(Math.max(limitBytes / 2 / MIB, 256), 2_048));
    const contained = await runs(load, kind, [heapFlag(heapMiB)]);
    const title = `the same with ${heapMiB} MiB of heap, for a limit of ${limit}`;
    process.stdout.write(`${title} (${Math.round(limitBytes / 1e6)} MB)\n${rows(contained)}`);
  }
}
process.stdout.write(`load ${machineLoad()}\n`);

function heapFlag(mebibytes: number | string): string {
  return `--max-old-space-size=${mebibytes}`;
}

async function runs(load: Load, kind: Kind, flags: readonly string[]): Promise<readonly Figures[]> {
  const figures: Figures[] = [];
  for (let run = 1; run <= RUNS; run++) figures.push(await measure(load, kind, flags));
  return figures;
}

function rows(figures: readonly Figures[]): string {
  return Object.entries(PHASES)
    .map(([phase, name]) =>
      row(
        name,
        figures.map((run) => run[phase as keyof Figures]),
      ),
    )
    .join('');
}

async function measure(load: Load, kind: Kind, flags: readonly string[]): Promise<Figures> {
  const idle = await beside({ objects: 0, bytes: 0 }, async (empty) => {
    const waiting = await operator(empty, kind, flags);
    await waiting.reconciled(0);
    const peak = waiting.peakMB();
    await waiting.end();
    return peak;
  });
  return beside(load, async (served) => {
    const measured = await operator(served, kind, flags);
    const reconciles = kind === 'reads' ? load.objects : 0;
    const first = await measured.reconciled(reconciles);
    const listed = measured.peakMB();
    await measured.until('expire');
    await measured.reconciled(reconciles);
    const relisted = measured.peakMB();
    await measured.until('change and expire');
    const last = await measured.reconciled(2 * reconciles);
    const changed = measured.peakMB();
    await measured.end();
    if (first.objects !== load.objects || last.objects !== load.objects) {
      throw new Error(`${first.objects} and ${last.objects} of ${load.objects} objects are cached`);
    }
    const shownFirst = first.bytes / 1_000_000;
    const shownLast = last.bytes / 1_000_000;
    return { idle, listed, relisted, changed, shownFirst, shownLast };
  });
}

/** A server for the time of `use`, whatever becomes of it. */
async function beside<T>(
  load: Parameters<typeof servedCollection>[0],
  use: (served: ServedCollection) => Promise<T>,
): Promise<T> {
  const served = await servedCollection(load);
  try {
    return await use(served);
  } finally {
    await served.end();
  }
}

/** `chancery run` once its watch is open. */
async function operator(
  { url, opened, until }: ServedCollection,
  kind: Kind,
  flags: readonly string[],
) {
  const [healthPort, metricsPort] = [await freePort(), await freePort()];
  const open = opened();
  const child = spawn(process.execPath, [...NODE_FLAGS, ...flags, COMMAND, 'run', MODULE], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      MEASURED_CONTROLLER: kind,
      CHANCERY_API_URL: url,
      CHANCERY_HEALTH_PORT: String(healthPort),
      CHANCERY_METRICS_PORT: String(metricsPort),
      CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
      CHANCERY_SELF_TEST: 'off',
      CHANCERY_LOG_LEVEL: 'error',
      WATCH_NAMESPACE: 'bench',
    },
  });
  const failed = failure(child);
  failed.catch(() => {}); // its end is asked for, in the end
  await Promise.race([open, failed]);
  return {
    peakMB: () => peakMB(child),

    /** Tells the server, and waits until the next watch is open. */
    until: (order: Order) => Promise.race([until(order), failed]),

    /** What the status page shows of the source when so many reconciles have ended, and none is due. */
    async reconciled(count: number) {
      for (;;) {
        await Promise.race([after(SETTLED_MS), failed]);
        const answer = await fetch(`http://127.0.0.1:${healthPort}/status.json`);
        const { controllers, sources } = (await answer.json()) as ProcessStatus;
        const [controller] = controllers;
        const source = sources.find(({ resource }) => resource === 'configmaps');
        if (controller === undefined || source === undefined) throw new Error('nothing runs');
        const { reconciles, errors, busy, ready } = controller;
        if (errors > 0 || reconciles > count) {
          throw new Error(`${reconciles} reconciles, ${errors} failed, expected ${count}`);
        }
        const isDone = source.synced && source.state === 'watching' && busy === 0;
        if (isDone && ready.length === 0 && reconciles === count) return source;
      }
    },

    async end() {
      const ended = once(child, 'close');
      child.kill();
      await ended;
    },
  };
}

async function failure(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`chancery run has ended with ${code}`);
}
