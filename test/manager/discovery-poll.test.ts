/** When the sources of a manager poll for a resource whose definition was established a moment ago. */

import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { clientOf } from '../../operator/client/client-of.ts';
import { type Controller, controller } from '../../operator/controller/controller.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { ensureCrd } from '../../operator/manager/crds/ensure-crds.ts';
import { configMaps, customResourceDefinitions } from '../../operator/model/builtin.ts';
import { ApiError } from '../../operator/model/status.ts';
import { customResource, Type } from '../../operator/schema.ts';
import { configMap, World } from './world.ts';

const barrels = customResource({
  group: 'cellar.example.org',
  version: 'v1beta1',
  kind: 'Barrel',
  spec: Type.Object({ litres: Type.Integer() }),
});

const INSTALLS = { CHANCERY_INSTALL_CRDS: 'true' };

/** Every definition is there and established; nothing else can be asked for. */
const established = clientOf(async () => ({
  ...barrels.definition,
  status: { conditions: [{ type: 'Established', status: 'True' }] },
}));

const ofBarrels = controller({
  name: 'barrels',
  for: barrels,
  reconcile: async () => {},
});

/** Makes a reconcile every second, as long as there is a ConfigMap. */
function ofConfigMaps(reconcile: (context: ReconcileContext) => Promise<unknown>): Controller {
  return controller({
    name: 'installer',
    for: configMaps,
    async reconcile(_object, context) {
      await reconcile(context);
      return { requeueAfterMs: 1_000 };
    },
  });
}

/** A manager whose barrels are not served, and when discovery was asked for them. */
function managerOf(
  clock: FakeClock,
  environment: Record<string, string> = {},
  more: readonly Controller[] = [],
) {
  const polledAt: number[] = [];
  const missing = async (): Promise<never> => {
    throw new ApiError({ code: 404, message: '404 page not found' });
  };
  const unserved = {
    discovery: {
      client: {},
      groupVersion: 'cellar.example.org/v1beta1',
      plural: 'barrels',
      served: async () => {
        polledAt.push(clock.monotonic());
        return [];
      },
      isDefinitionGone: async () => false,
    },
    listPage: missing,
    watch: missing,
  };
  const world = new World([ofBarrels, ...more], environment, {
    clock,
    client: established,
    sources: { 'barrels.cellar.example.org': unserved },
  });
  return { polledAt, world };
}

test('[W-40] after a manager has installed a definition, its sources poll for it every 250 ms for 5 s', async () => {
  const clock = new FakeClock();
  const { polledAt, world } = managerOf(clock, INSTALLS);

  await world.start();
  await clock.advanceAndSettle(4_900);
  const soon = [...polledAt];
  await clock.advanceAndSettle(60_000);

  expect(soon).toHaveLength(19);
  expect(polledAt.length - soon.length).toBeLessThanOrEqual(9);
});

test('[W-40] a definition that one manager installs does not make another manager of the same process poll faster', async () => {
  const clock = new FakeClock();
  const waiting = managerOf(clock);
  await waiting.world.start();
  const installing = managerOf(clock, INSTALLS);

  await installing.world.start();
  await clock.advanceAndSettle(7_900);

  expect(installing.polledAt.length).toBeGreaterThan(15);
  expect(waiting.polledAt).toEqual([]);
});

test.each<[string, (context: ReconcileContext) => Promise<unknown>]>([
  [
    'ensures a definition',
    ({ client, clock, log, signal }) => ensureCrd(client, barrels, { clock, log, signal }),
  ],
  [
    'applies a definition itself',
    ({ client }) => client.apply(customResourceDefinitions, barrels.definition),
  ],
])('[W-40] a reconciler that %s makes only the sources of its own manager poll faster', async (_how, install) => {
  const clock = new FakeClock();
  const other = managerOf(clock);
  const { polledAt, world } = managerOf(clock, {}, [ofConfigMaps(install)]);
  await other.world.start();
  await world.start();
  await clock.advanceAndSettle(2_000);
  const before = polledAt.length;
  const added = configMap('wish', '101');

  world.collection('configmaps').push('ADDED', added);
  await clock.advanceAndSettle(1_000);

  expect(before).toBe(0);
  expect(polledAt.length).toBeGreaterThanOrEqual(4);
  expect(other.polledAt).toEqual([]);
});

test('[W-40] a reconciler that ensures a definition every second makes the sources poll faster only once', async () => {
  const clock = new FakeClock();
  const ensuresOften = ofConfigMaps(({ client, log, signal }) =>
    ensureCrd(client, barrels, { clock, log, signal }),
  );
  const { polledAt, world } = managerOf(clock, {}, [ensuresOften]);
  world.collection('configmaps').items.push(configMap('wish'));
  await world.start();
  await clock.advanceAndSettle(6_000);
  const soon = polledAt.length;

  await clock.advanceAndSettle(60_000);

  expect(soon).toBeGreaterThan(15);
  expect(polledAt.length - soon).toBeLessThanOrEqual(9);
});
