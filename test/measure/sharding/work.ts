/** Keys a second of two replicas and of one, when each key takes CPU that only another core can add. */
import { MeasuredCluster, untilQuiet, untilShared } from './processes.ts';
import type { Findings, Settings } from './verdicts.ts';

/** Reconciles side by side in a replica: its core has work while a write is under way. */
const WORKERS = 4;
const REPLICAS = 2;
const LEAST = 1.5;

interface Burst {
  readonly keysPerSecond: number;
  readonly serverSeconds: number;
  readonly replicaSeconds: number;
}

export async function measureWork(settings: Settings): Promise<Findings> {
  const { keys, progress, rounds } = settings;
  const cluster = { objects: keys, bytes: 100, hasChildren: false, replicas: REPLICAS };
  await using place = await MeasuredCluster.start(cluster);
  const bursts: { readonly one: Burst; readonly two: Burst }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const one = await burst(place, { ...settings, replicas: 1, set: `one-${round}` });
    const two = await burst(place, { ...settings, replicas: REPLICAS, set: `two-${round}` });
    bursts.push({ one, two });
    progress(
      `work, round ${round}: ${one.keysPerSecond.toFixed(1)} and ${two.keysPerSecond.toFixed(1)} keys a second`,
    );
  }
  const share = ({ serverSeconds, replicaSeconds }: Burst): number =>
    (100 * serverSeconds) / (serverSeconds + replicaSeconds);
  return {
    targets: [
      {
        title: `keys/s of 2 replicas with a core each, ${settings.cpuMs} ms of CPU a key, by 1 replica`,
        bound: { atLeast: LEAST },
        ratios: bursts.map(({ one, two }) => two.keysPerSecond / one.keysPerSecond),
      },
    ],
    figures: [
      { title: 'keys/s, 1 replica', values: bursts.map(({ one }) => one.keysPerSecond) },
      { title: 'keys/s, 2 replicas', values: bursts.map(({ two }) => two.keysPerSecond) },
      { title: 'the server, % of all CPU, 1 replica', values: bursts.map(({ one }) => share(one)) },
      {
        title: 'the server, % of all CPU, 2 replicas',
        values: bursts.map(({ two }) => share(two)),
      },
      {
        title: 'CPU ms of the replica for each key, 1 replica',
        values: bursts.map(({ one }) => (1_000 * one.replicaSeconds) / keys),
      },
      {
        title: 'CPU ms of the replicas for each key, 2 replicas',
        values: bursts.map(({ two }) => (1_000 * two.replicaSeconds) / keys),
      },
    ],
  };
}

/** All keys change at once; before, they have changed once, so that all code has run. */
async function burst(
  place: MeasuredCluster,
  {
    cpuMs,
    isBuilt,
    keys,
    leaseSeconds,
    replicas,
    set,
  }: Settings & { replicas: number; set: string },
): Promise<Burst> {
  const started = await Promise.all(
    Array.from({ length: replicas }, () =>
      place.replica({
        ...{ set, leaseSeconds, isBuilt },
        module: 'test/sharding/modules/mirror.ts',
        mode: 'sharded',
        environment: { MIRROR_CPU_MS: String(cpuMs), MIRROR_WORKERS: String(WORKERS) },
      }),
    ),
  );
  await untilShared(started);
  await place.order({ kind: 'change', count: keys, text: `${set} before` });
  await place.order({ kind: 'mirror' });
  await untilQuiet(started, { least: keys });
  const cpu = () => ({
    server: place.cpuSeconds(),
    replicas: started.reduce((sum, replica) => sum + replica.cpuSeconds(), 0),
  });
  const before = cpu();
  const { atMs: beganMs } = await place.order({ kind: 'count' });
  await place.order({ kind: 'change', count: keys, text: set });
  const { atMs: endedMs } = await place.order({ kind: 'mirror' });
  const after = cpu();
  await place.stopReplicas();
  return {
    keysPerSecond: (1_000 * keys) / (endedMs - beganMs),
    serverSeconds: after.server - before.server,
    replicaSeconds: after.replicas - before.replicas,
  };
}
