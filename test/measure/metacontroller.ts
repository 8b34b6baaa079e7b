/**
 * What `chancery metacontroller` costs: its memory, how often it calls a hook and what it writes beside 1,000 parents
 * with 10 ConfigMaps each and 2,000 with 3, from nothing and when everything is there, and the times from a change of a
 * parent to its children. Each start is a process of its own, with the flags of the image; the embedded API server is
 * another, and so are the hooks.
 * `npm run measure -- metacontroller` starts the sources. With `--built` the operator is what `npm run build` has made;
 * then a figure over its bound is a failure. A word measures only the rows whose titles contain it. Linux only. See
 * docs/performance.md.
 */
import { machineLoad } from './figures.ts';
import { Cluster, type Given, IS_BUILT, Operator } from './metacontroller-operator.ts';

const MEBIBYTE = 2 ** 20 / 1_000_000;
const MOST_MB = 256 * MEBIBYTE;

const ONLY = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? '';
const RUNS = 3;
const CHANGED_PARENTS = 5;

interface Figure {
  readonly value: number;
  /** The bound. */
  readonly most?: number;
}

/** By title, in the order of the report. */
type Figures = Map<string, Figure>;

process.stdout.write(
  `Node ${process.version}, ${IS_BUILT ? 'built' : 'sources'}, ${RUNS} runs: median (least - most); load ${machineLoad()}\n`,
);
await measured('1,000 parents with 10 ConfigMaps of 600 bytes', many, {
  ...{ parents: 1_000, children: 10, bytes: 600, method: 'InPlace' },
});
await measured('2,000 parents with 3 ConfigMaps of 600 bytes', many, {
  ...{ parents: 2_000, children: 3, bytes: 600, method: 'InPlace' },
});
await measured('a rolling update of 5 children', rolling, {
  ...{ parents: 1, children: 5, bytes: 0, method: 'RollingInPlace' },
});
process.stdout.write(`load ${machineLoad()}\n`);

async function measured(
  title: string,
  measure: (cluster: Cluster, given: Given) => Promise<Figures>,
  given: Given,
): Promise<void> {
  if (!title.includes(ONLY)) return;
  process.stdout.write(`${title}; load ${machineLoad()}\n`);
  const runs: Figures[] = [];
  for (let run = 0; run < RUNS; run++) {
    await using cluster = await Cluster.start(given);
    runs.push(await measure(cluster, given));
  }
  for (const [name, { most }] of runs[0] ?? []) {
    const values = runs.map((run) => run.get(name)?.value ?? Number.NaN);
    report(name, values, most);
  }
}

function report(title: string, values: readonly number[], most: number | undefined): void {
  const sorted = [...values].sort((a, b) => a - b);
  const [least, median, top] = [0, sorted.length >> 1, sorted.length - 1].map((at) =>
    rounded(sorted[at] ?? Number.NaN),
  );
  const isOver = most !== undefined && !((sorted.at(-1) ?? Number.NaN) <= most);
  if (isOver && IS_BUILT) process.exitCode = 1;
  const bound = most === undefined ? '' : `, at most ${rounded(most)}${isOver ? ': EXCEEDED' : ''}`;
  process.stdout.write(`  ${title.padEnd(58)} ${median} (${least} - ${top})${bound}\n`);
}

function rounded(figure: number): number {
  return Math.round(figure * 100) / 100;
}

/** The operator twice: from nothing, and when everything is there. Then changes of a parent. */
async function many(cluster: Cluster, given: Given): Promise<Figures> {
  const figures: Figures = new Map();
  const { parents, children } = given;
  {
    await using operator = await Operator.start(cluster);
    const { seconds, called, writes } = await operator.settled(parents);
    await expectPlanted(cluster, given);
    figures.set('from nothing: calls', { value: called.calls, most: 3 * parents });
    figures.set('from nothing: calls for one parent', { value: called.most, most: 3 });
    figures.set('from nothing: writes of children', {
      ...{ value: writes.children, most: parents * children },
    });
    figures.set('from nothing: other writes', { value: writes.others });
    figures.set('from nothing: seconds until settled', { value: seconds });
    figures.set('from nothing: seconds of the processor', { value: operator.processorSeconds() });
    figures.set('from nothing: bytes of the longest request', { value: called.mostBytes });
    figures.set('from nothing: peak resident memory, MB', {
      ...{ value: operator.peakMB(), most: MOST_MB },
    });
  }
  await using operator = await Operator.start(cluster);
  const { seconds, called, writes } = await operator.settled(parents);
  figures.set('all there: calls', { value: called.calls, most: parents });
  figures.set('all there: parents that were called for', { value: called.parents });
  figures.set('all there: writes', { value: writes.children + writes.others, most: 0 });
  figures.set('all there: seconds until settled', { value: seconds });
  figures.set('all there: seconds of the processor', { value: operator.processorSeconds() });
  figures.set('all there: peak resident memory, MB', {
    ...{ value: operator.peakMB(), most: MOST_MB },
  });
  const noted = await operator.change({ parent: 1, spec: { note: 'watered' } });
  figures.set('a parent whose answer stays the same: calls', {
    value: noted.called.calls,
    most: 1,
  });
  figures.set('a parent whose answer stays the same: writes of children', {
    ...{ value: noted.writes.children, most: 0 },
  });
  const delays: number[] = [];
  let calls = 0;
  for (let at = 0; at < CHANGED_PARENTS; at++) {
    const spec = { version: `v1-${at}` };
    const { called: more, grown } = await operator.change({ parent: at, spec });
    if (grown.changed !== 1) throw new Error(`${grown.changed} children have changed, not 1`);
    delays.push(grown.firstSeconds);
    calls = Math.max(calls, more.calls);
  }
  figures.set('a parent that changes a child: calls', { value: calls, most: 3 });
  figures.set('a parent that changes a child: ms to the child, median of 5', {
    value: 1_000 * (delays.sort((a, b) => a - b)[CHANGED_PARENTS >> 1] ?? Number.NaN),
  });
  figures.set('in the end: peak resident memory, MB', {
    ...{ value: operator.peakMB(), most: MOST_MB },
  });
  return figures;
}

async function expectPlanted(cluster: Cluster, { parents, children }: Given): Promise<void> {
  const grown = await cluster.ask({});
  if (grown.children !== parents * children || grown.settled !== parents) {
    throw new Error(`${grown.children} children, ${grown.settled} parents are settled`);
  }
}

/** One parent whose children are updated one after the other. */
async function rolling(cluster: Cluster, given: Given): Promise<Figures> {
  await using operator = await Operator.start(cluster);
  const { seconds } = await operator.settled(1);
  await expectPlanted(cluster, given);
  const { called, grown, writes } = await operator.change({ parent: 0, spec: { version: 'v1' } });
  const all = (await cluster.ask({})).changed + grown.changed;
  if (all !== given.children) throw new Error(`${all} children have changed`);
  return new Map<string, Figure>([
    ['seconds from the start until settled', { value: seconds }],
    ['ms from the parent to the first child', { value: 1_000 * grown.firstSeconds }],
    ['ms from the parent to the last child', { value: 1_000 * grown.lastSeconds }],
    ['calls of the update', { value: called.calls }],
    ['writes of children', { value: writes.children, most: given.children }],
    ['writes of children with dryRun', { value: writes.tried }],
    ['other writes', { value: writes.others }],
    ['peak resident memory, MB', { value: operator.peakMB() }],
  ]);
}
