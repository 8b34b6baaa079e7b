/** What sharding costs an operator with one replica. */
import { setTimeout as pause } from 'node:timers/promises';
import { MeasuredCluster, type Mode } from './processes.ts';
import type { Findings, Settings } from './verdicts.ts';

const MOST = 1.05;
const CHANGES = 3;

interface Life {
  /** From the start of the process until it has done everything. */
  readonly cpuSeconds: number;
  readonly idleMsAMinute: number;
  readonly writes: number;
  readonly shown: string;
}

export async function measureSingle(settings: Settings): Promise<Findings> {
  const { lightKeys, progress, rounds } = settings;
  const lives: { readonly without: Life; readonly sharded: Life }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const without = await live(settings, 'leader');
    const sharded = await live(settings, 'sharded');
    lives.push({ without, sharded });
    progress(`single, round ${round}: ${without.cpuSeconds} and ${sharded.cpuSeconds} CPU seconds`);
  }
  const isSame = lives.every(
    ({ without, sharded }) => without.shown === sharded.shown && without.writes === sharded.writes,
  );
  const rows = (name: string, of: (life: Life) => number) => [
    { title: `${name}, a leader`, values: lives.map(({ without }) => of(without)) },
    { title: `${name}, sharded`, values: lives.map(({ sharded }) => of(sharded)) },
  ];
  return {
    targets: [
      {
        title: `CPU of 1 replica with sharding, ${lightKeys} keys made and changed ${CHANGES} times, by that of a leader`,
        bound: { atMost: MOST },
        fact: { says: 'the same objects and the same number of writes', holds: isSame },
        ratios: lives.map(({ without, sharded }) => sharded.cpuSeconds / without.cpuSeconds),
      },
    ],
    figures: [
      ...rows('CPU seconds, 1 replica', ({ cpuSeconds }) => cpuSeconds),
      ...rows('writes of children, 1 replica', ({ writes }) => writes),
      ...rows('CPU ms a minute without work, 1 replica', ({ idleMsAMinute }) => idleMsAMinute),
    ],
  };
}

/** An operator with a cluster of its own: all objects are new, and change several times. */
async function live(
  { idleSeconds, isBuilt, leaseSeconds, lightKeys }: Settings,
  mode: Mode,
): Promise<Life> {
  const cluster = { objects: lightKeys, bytes: 100, hasChildren: false, replicas: 1 };
  await using place = await MeasuredCluster.start(cluster);
  const replica = await place.replica({
    ...{ leaseSeconds, isBuilt, mode },
    set: 'single',
    module: 'test/sharding/modules/mirror.ts',
  });
  await place.order({ kind: 'mirror' });
  for (let change = 1; change <= CHANGES; change++) {
    await place.order({ kind: 'change', count: lightKeys, text: `change ${change}` });
    await place.order({ kind: 'mirror' });
  }
  const cpuSeconds = replica.cpuSeconds();
  const { shown, writes } = await place.order({ kind: 'count' });
  await pause(1_000);
  const before = replica.cpuSeconds();
  await pause(idleSeconds * 1_000);
  const idleMs = (replica.cpuSeconds() - before) * 1_000;
  return { cpuSeconds, writes, shown, idleMsAMinute: (idleMs * 60) / idleSeconds };
}
