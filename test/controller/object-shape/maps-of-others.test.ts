/** Maps without a schema, in which our controller and other writers have fields beside each other. */
import { expect, test } from 'vitest';
import type { Desired } from '../../../operator/controller/reconciler.ts';
import { configMaps } from '../../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { type Family, startFamily } from '../../support/owner-and-children.ts';
import { definition, resourceOf } from '../../support/two-writers/shapes.ts';

const releases = resourceOf('releases', 'Release');

const values = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const chart = { type: 'object', properties: { name: { type: 'string' }, values } };
const charts = {
  ...{ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  items: { ...chart, required: ['name'] },
};
const DEFINITION = definition('releases', 'Release', {
  type: 'object',
  properties: { values, charts },
});

const release = (stated: object): Desired<KubernetesObject> =>
  ({ metadata: { name: 'a' }, spec: stated }) as Desired<KubernetesObject>;

async function startReleases() {
  const family = await startFamily();
  await family.env.apply([DEFINITION]);
  const live = (): Promise<KubernetesObject | undefined> =>
    family.env.get('example.dev/v1', 'Release', family.namespace, 'a');
  return {
    ...family,
    state: (stated: object) => family.apply(releases, release(stated)),
    specNow: async () => (await live()) as unknown as { readonly spec?: object },
    /** Another writer merges this into the spec. */
    others: (change: object) =>
      family.env.patch('example.dev/v1', 'Release', family.namespace, 'a', { spec: change }),
  };
}

test.each([
  ['one process', false],
  ['a process that starts anew', true],
])('[K-35] fields of others in a map that is no longer stated stay, in %s', async (_, restarts) => {
  const { state, others, specNow, restart } = await startReleases();
  await state({ values: { web: { port: 80, tls: { on: true } }, log: 'debug' } });
  await others({ values: { web: { tls: { issuer: 'theirs' } } } });
  if (restarts) restart();

  await state({ values: { log: 'debug' } });

  expect((await specNow()).spec).toEqual({
    values: { web: { tls: { issuer: 'theirs' } }, log: 'debug' },
  });
});

test('[K-35] fields of others in a map that was stated empty stay', async () => {
  const { state, others, specNow } = await startReleases();
  await state({ values: { web: {} } });
  await state({ values: { web: {}, log: 'info' } });
  await others({ values: { web: { port: 81 } } });

  await state({ values: { log: 'info' } });

  expect((await specNow()).spec).toEqual({ values: { web: { port: 81 }, log: 'info' } });
});

test('[K-35] the same holds inside of an item that is still stated, and an item that is not goes as a whole', async () => {
  const { state, others, specNow } = await startReleases();
  const values = { web: { port: 80 } };
  await state({
    charts: [
      { name: 'x', values },
      { name: 'y', values },
    ],
  });
  const theirs = { web: { port: 80, host: 'theirs' } };
  await others({
    charts: [
      { name: 'x', values: theirs },
      { name: 'y', values: theirs },
    ],
  });

  await state({ charts: [{ name: 'x', values: {} }] });

  expect((await specNow()).spec).toEqual({
    charts: [{ name: 'x', values: { web: { host: 'theirs' } } }],
  });
});

test('[K-33] a map that is no longer stated goes where nobody else has a field', async () => {
  const { state, others, specNow } = await startReleases();
  await state({ values: { web: { port: 80, tls: { on: true } } } });
  await others({ values: { theirs: { port: 1 } } });

  await state({});

  expect((await specNow()).spec).toEqual({ values: { theirs: { port: 1 } } });
});

test('a kind of Kubernetes costs no read for it', async () => {
  const family: Family = await startFamily();
  const data = (value: string) => ({ metadata: { name: 'a' }, data: { value } });
  await family.apply(configMaps, data('1'));
  await family.apply(configMaps, data('2'));
  const before = family.requests().length;

  await family.apply(configMaps, data('3'));

  expect(family.requests().slice(before)).toEqual(['get a', 'patch a']);
});
