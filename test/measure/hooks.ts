/**
 * What `chancery hooks` costs: its memory beside 5,000 ConfigMaps of 10 KiB of which hooks want little, the time from
 * a change to the start of a hook whose snapshot has 5,000 objects, and 300 hooks over one kind. Each is a process of
 * its own, with the flags of the image, and the embedded API server is another. Hooks are bash scripts, whose memory
 * is not counted.
 * Last, what one hook with a hostile result costs the others: five times each, see `hook-results.ts`.
 * `npm run measure -- hooks` starts the sources; a word chooses measurements by their titles: `hostile`. With `--built` the runner is what `npm run build` has made; then
 * a figure over its bound is a failure. Linux only. See docs/performance.md.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CountingLine } from '../../examples/reloader/test/support/counting-line.ts';
import { machineLoad, peakMB } from './figures.ts';
import { HOSTILE, hostileHooks, servedBeside } from './hook-results.ts';
import type { Changed, Serving } from './hooks-server.ts';
import { WATCHING } from './longest-turn.ts';

const MEBIBYTE = 2 ** 20 / 1_000_000;
const MOST_MB = 256 * MEBIBYTE;
const MOST_SECONDS = 2;
/** Of the event loop. */
const MOST_TURN_MS = 50;
/** `limits.memory` of generated manifests with a folder of hooks: 512Mi. */
const MOST_HOOKS_MB = 512 * MEBIBYTE;

const IS_BUILT = process.argv.includes('--built');
/** Only the measurements whose titles contain this. */
const ONLY = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? '';
const ROOT = new URL('../../', import.meta.url);
const pathOf = (file: string): string => fileURLToPath(new URL(file, ROOT));
const COMMAND = pathOf(IS_BUILT ? 'dist/operator/cli/main.js' : 'operator/cli/main.ts');
/** Of Node, in the image. */
const NODE_FLAGS = ['--max-semi-space-size=16'];
const POLL_MS = 50;

const MANY = 5_000;
const CHANGES = 2_000;
const STARTS = 5;

interface Binding {
  readonly jqFilter?: string;
  readonly keepFullObjectsInMemory?: boolean;
  readonly includeSnapshotsFrom?: readonly string[];
}

interface Place {
  readonly folder: string;
  readonly operator: ChildProcess;
  readonly line: CountingLine;
  /** Changes so many objects. Resolves to the time of the last change, by the machine's clock. */
  change(count: number): Promise<number>;
  runs(): readonly Run[];
  /** Resolves when there are runs of which `isTrue` holds. */
  until(isTrue: (runs: readonly Run[]) => boolean): Promise<void>;
}

/** What a hook has recorded of one of its runs. */
interface Run {
  /** When its first line ran, by the machine's clock. */
  readonly at: number;
  readonly hook: string;
  /** A Synchronization has none. */
  readonly events: number;
  /** Of its binding contexts. */
  readonly contextBytes: number;
}

interface Given {
  readonly objects: number;
  readonly bytes: number;
  readonly hooks: number;
  readonly binding: Binding;
  /** The result of one more hook, whose neighbour runs every second. */
  readonly hostile?: string;
}

process.stdout.write(
  `Node ${process.version}, ${IS_BUILT ? 'built' : 'sources'}; load ${machineLoad()}\n`,
);
await memory('a filter with a small result', { jqFilter: '.data.version' });
await memory('a filter of metadata', { jqFilter: '.metadata.labels.version' });
await memory('no filter', {});
await snapshot();
for (const hooks of [30, 300]) await hooksOverOneKind(hooks);
for (const [title, text] of Object.entries(HOSTILE)) await hostile(title, text());
process.stdout.write(`load ${machineLoad()}\n`);

