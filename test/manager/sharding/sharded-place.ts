import { type Controller, controller } from '../../../operator/controller/controller.ts';
import type { ReconcileContext } from '../../../operator/controller/reconciler.ts';
import { source } from '../../../operator/controller/source.ts';
import type { Clock } from '../../../operator/core/clock.ts';
import { type ConfigMap, configMaps, type Secret, secrets } from '../../../operator/kubernetes.ts';
import type { Runnable } from '../../../operator/manager/runnable.ts';
import type { Lease } from '../../../operator/model/builtin.ts';
import { ownersIn } from '../../../operator/model/object.ts';
import { SLOTS, slotOf } from '../../../operator/model/shard/field-hash.ts';
import { isWrite, type Passage, Place, type Replica } from '../leader/replica.ts';
import { putInPods } from './in-pods.ts';

export const PARENTS = 60;
export const GROUPS = 8;

interface MirrorOptions {
  /** Default 1. */
  readonly maxConcurrentReconciles?: number;
  /** Default: nothing. */
  readonly beforeWrite?: (parent: ConfigMap, context: ReconcileContext) => Promise<void>;
  /** Learns what became of a write: undefined, or the error with which it failed. */
  readonly afterWrite?: (parent: ConfigMap, error: unknown) => void;
}

/** Writes a Secret for each ConfigMap of the namespace that has the label: its data, and the replica that wrote it. */
export function mirror(name = 'mirror', options: MirrorOptions = {}): Controller {
  const { beforeWrite, afterWrite, ...others } = options;
  return controller({
    name,
    for: source(configMaps, { labelSelector: 'app=mirrored' }),
    owns: [secrets],
    ...others,
    async reconcile(parent, context) {
      const { name = '', namespace = '' } = parent.metadata;
      await beforeWrite?.(parent, context);
      const written = context.applyOwned(secrets, {
        metadata: { name, namespace },
        stringData: { by: context.self.podName ?? '', of: JSON.stringify(parent.data ?? {}) },
      });
      const error = await written.then(
        () => undefined,
        (failed: unknown) => failed,
      );
      afterWrite?.(parent, error);
      await written;
    },
  });
}

export const parent = ({ namespace }: Place, name: string, data = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { app: 'mirrored' } },
  data,
});

export async function withParents(options?: Parameters<typeof Place.start>[0]): Promise<Place> {
  const place = await Place.start(options, 'RBAC');
  await putInPods(place, [mirror()]);
  for (let index = 0; index < PARENTS; index++) {
    await place.env.create(parent(place, `parent-${index}`));
  }
  return place;
}

/** Changes all parents. */
export async function change(place: Place, data: object): Promise<void> {
  for (let index = 0; index < PARENTS; index++) {
    await place.env.apply(parent(place, `parent-${index}`, data));
  }
}

/** A replica that shares the work. */
export function sharer(
  place: Place,
  name: string,
  environment: Readonly<Record<string, string>> = {},
  runnables: readonly Runnable[] = [],
  clock: Clock = place.clock,
): Promise<Replica> {
  const own = {
    CHANCERY_SHARDS: String(GROUPS),
    CHANCERY_LEASE_NAMESPACE: place.namespace,
    ...environment,
  };
  return place.replica(name, [mirror()], own, runnables, clock);
}

/** The number of groups that a replica holds. */
export function groupsOf({ operator: { meter } }: Replica, set = 'mirror-leader'): number {
  const names = Array.from({ length: GROUPS }, (_, group) => `${set}-group-${group}`);
  const held = (name: string): boolean =>
    meter.value('leader_election_master_status', { name }) === 1;
  return names.filter(held).length;
}

/** A replica that shares the work, with another controller of the name `mirror`. */
export function sharerOf(
  controller: Controller,
  place: Place,
  name: string,
  clock: Clock = place.clock,
): Promise<Replica> {
  const own = { CHANCERY_SHARDS: String(GROUPS), CHANCERY_LEASE_NAMESPACE: place.namespace };
  return place.replica(name, [controller], own, [], clock);
}

/** Lets a time pass. */
export async function pass(place: Place, ms: number): Promise<void> {
  await place.until(() => false, ms);
}

/** What the Secrets say, by their names. */
export async function mirrored(
  place: Place,
): Promise<ReadonlyMap<string, { readonly by: string; readonly of: string }>> {
  const found = await place.env.list(secrets, place.namespace);
  return new Map(
    found.map(({ metadata: { name = '' }, data }) => [
      name,
      { by: text(data?.by), of: text(data?.of) },
    ]),
  );
}

function text(base64 = ''): string {
  return Buffer.from(base64, 'base64').toString();
}

/** The writes of Secrets from a moment on, by their names, in order. */
export function writesFrom(place: Place, index: number): ReadonlyMap<string, readonly Passage[]> {
  const writes = place.passed
    .slice(index)
    .filter(({ call }) => call.resource === 'secrets' && isWrite(call));
  return Map.groupBy(writes, ({ call }) => call.name ?? '');
}

/** How often the writer of an object changed, from its first writer on. */
export function turns(writes: readonly Passage[]): number {
  return writes.filter(({ who }, index) => index > 0 && who !== writes[index - 1]?.who).length;
}

/**
 * The writes of children by a replica that was not the last one to be the holder in the Lease of the child's group, in the
 * order in which the server has stored writes and Leases. A child says in `by` which replica wrote it.
 */
export function writtenWithoutLease(
  { env }: Place,
  groupsBy: (replica: string) => number = () => GROUPS,
): readonly string[] {
  const holders = new Map<string, string>();
  const contents = new Map<string, string>();
  const wrong: string[] = [];
  for (const { object, resource, type } of env.events.of()) {
    const { metadata } = object;
    if (type === 'DELETED') continue;
    if (resource === 'leases.coordination.k8s.io') {
      const [, group] = /-group-(\d+)$/.exec(metadata.name ?? '') ?? [];
      const [, replica] = /^(\w+)_/.exec((object as Lease).spec?.holderIdentity ?? '') ?? [];
      if (group !== undefined && replica !== undefined) holders.set(group, replica);
      continue;
    }
    const by = writerOf(object as Secret);
    const uid = ownersIn(metadata)[0]?.uid;
    if (by === undefined || uid === undefined) continue;
    // The first apply of a new owner may change only who manages the fields.
    const content = JSON.stringify([metadata.uid, (object as Secret).data]);
    const isSame = contents.get(`${resource} ${metadata.name}`) === content;
    contents.set(`${resource} ${metadata.name}`, content);
    if (isSame) continue;
    const group = Math.floor((slotOf(uid) * groupsBy(by)) / SLOTS);
    const holder = holders.get(String(group));
    if (holder !== by) wrong.push(`${resource} ${metadata.name} by ${by}, held by ${holder}`);
  }
  return wrong;
}

/** The replicas that have written children, in the order in which the server has stored the writes. */
export function writersInOrder({ env }: Place): readonly string[] {
  return env.events
    .of({ resource: 'secrets' })
    .flatMap(({ object, type }) => (type === 'DELETED' ? [] : [writerOf(object as Secret) ?? []]))
    .flat();
}

/** Undefined for what no replica has written. */
function writerOf({ kind, data, metadata }: Secret | ConfigMap): string | undefined {
  if (kind === 'Secret') return data?.by === undefined ? undefined : text(data.by);
  return metadata.annotations?.by ?? data?.by;
}
