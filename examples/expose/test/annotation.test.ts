/** The annotation `expose`, against an API server. */

import { eventually, service } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { Ingress, Service } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { type Place, type Setup, startExample } from '../../testing/place.ts';
import { exposeByAnnotation } from '../annotation/controller.ts';

const start = (more: Partial<Setup> = {}): Promise<Place> =>
  startExample({ name: 'expose', controllers: [exposeByAnnotation], ...more });

const ingress = ({ env, namespace }: Place, name = 'web') =>
  env.get<Ingress>('networking.k8s.io/v1', 'Ingress', namespace, name);

/** The one path of an Ingress, once it is there. */
async function pathOf(place: Place, name = 'web'): Promise<string | undefined> {
  return (await ingress(place, name))?.spec?.rules?.[0]?.http?.paths[0]?.path;
}

async function annotationsOf(place: Place, name = 'web'): Promise<Record<string, string>> {
  const live = await place.env.get<Service>('v1', 'Service', place.namespace, name);
  return { ...live?.metadata.annotations };
}

async function annotate(place: Place, annotations: Record<string, string | null>): Promise<void> {
  await place.env.patch('v1', 'Service', place.namespace, 'web', { metadata: { annotations } });
}

async function create({ env, namespace }: Place, expose?: string): Promise<Service> {
  const annotations = expose === undefined ? {} : { expose };
  return env.create(service('web', { namespace, annotations }) as Service);
}

/** As somebody makes it by hand, before or beside the operator. */
async function createForeign({ env, namespace }: Place): Promise<KubernetesObject> {
  return env.create({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web', namespace },
    spec: { defaultBackend: { service: { name: 'mine', port: { number: 1 } } } },
  } as Ingress);
}

const problem = (place: Place) =>
  eventually(async () => (await annotationsOf(place))['expose.problem']);

test('acceptance 1: the web app of the original operator gets an Ingress for /mdn on port 8080', async () => {
  const place = await start();

  await place.apply(new URL('../sample/web-app.yml', import.meta.url));
  const made = await eventually(() => ingress(place, 'web-app'));

  expect(made.spec?.rules).toEqual([
    {
      http: {
        paths: [
          {
            path: '/mdn',
            pathType: 'Prefix',
            backend: { service: { name: 'web-app', port: { number: 8080 } } },
          },
        ],
      },
    },
  ]);
  expect(made.metadata.ownerReferences).toMatchObject([{ kind: 'Service', controller: true }]);
});

test('acceptance 2, EX1, EX9: an annotation that is added, changed or removed later takes effect', async () => {
  const place = await start();
  await create(place);

  await annotate(place, { expose: '/one' });
  await eventually(async () => (await pathOf(place)) === '/one');
  const { uid } = (await ingress(place))?.metadata ?? {};
  place.env.server.closeWatches('reset');
  await annotate(place, { expose: '/two', 'expose.host': 'shop.example.org' });
  await eventually(async () => (await pathOf(place)) === '/two');
  expect((await ingress(place))?.metadata.uid).toBe(uid);
  await eventually(
    async () => (await annotationsOf(place))['expose.url'] === 'http://shop.example.org/two',
  );

  await annotate(place, { expose: null });
  await eventually(async () => (await ingress(place)) === undefined);
  await eventually(async () => (await annotationsOf(place))['expose.url'] === undefined);
});

test('acceptance 3, EX2, EX8: changes made while no operator runs are not lost, and outdated objects are removed', async () => {
  const place = await start();
  await create(place, '/one');
  await eventually(() => ingress(place));

  await place.operator.stop();
  await annotate(place, { expose: '/two' });
  const second = place.startOperator();
  await eventually(async () => (await pathOf(place)) === '/two');
  await second.stop();
  await annotate(place, { expose: null });
  const third = place.startOperator();
  await eventually(async () => (await ingress(place)) === undefined);

  await annotate(place, { expose: '/three' });
  await eventually(() => ingress(place));
  await third.stop();
  await place.env.delete('v1', 'Service', place.namespace, 'web');
  await eventually(async () => (await ingress(place)) === undefined);
});

test('acceptance 4, EX4: if a value could change the document that it is pasted into, nothing is created or removed, and the value is reported once', async () => {
  const place = await start();
  const injection = '/a","pathType":"Exact';
  await create(place, injection);

  expect(await problem(place)).toMatch(/^InvalidAnnotation: annotation expose must be a path/);
  await eventually(async () => (await place.events('InvalidAnnotation')).length === 1);
  expect(await place.events()).toMatchObject([{ type: 'Warning', reason: 'InvalidAnnotation' }]);
  expect(await ingress(place)).toBeUndefined();

  await annotate(place, { expose: '/one' });
  await eventually(async () => (await annotationsOf(place))['expose.problem'] === undefined);
  await annotate(place, { expose: 'one' });
  await problem(place);
  await eventually(async () => (await place.events('InvalidAnnotation')).length === 2);
  await place.operator.stop();
  const before = place.writes().length;
  const again = place.startOperator();
  await eventually(() => Number(again.meter.snapshot()[SUCCESSES] ?? 0) > 0);

  expect(await pathOf(place)).toBe('/one');
  expect(place.writes().length).toBe(before);
  expect(await place.told('InvalidAnnotation', 2)).toHaveLength(2);
});

const SUCCESSES = 'controller_runtime_reconcile_total{controller="expose",result="success"}';

test("acceptance 5, EX7: a user's own Ingress is not changed, and is reported until it is gone", async () => {
  const place = await start();
  const foreign = await createForeign(place);
  await create(place, '/one');

  expect(await problem(place)).toMatch(/^ErrResourceExists: Ingress web exists/);
  await eventually(async () => (await place.events('ErrResourceExists')).length === 1);
  const { resourceVersion } = foreign.metadata;
  expect((await ingress(place))?.metadata.resourceVersion).toBe(resourceVersion);

  await place.env.delete('networking.k8s.io/v1', 'Ingress', place.namespace, 'web');
  await eventually(async () => (await pathOf(place)) === '/one');
  await eventually(async () => (await annotationsOf(place))['expose.problem'] === undefined);
});

test('a Service that is created again gets a new Ingress once the old Ingress is gone', async () => {
  const place = await start();
  await create(place, '/one');
  await eventually(() => ingress(place));
  const held = { metadata: { finalizers: ['example.org/held'] } };
  const patch = (body: object) =>
    place.env.patch('networking.k8s.io/v1', 'Ingress', place.namespace, 'web', body);
  await patch(held);
  await place.env.delete('v1', 'Service', place.namespace, 'web');
  await eventually(async () => (await ingress(place))?.metadata.deletionTimestamp);
  const { metadata } = await create(place, '/two');

  await patch({ metadata: { finalizers: null } });

  await eventually(async () => (await pathOf(place)) === '/two');
  expect((await ingress(place))?.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid }]);
  expect(await place.events('ErrResourceExists')).toEqual([]);
});
