/** Replicas that share the work, as processes, while faults come and objects change. */
import { setTimeout as pause } from 'node:timers/promises';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Random } from '../convergence/random.ts';
import { isWrite, type Replica, Replicas, TIMING } from '../leadership/replicas.ts';

export interface StormOptions {
  readonly replicas: number;
  readonly objects: number;
  readonly groups: number;
  readonly seconds: number;
  /** A fault comes so often. */
  readonly everySeconds: number;
  readonly random: Random;
  readonly progress: (line: string) => void;
}

export interface StormReport {
  readonly faults: Readonly<Record<string, number>>;
  readonly changes: number;
  readonly writes: number;
  /** Names of objects that two replicas were writing at the same time. */
  readonly overlaps: readonly string[];
  /** Names of objects whose mirror does not show the last change. */
  readonly missed: readonly string[];
  readonly longestUnownedMs: number;
}

/** A write of an object, as the server has seen it. */
interface Writing {
  readonly who: string;
  readonly from: number;
  readonly to: number;
}

const MODULE = '../../sharding/modules/mirror.ts';
const PAUSE_MS = 20;
const FREEZE_MS = TIMING.leaseSeconds * 2_000;
const RESTART_MS = 2_000;
const SETTLED_WITHIN_MS = 120_000;
const LOOK_MS = 500;

export async function storm(options: StormOptions): Promise<StormReport> {
  const { objects, progress, random, seconds, everySeconds } = options;
  await using place = await Replicas.start({
    module: MODULE,
    environment: {
      CHANCERY_SHARDS: String(options.groups),
      CHANCERY_SHARD_RETRY_PERIOD: String(TIMING.retryPeriodSeconds),
    },
  });
  const { server } = place;
  const texts = new Map<string, string>();
  for (let index = 0; index < objects; index++) server.create(parent(`p${index}`, 'new'));
  const running = new Map<string, Replica>();
  const start = async (name: string): Promise<void> => {
    const replica = await place.replica(name);
    running.set(name, replica);
  };
  await Promise.all(Array.from({ length: options.replicas }, (_, index) => start(`r${index}`)));
  const settled = async (): Promise<readonly string[]> => {
    const untilMs = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const missed = missedOf(place, texts, objects);
      if (missed.length === 0 || performance.now() > untilMs) return missed;
      await pause(LOOK_MS);
    }
  };
  const never = await settled();
  if (never.length > 0) throw new Error(`before any fault, ${never.length} objects had no mirror`);

  const faults: Record<string, number> = { kill: 0, freeze: 0, 'lost proxy': 0 };
  const endsAt = performance.now() + seconds * 1_000;
  let changes = 0;
  const healing: Promise<void>[] = [];
  const changing = (async () => {
    while (performance.now() < endsAt) {
      const name = `p${random.between(0, objects)}`;
      const text = `change ${++changes}`;
      texts.set(name, text);
      server.patch('v1', 'ConfigMap', 'demo', name, { data: { text } });
      await pause(PAUSE_MS);
    }
  })();
  while (performance.now() < endsAt) {
    const name = random.pick([...running.keys()]);
    const kind = random.pick(Object.keys(faults));
    const replica = running.get(name);
    if (replica !== undefined && running.size > 2) {
      faults[kind] = (faults[kind] ?? 0) + 1;
      running.delete(name);
      healing.push(heal(kind, name, replica));
      progress(`${kind} ${name}: ${running.size} replicas are left`);
    }
    await pause(everySeconds * 1_000);
  }
  await changing;
  await Promise.all(healing);
  const missed = await settled();
  const written = writingsOf(place);
  return {
    faults,
    changes,
    writes: [...written.values()].reduce((sum, all) => sum + all.length, 0),
    overlaps: [...written].filter(([, all]) => overlap(all)).map(([name]) => name),
    missed,
    longestUnownedMs: longestUnowned(place),
  };

  async function heal(kind: string, name: string, replica: Replica): Promise<void> {
    if (kind === 'kill') {
      replica.kill('SIGKILL');
      await replica.exit;
      await pause(RESTART_MS);
      await start(name);
      return;
    }
    if (kind === 'freeze') {
      replica.kill('SIGSTOP');
      await pause(FREEZE_MS);
      replica.kill('SIGCONT');
    } else {
      replica.gate = { before: () => 'hold' };
      await pause(FREEZE_MS);
      replica.gate = {};
    }
    running.set(name, replica);
  }
}

function parent(name: string, text: string): KubernetesObject & { readonly data: object } {
  const labels = { app: 'mirrored' };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'demo', name, labels },
    data: { text },
  };
}

/** The objects whose mirror does not show their text. */
function missedOf(
  { server }: Replicas,
  texts: ReadonlyMap<string, string>,
  objects: number,
): readonly string[] {
  const secrets = server.list('v1', 'Secret', 'demo') as readonly (KubernetesObject & {
    readonly data?: { readonly of?: string };
  })[];
  const shown = new Map(
    secrets.map(({ metadata, data }) => [
      metadata.name,
      Buffer.from(data?.of ?? '', 'base64').toString(),
    ]),
  );
  return Array.from({ length: objects }, (_, index) => `p${index}`).filter(
    (name) => shown.get(name) !== (texts.get(name) ?? 'new'),
  );
}

/** Every change of a mirror, by its name. A creation has no name in its path; the server takes only one. */
function writingsOf({ arrivals }: Replicas): ReadonlyMap<string, readonly Writing[]> {
  const written = new Map<string, Writing[]>();
  for (const { who, call, atMs, endedAtMs } of arrivals) {
    if (call.resource !== 'secrets' || !isWrite(call) || call.name === undefined) continue;
    const all = written.get(call.name) ?? [];
    all.push({ who, from: atMs, to: endedAtMs ?? atMs });
    written.set(call.name, all);
  }
  return written;
}

/** Whether two replicas were writing at the same time. */
function overlap(writings: readonly Writing[]): boolean {
  const last = new Map<string, number>();
  for (const { who, from, to } of writings) {
    for (const [other, until] of last) if (other !== who && until > from) return true;
    last.set(who, Math.max(last.get(who) ?? 0, to));
  }
  return false;
}

/** The longest time between the last write of a group's Lease by one replica and the first by the next. */
function longestUnowned({ arrivals }: Replicas): number {
  const last = new Map<string, { readonly who: string; readonly atMs: number }>();
  let longest = 0;
  for (const { who, call, atMs, endedAtMs } of arrivals) {
    const { name = '', resource, verb } = call;
    const isOfGroup = resource.startsWith('leases.') && name.includes('-group-');
    if (!isOfGroup || verb !== 'update' || endedAtMs === undefined) continue;
    const before = last.get(name);
    if (before !== undefined && before.who !== who) longest = Math.max(longest, atMs - before.atMs);
    last.set(name, { who, atMs });
  }
  return Math.round(longest);
}
