import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { GLOBAL_CONFIG_MAP, GLOBAL_CONFIG_MAPS } from './support/farm.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import { MODES } from './support/subject.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

test.each(
  MODES,
)('[metacontroller 4] [metacontroller 26] a ConfigMap is copied to each namespace by a %s, and the copies change with the original', async (mode) => {
  const place = await startMetacontroller({
    subjects: [GLOBAL_CONFIG_MAP],
    definitions: [GLOBAL_CONFIG_MAPS],
    allNamespaces: true,
    mode,
  });
  const copyIn = (namespace: string) =>
    place.env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'settings');
  await place.apply(settings({ colour: 'red' }));
  await makeNamespace(place, 'first');
  await place.env.create(globalConfigMap(place.namespace));
  const first = await eventually(() => copyIn('first'), PATIENT);

  await makeNamespace(place, 'second');
  const second = await eventually(() => copyIn('second'), PATIENT);
  await place.apply(settings({ colour: 'green' }));
  for (const namespace of ['first', 'second']) {
    await eventually(async () => (await copyIn(namespace))?.data?.colour === 'green', PATIENT);
  }
  await place.env.delete('v1', 'ConfigMap', place.namespace, 'settings');
  await eventually(async () => (await copyIn('second')) === undefined, PATIENT);

  expect([first.data, second.data]).toEqual([{ colour: 'red' }, { colour: 'red' }]);
  expect(first.metadata.ownerReferences).toMatchObject([
    { kind: 'GlobalConfigMap', name: 'everywhere', controller: true },
  ]);
  expect(await copyIn('first')).toBeUndefined();
});

test('[metacontroller 4] [metacontroller 19] a change of an object that no parent selects calls no hook', async () => {
  const place = await startMetacontroller({
    subjects: [GLOBAL_CONFIG_MAP],
    definitions: [GLOBAL_CONFIG_MAPS],
    allNamespaces: true,
  });
  await place.apply(settings({ colour: 'red' }));
  await place.env.create(globalConfigMap(place.namespace));
  // The sync that sees all copies comes by itself, and is no part of what is counted.
  await eventually(() => hasSeenItsCopies(place), PATIENT);
  await place.idle();
  const before = place.server.calls('/global-config-map/sync').length;

  await place.apply({ ...settings({}), metadata: { name: 'unrelated' } } as KubernetesObject);
  await makeNamespace(place, 'third'); // comes later, and is related
  await eventually(() => place.env.get('v1', 'ConfigMap', 'third', 'settings'), PATIENT);
  await place.idle();
  const calls = place.server.calls('/global-config-map/sync').slice(before);

  const withoutThird = calls.filter(
    ({ body }) => !('third' in (body.related['Namespace.v1'] ?? {})),
  );
  expect(withoutThird).toEqual([]);
  const selected = calls.flatMap(({ body }) => Object.keys(body.related['ConfigMap.v1'] ?? {}));
  expect(new Set(selected)).toEqual(new Set([`${place.namespace}/settings`]));
  expect(place.server.calls('/global-config-map/customize')).toHaveLength(1);
});

/** Whether the last call had a copy for each namespace but that of the source, and the parent as it is now. */
async function hasSeenItsCopies(place: MetacontrollerPlace): Promise<boolean> {
  const parent = await place.env.get(
    'examples.metacontroller.io/v1alpha1',
    'GlobalConfigMap',
    undefined,
    'everywhere',
  );
  const body = place.server.calls('/global-config-map/sync').at(-1)?.body;
  const namespaces = Object.keys(body?.related['Namespace.v1'] ?? {});
  const wanted = namespaces.filter((name) => name !== place.namespace).length;
  const seen = Object.keys(body?.children['ConfigMap.v1'] ?? {}).length;
  const { resourceVersion } =
    (body as { parent?: KubernetesObject } | undefined)?.parent?.metadata ?? {};
  return wanted > 0 && seen === wanted && resourceVersion === parent?.metadata.resourceVersion;
}

function settings(data: Readonly<Record<string, string>>): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data } as ConfigMap;
}

function globalConfigMap(sourceNamespace: string): KubernetesObject {
  return {
    apiVersion: 'examples.metacontroller.io/v1alpha1',
    kind: 'GlobalConfigMap',
    metadata: { name: 'everywhere' },
    spec: { sourceName: 'settings', sourceNamespace },
  } as KubernetesObject;
}

async function makeNamespace({ env }: MetacontrollerPlace, name: string): Promise<void> {
  await env.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}