async function hostile(title: string, text: string): Promise<void> {
  const seen: Awaited<ReturnType<typeof servedBeside>>[] = [];
  const given = { objects: 10, bytes: 1_000, hooks: 0, binding: {}, hostile: text };
  for (let run = 0; run < STARTS; run++) {
    await measured(`a hostile result: ${title}`, given, async ({ operator, folder, until }) => {
      await until((runs) => runs.some(({ hook }) => hook === 'neighbour'));
      seen.push({ ...(await servedBeside(operator, folder)), peakMB: peakMB(operator) });
    });
  }
  if (seen.length === 0) return;
  const medianOf = (name: keyof (typeof seen)[number]): number =>
    seen.map((each) => each[name]).sort((a, b) => a - b)[STARTS >> 1] ?? 0;
  report('longest turn, ms of the processor, median of 5', medianOf('busyMs'), MOST_TURN_MS);
  report('longest delay of a timer, ms, median of 5', medianOf('lateMs'));
  report('starts of the hook with the result', medianOf('starts'));
  report('starts of its neighbour, one each second', medianOf('neighbours'));
  report('seconds between two of them, most', medianOf('mostSecondsBetween'));
  report('peak resident memory, MB', medianOf('peakMB'), MOST_HOOKS_MB);
}

async function memory(title: string, binding: Binding): Promise<void> {
  const given = {
    ...{ objects: MANY, bytes: 10 * 1024, hooks: 1 },
    binding: { keepFullObjectsInMemory: false, ...binding },
  };
  await measured(`5,000 objects of 10 KiB, ${title}`, given, async (place) => {
    const { operator } = place;
    const startedAt = Date.now();
    await place.until((runs) => runs.length > 0);
    report('seconds until Synchronization', (Date.now() - startedAt) / 1_000);
    report('peak resident memory at the start, MB', peakMB(operator), MOST_MB);
    await place.change(CHANGES);
    await place.until((runs) => runs.reduce((sum, { events }) => sum + events, 0) >= CHANGES);
    report(`peak resident memory after ${CHANGES} changes, MB`, peakMB(operator), MOST_MB);
    report('runs', place.runs().length);
  });
}

async function snapshot(): Promise<void> {
  const binding = { keepFullObjectsInMemory: true, includeSnapshotsFrom: ['maps'] };
  const given = { objects: MANY, bytes: 600, hooks: 1, binding };
  await measured('5,000 objects of 1 kB in a snapshot', given, async (place) => {
    await place.until((runs) => runs.length === 1);
    const seconds: number[] = [];
    for (let start = 0; start < STARTS; start++) {
      const before = place.runs().length;
      const changedAt = await place.change(1);
      await place.until((runs) => runs.length > before);
      seconds.push(((place.runs()[before]?.at ?? 0) - changedAt) / 1_000);
    }
    seconds.sort((a, b) => a - b);
    report('seconds from change to hook, median', seconds[STARTS >> 1] ?? 0, MOST_SECONDS);
    report('seconds from change to hook, most', seconds.at(-1) ?? 0, MOST_SECONDS);
    report('MB of binding contexts', (place.runs().at(-1)?.contextBytes ?? 0) / 1_000_000);
    report('peak resident memory, MB', peakMB(place.operator));
  });
}

async function hooksOverOneKind(hooks: number): Promise<void> {
  const binding = { jqFilter: '.data.version', keepFullObjectsInMemory: false };
  const given = { objects: 500, bytes: 1_000, hooks, binding };
  await measured(`${hooks} hooks over 500 objects of 1 kB`, given, async (place) => {
    const startedAt = Date.now();
    await place.until((runs) => new Set(runs.map(({ hook }) => hook)).size === hooks);
    report('seconds until all Synchronizations', (Date.now() - startedAt) / 1_000);
    report('peak resident memory, MB', peakMB(place.operator));
    const requests = place.line.passed.filter(({ path }) => path.endsWith('/configmaps'));
    const watches = requests.filter(({ query }) => /(^|&)watch=(1|true)(&|$)/.test(query));
    report('requests of LIST', requests.length - watches.length);
    report('requests of WATCH', watches.length);
    const before = place.runs().length;
    const changedAt = await place.change(1);
    await place.until((runs) => runs.length >= before + hooks);
    report('seconds from a change to the last hook', (lastOf(place.runs()) - changedAt) / 1_000);
  });
}

function lastOf(runs: readonly Run[]): number {
  return Math.max(...runs.map(({ at }) => at));
}

