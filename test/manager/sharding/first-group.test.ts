import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { controller } from '../../../operator/controller/controller.ts';
import { aborted } from '../../../operator/core/abort.ts';
import type { Runnable } from '../../../operator/manager/runnable.ts';
import { customResource, Type } from '../../../operator/schema.ts';
import { Place, type Replica } from '../leader/replica.ts';
import { GROUPS, groupsOf, sharer, withParents } from './sharded-place.ts';

test('[sharding 19] [SH-6] a runnable runs on only one replica, even during a hand-over', async () => {
  const place = await withParents();
  const running = new Set<string>();
  let most = 0;
  const task = (who: string): Runnable => ({
    name: 'schedule',
    async run(signal) {
      running.add(who);
      most = Math.max(most, running.size);
      await aborted(signal);
      running.delete(who);
    },
  });
  const replicas = new Map<string, Replica>();
  for (const who of ['a', 'b']) replicas.set(who, await sharer(place, who, {}, [task(who)]));
  const isLevel = (): boolean => [...replicas.values()].every((each) => groupsOf(each) === 4);
  expect(await place.until(isLevel)).toBe(true);
  const [first = ''] = running;
  expect(running.size).toBe(1);

  await replicas.get(first)?.operator.stop();
  expect(await place.until(() => running.size === 1)).toBe(true);

  expect(running).not.toContain(first);
  expect(most).toBe(1);
  const left = [...replicas].filter(([who]) => who !== first).map(([, replica]) => replica);
  expect(left.map((each) => groupsOf(each))).toEqual([GROUPS]);
});

test('[sharding 19] one of three replicas installs a definition, and nothing changes when the other replicas apply it', async () => {
  const place = await Place.start();
  const lantern = customResource({
    group: 'harbour.dev',
    version: 'v1',
    kind: 'Lantern',
    spec: Type.Object({ colour: Type.String() }),
  });
  const lanterns = controller({ name: 'lantern', for: lantern, reconcile: () => {} });
  const environment = {
    CHANCERY_SHARDS: String(GROUPS),
    CHANCERY_LEASE_NAMESPACE: place.namespace,
    CHANCERY_INSTALL_CRDS: 'true',
  };
  const stored: string[] = [];
  place.env.server.subscribe((resource, { type, object, previous }) => {
    const isChanged = !isDeepStrictEqual(object.spec, previous?.spec);
    if (resource.startsWith('customresourcedefinitions') && isChanged) stored.push(type);
  });
  const replicas: Replica[] = [];
  for (const who of ['a', 'b', 'c']) {
    replicas.push(await place.replica(who, [lanterns], environment));
  }
  const held = (): number =>
    replicas.reduce((sum, each) => sum + groupsOf(each, 'lantern-leader'), 0);
  expect(await place.until(() => held() === GROUPS)).toBe(true);
  await replicas[0]?.operator.stop();
  expect(await place.until(() => held() === GROUPS)).toBe(true);

  expect(stored).toEqual(['ADDED']);
});
