import type { TestEnv } from '@chancery/testing';
import { expect, onTestFinished } from 'vitest';
import { type Controller, controller } from '../../../operator/controller/controller.ts';
import type { ReconcileContext } from '../../../operator/controller/reconciler.ts';
import { source } from '../../../operator/controller/source.ts';
import { type ConfigMap, configMaps, type Lease, secrets } from '../../../operator/kubernetes.ts';
import type { Runnable } from '../../../operator/manager/runnable.ts';
import { SLOTS, slotOf } from '../../../operator/model/shard/field-hash.ts';
import { type Edges, isWrite, type Passage, Place, type Replica } from '../leader/replica.ts';
import { asInPods } from './in-pods.ts';

export const PARENTS = 60;
export const GROUPS = 8;

interface MirrorOptions {
  /** Default 1. */
  readonly maxConcurrentReconciles?: number;
  /** Default: none. */
  readonly beforeWrite?: (parent: ConfigMap, context: ReconcileContext) => Promise<void>;
  /** What came of a write: undefined, or the error with which it was refused. */
  readonly afterWrite?: (parent: ConfigMap, refused: unknown) => void;
}

/** Writes a Secret for each ConfigMap of the namespace that has the label: its data, and the replica that wrote it. */
export function mirror(options: MirrorOptions = {}): Controller {
  const { beforeWrite, afterWrite, ...others } = options;
  return controller({
    name: 'mirror',
    for: source(configMaps, { labelSelector: 'app=mirrored' }),
    owns: [secrets],
    ...others,
    async reconcile(parent, context) {
      const { name = '', namespace = '' } = parent.metadata;
      await beforeWrite?.(parent, context);
      try {
        await context.applyOwned(secrets, {
          metadata: { name, namespace },
          stringData: { by: context.self.podName ?? '', of: JSON.stringify(parent.data ?? {}) },
        });
      } catch (error) {
        afterWrite?.(parent, error);
        throw error;
      }
      afterWrite?.(parent, undefined);
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
  const upstream = (env: TestEnv, namespace: string) => asInPods(env, namespace, [mirror()]);
  const place = await Place.start({ upstream, ...options });
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

/** A replica that shares the work. The test fails when it is refused anything for want of a right. */
export async function sharer(
  place: Place,
  name: string,
  environment: Readonly<Record<string, string>> = {},
  runnables: readonly Runnable[] = [],
  { of = mirror(), ...edges }: Edges & { readonly of?: Controller } = {},
): Promise<Replica> {
  const own = {
    CHANCERY_SHARDS: String(GROUPS),
    CHANCERY_LEASE_NAMESPACE: place.namespace,
    ...environment,
  };
  const replica = await place.replica(name, [of], own, runnables, edges);
  onTestFinished(() => {
    const counted = Object.keys(replica.operator.meter.snapshot());
    expect(counted.filter((series) => series.includes('"403"'))).toEqual([]);
  });
  return replica;
}

/** The number of groups that a replica holds. */
export function groupsOf({ operator: { meter } }: Replica, set = 'mirror-leader'): number {
  const names = Array.from({ length: GROUPS }, (_, group) => `${set}-group-${group}`);
  const held = (name: string): boolean =>
    meter.value('leader_election_master_status', { name }) === 1;
  return names.filter(held).length;
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

/** Changes of Secrets that pass from now on while their replica does not hold the group: none may. */
export function trespasses(place: Place): readonly string[] {
  const found: string[] = [];
  const { server } = place.env;
  place.witnesses.push(({ who, call: { resource, name = '', ...call } }) => {
    if (resource !== 'secrets' || name === '' || !isWrite({ resource, name, ...call })) return;
    const of = server.get('v1', 'ConfigMap', place.namespace, name)?.metadata.uid ?? '';
    const lease = `mirror-leader-group-${Math.floor((slotOf(of) * GROUPS) / SLOTS)}`;
    const held = server.get('coordination.k8s.io/v1', 'Lease', place.namespace, lease) as Lease;
    const holder = held.spec?.holderIdentity ?? '';
    if (!holder.startsWith(`${who}_`))
      found.push(`${who} wrote ${name}, and ${lease} is of ${holder}`);
  });
  return found;
}

/** How often the writer of an object changed, from its first writer on. */
export function turns(writes: readonly Passage[]): number {
  return writes.filter(({ who }, index) => index > 0 && who !== writes[index - 1]?.who).length;
}
