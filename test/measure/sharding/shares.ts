/** What one of four replicas receives and keeps, by what a replica that holds everything does; and what joining costs. */
import { EMPTY_NAMESPACE } from './orders.ts';
import {
  MeasuredCluster,
  type Replica,
  type ReplicaOptions,
  untilQuiet,
  untilShared,
} from './processes.ts';
import type { Findings, Settings } from './verdicts.ts';

const REPLICAS = 4;
const MOST_BYTES = 0.35;
const MOST_MEMORY = 0.45;
/** Of the objects, so many change when all are listed. */
const CHANGED = 0.2;
const MB = 1_000_000;

/** Of a replica; of several, the most that one of them has. */
interface Held {
  readonly bytes: number;
  readonly peakMB: number;
}

interface Joining {
  readonly seconds: number;
  /** What the replica that joins has received until then, and in how many lists. */
  readonly joined: Received;
  /** The same of the replica that had everything, since the other one started. */
  readonly other: Received;
}

interface Received {
  readonly mb: number;
  readonly lists: number;
}

interface Round {
  readonly empty: number;
  readonly whole: Held;
  readonly share: Held;
  readonly joining: Joining;
}

export async function measureShares(settings: Settings): Promise<Findings> {
  const { bytes, objects, progress, rounds } = settings;
  const found: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    const cluster = { objects, bytes, hasChildren: true, replicas: REPLICAS };
    await using place = await MeasuredCluster.start(cluster);
    const empty = await emptyMB(place, settings);
    const whole = await held(place, settings, 1);
    const share = await held(place, settings, REPLICAS);
    const joining = await join(place, settings);
    found.push({ empty, whole, share, joining });
    progress(
      `shares, round ${round}: ${Math.round(whole.bytes / MB)} and ${Math.round(share.bytes / MB)} MB received, ` +
        `${Math.round(whole.peakMB)} and ${Math.round(share.peakMB)} MB of memory`,
    );
  }
  const figure = (title: string, of: (round: Round) => number) => ({
    title,
    values: found.map(of),
  });
  const what = `${objects} ConfigMaps of ${bytes} B with a Secret each`;
  return {
    targets: [
      {
        title: `bytes received by one of ${REPLICAS} replicas, ${what}, by one that holds all`,
        bound: { atMost: MOST_BYTES },
        ratios: found.map(({ whole, share }) => share.bytes / whole.bytes),
      },
      {
        title: `peak memory of one of ${REPLICAS} replicas, by one that holds all`,
        bound: { atMost: MOST_MEMORY },
        ratios: found.map(({ whole, share }) => share.peakMB / whole.peakMB),
      },
    ],
    figures: [
      figure('MB received, holds all', ({ whole }) => whole.bytes / MB),
      figure(`MB received, most of ${REPLICAS} replicas`, ({ share }) => share.bytes / MB),
      figure('peak memory, MB, without objects', ({ empty }) => empty),
      figure('peak memory, MB, holds all', ({ whole }) => whole.peakMB),
      figure(`peak memory, MB, most of ${REPLICAS} replicas`, ({ share }) => share.peakMB),
      figure(
        'a second replica: seconds from its start until both have half',
        ({ joining }) => joining.seconds,
      ),
      figure('the same: MB received by it', ({ joining }) => joining.joined.mb),
      figure('the same: lists by it', ({ joining }) => joining.joined.lists),
      figure('the same: MB received by the first meanwhile', ({ joining }) => joining.other.mb),
      figure('the same: lists by the first meanwhile', ({ joining }) => joining.other.lists),
    ],
  };
}

/** An operator that has nothing to do takes this much: the least that a replica can take. */
async function emptyMB(place: MeasuredCluster, settings: Settings): Promise<number> {
  const options = optionsOf(settings, { set: 'empty', mode: 'alone' });
  const replica = await place.replica({ ...options, namespace: EMPTY_NAMESPACE });
  await untilQuiet([replica], { least: 0, quietMs: 5_000 });
  const peak = replica.peakMB();
  await place.stopReplicas();
  return peak;
}

async function held(place: MeasuredCluster, settings: Settings, count: number): Promise<Held> {
  const { objects } = settings;
  const isSharded = count > 1;
  const options = optionsOf(settings, { set: `held-by-${count}`, mode: isSharded ? 'sharded' : 'alone' });
  const replicas = await Promise.all(Array.from({ length: count }, () => place.replica(options)));
  await untilQuiet(replicas, { least: objects });
  if (isSharded) await untilShared(replicas);
  const changed = Math.round(objects * CHANGED);
  await place.order({ kind: 'change', count: changed, text: `held by ${count}` });
  await untilQuiet(replicas, { least: objects + changed });
  const most = (of: (replica: Replica) => number): number => Math.max(...replicas.map(of));
  const figures = {
    bytes: most((replica) => receivedBy(replica).mb) * MB,
    peakMB: most((replica) => replica.peakMB()),
  };
  await place.stopReplicas();
  return figures;
}

async function join(place: MeasuredCluster, settings: Settings): Promise<Joining> {
  const options = optionsOf(settings, { set: 'joined', mode: 'sharded' });
  const first = await place.replica(options);
  await untilShared([first]);
  await untilQuiet([first], { least: settings.objects });
  const before = receivedBy(first);
  const startedMs = performance.now();
  const second = await place.replica(options);
  await untilShared([first, second]);
  const seconds = (performance.now() - startedMs) / 1_000;
  const joined = receivedBy(second);
  const after = receivedBy(first);
  await place.stopReplicas();
  const other = { mb: after.mb - before.mb, lists: after.lists - before.lists };
  return { seconds, joined, other };
}

function receivedBy({ line }: Replica): Received {
  const passed = line?.passed ?? [];
  const bytes = passed.reduce((sum, { bytes: received }) => sum + received, 0);
  const lists = passed.filter(
    ({ method, path, query }) =>
      method === 'GET' && /\/(configmaps|secrets)$/.test(path) && !/\bwatch=/.test(query),
  );
  return { mb: bytes / MB, lists: lists.length };
}

function optionsOf(
  { isBuilt, leaseSeconds }: Settings,
  { set, mode }: Pick<ReplicaOptions, 'set' | 'mode'>,
): ReplicaOptions {
  const module = 'test/measure/sharding/modules/reader.ts';
  return { module, set, mode, leaseSeconds, isBuilt, isCounted: true };
}