function report(title: string, figure: number, most?: number): void {
  const isOver = most !== undefined && figure > most;
  if (isOver && IS_BUILT) process.exitCode = 1;
  const bound = most === undefined ? '' : `, at most ${rounded(most)}${isOver ? ': EXCEEDED' : ''}`;
  process.stdout.write(`  ${title.padEnd(46)} ${rounded(figure)}${bound}\n`);
}

function rounded(figure: number): number {
  return Math.round(figure * 100) / 100;
}

async function measured(
  title: string,
  given: Given,
  measure: (place: Place) => Promise<void>,
): Promise<void> {
  if (!title.includes(ONLY)) return;
  process.stdout.write(`${title}; load ${machineLoad()}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'chancery-measure-hooks-'));
  const server = fork(
    fileURLToPath(new URL('hooks-server.ts', import.meta.url)),
    [given.objects, given.bytes].map(String),
  );
  try {
    const [{ url }] = (await once(server, 'message')) as [Serving];
    const line = new CountingLine(url);
    await line.start();
    const operator = startRunner(writeHooks(folder, given), folder, line.url);
    try {
      await measure(placeOf({ operator, line, server, folder }));
    } finally {
      const ended = once(operator, 'exit');
      if (operator.exitCode === null) {
        operator.kill();
        await ended;
      }
      await line.close();
    }
  } finally {
    server.disconnect();
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

function placeOf({
  operator,
  line,
  server,
  folder,
}: Pick<Place, 'operator' | 'line' | 'folder'> & { readonly server: ChildProcess }): Place {
  const runs = (): readonly Run[] =>
    readFileSync(join(folder, 'record'), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((text) => {
        const [at, hook = '', ...counts] = text.split(' ');
        const [events = 0, contextBytes = 0] = counts.map(Number);
        return { at: Number(at) * 1_000, hook, events, contextBytes };
      });
  return {
    ...{ operator, line, folder, runs },
    async change(count) {
      server.send(count);
      const [{ at }] = (await once(server, 'message')) as [Changed];
      return at;
    },
    async until(isTrue) {
      while (!isTrue(runs())) {
        if (operator.exitCode !== null)
          throw new Error(`chancery hooks has ended with ${operator.exitCode}`);
        await after(POLL_MS);
      }
    },
  };
}

/** The folder of hooks, each of which writes a line into the file `record` when it runs. */
function writeHooks(folder: string, { hooks, binding, hostile: text }: Given): string {
  const dir = join(folder, 'hooks');
  mkdirSync(dir);
  writeFileSync(join(folder, 'record'), '');
  if (text !== undefined) hostileHooks(dir, folder, text);
  const maps = { name: 'maps', apiVersion: 'v1', kind: 'ConfigMap', ...binding };
  const config = JSON.stringify({ configVersion: 'v1', kubernetes: [maps] });
  for (let at = 0; at < hooks; at++) {
    const file = join(dir, `hook-${String(at).padStart(3, '0')}.sh`);
    writeFileSync(
      file,
      `#!/bin/bash
now=$EPOCHREALTIME
if [ "$1" = --config ]; then echo '${config}'; exit; fi
events=$(grep -o '"watchEvent"' "$BINDING_CONTEXT_PATH" | wc -l)
bytes=$(stat --format %s "$BINDING_CONTEXT_PATH")
echo "$now \${0##*/} $events $bytes" >> '${join(folder, 'record')}'
`,
    );
    chmodSync(file, 0o755);
  }
  return dir;
}

function startRunner(dir: string, folder: string, apiUrl: string): ChildProcess {
  const args = [
    ...NODE_FLAGS,
    ...WATCHING,
    COMMAND,
    'hooks',
    dir,
    '--tmp-dir',
    join(folder, 'tmp'),
  ];
  return spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      CHANCERY_API_URL: apiUrl,
      CHANCERY_HEALTH_PORT: String(0),
      CHANCERY_METRICS_PORT: String(0),
      CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
      CHANCERY_LOG_LEVEL: 'error',
    },
  });
}
