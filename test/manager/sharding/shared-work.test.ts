import { expect, test } from 'vitest';
import { type Controller, controller } from '../../../operator/controller/controller.ts';
import { source } from '../../../operator/controller/source.ts';
import { configMaps, secrets } from '../../../operator/kubernetes.ts';
import { Place } from '../leader/replica.ts';

const PARENTS = 60;

/** Writes a Secret for each ConfigMap of the namespace that has the label. */
function mirror(): Controller {
  return controller({
    name: 'mirror',
    for: source(configMaps, { labelSelector: 'app=mirrored' }),
    owns: [secrets],
    async reconcile({ metadata: { name = '', namespace = '' } }, { applyOwned, self }) {
      await applyOwned(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace },
        stringData: { by: self.podName ?? '' },
      });
    },
  });
}

async function withParents(): Promise<Place> {
  const place = await Place.start();
  for (let index = 0; index < PARENTS; index++) {
    await place.env.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `parent-${index}`,
        namespace: place.namespace,
        labels: { app: 'mirrored' },
      },
    });
  }
  return place;
}

const sharded = (place: Place) => ({
  CHANCERY_SHARDS: '8',
  CHANCERY_LEASE_NAMESPACE: place.namespace,
});

/** The writes of each Secret, by the replicas that made them. */
function writers(place: Place): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (const { who, call } of place.passed) {
    if (call.resource !== 'secrets' || !isWrite(call)) continue;
    const name = call.name ?? (call.body as KubernetesObject | undefined)?.metadata.name ?? '';
    byName.set(name, [...(byName.get(name) ?? []), who]);
  }
  return byName;
}

test('[sharding 4] three replicas write the children of all parents, each those of its own groups', async () => {
  const place = await withParents();
  for (const name of ['a', 'b', 'c']) await place.replica(name, [mirror()], sharded(place));

  expect(await place.until(() => lastWriters(place).size === 3)).toBe(true);
  expect(writers(place).size).toBe(PARENTS);
  for (const writes of writers(place).values()) expect(turns(writes)).toBeLessThanOrEqual(2);
});
