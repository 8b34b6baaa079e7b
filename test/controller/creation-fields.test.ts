/** What was stated when a child was made, and is stated no more, against the embedded API server. */
import { describe, expect, test } from 'vitest';
import type { Desired } from '../../operator/controller/reconciler.ts';
import { type ConfigMap, configMaps, deployments } from '../../operator/model/builtin.ts';
import { services } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { isUidMismatch, isVersionConflict } from '../../operator/model/refusal.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { type Family, startFamily } from '../support/owner-and-children.ts';

const metadata = { name: 'a' };
const labels = { app: 'a' };

type Service = typeof services extends Resource<infer T> ? T : never;
type Deployment = typeof deployments extends Resource<infer T> ? T : never;
type Port = NonNullable<NonNullable<Service['spec']>['ports']>[number];

function service(...ports: Port[]): Desired<Service> {
  return { metadata, spec: { selector: labels, ports } };
}

async function portsOf({ env, namespace }: Family): Promise<readonly Partial<Port>[]> {
  const live = await env.get<Service>('v1', 'Service', namespace, 'a');
  return (live?.spec?.ports ?? []).map(({ name, port, protocol }) => ({
    ...(name !== undefined && { name }),
    port,
    ...(protocol !== 'TCP' && { protocol }),
  }));
}

function deployment(container: object, pod: object = {}): Desired<Deployment> {
  const containers = [{ name: 'a', image: 'a', ...container }];
  const template = { metadata: { labels }, spec: { containers, ...pod } };
  return { metadata, spec: { selector: { matchLabels: labels }, template } };
}

async function podOf({ env, namespace }: Family) {
  const live = await env.get<Deployment>('apps/v1', 'Deployment', namespace, 'a');
  const [container] = live?.spec.template.spec?.containers ?? [];
  return { container, volumes: live?.spec.template.spec?.volumes ?? [] };
}

describe('[K-34] an applied list in which the key of an item changes', () => {
  test.each<[string, readonly Port[], readonly Port[]]>([
    ['the number of a port', [{ port: 80 }], [{ port: 81 }]],
    ['the number of a port with a name', [{ name: 'w', port: 80 }], [{ name: 'w', port: 81 }]],
    [
      'the same port for UDP and TCP',
      [
        { name: 't', port: 53 },
        { name: 'u', port: 53, protocol: 'UDP' },
      ],
      [{ name: 't', port: 53 }],
    ],
    [
      'the exchanged numbers of two ports',
      [
        { name: 'x', port: 1 },
        { name: 'y', port: 2 },
      ],
      [
        { name: 'x', port: 2 },
        { name: 'y', port: 1 },
      ],
    ],
  ])('after a change of %s, a Service has exactly the applied ports', async (_, before, after) => {
    const family = await startFamily();
    await family.apply(services, service(...before));

    await family.apply(services, service(...after));

    expect(await portsOf(family)).toEqual(after);
  });

  test.each([
    ['', false],
    [', even if an earlier process created it', true],
  ])("if a container's port is changed, the old port is removed%s", async (_, restarted) => {
    const family = await startFamily();
    const port = (containerPort: number) => [{ name: 'web', containerPort }];
    await family.apply(deployments, deployment({ ports: port(80) }));
    if (restarted) family.restart();

    await family.apply(deployments, deployment({ ports: port(81) }));
    await family.apply(deployments, deployment({ ports: port(82) }));

    const { container } = await podOf(family);
    expect(container?.ports).toEqual([{ name: 'web', containerPort: 82, protocol: 'TCP' }]);
    if (!family.env.supports('events')) return;
    const seen = family.env.events
      .history('deployments.apps', family.namespace, 'a')
      .map((object) => (object as Deployment).spec.template.spec?.containers[0]?.ports?.length);
    expect(new Set(seen)).toEqual(new Set([1]));
  });

  test('[K-33] variables, volumes and mounts of a Pod that are no longer applied are removed', async () => {
    const family = await startFamily();
    const env = (...names: string[]) => names.map((name) => ({ name, value: 'x' }));
    const volumes = ['v', 'w'].map((name) => ({ name, emptyDir: {} }));
    const volumeMounts = ['v', 'w'].map((name) => ({ name, mountPath: `/${name}` }));
    await family.apply(deployments, deployment({ env: env('A', 'B'), volumeMounts }, { volumes }));

    const left = { env: env('B', 'C'), volumeMounts: volumeMounts.slice(1) };
    await family.apply(deployments, deployment(left, { volumes: volumes.slice(1) }));

    const { container, volumes: shown } = await podOf(family);
    expect(container?.env).toEqual(left.env);
    expect(container?.volumeMounts).toEqual(left.volumeMounts);
    expect(shown).toEqual(volumes.slice(1));
  });

  test('[K-33] an item in a list of a custom resource is removed when it is no longer applied', async () => {
    const family = await startFamily();
    await family.env.apply([gardenDefinition()]);
    const beds = (...numbers: number[]) => numbers.map((number) => ({ number, plant: 'kale' }));
    await family.apply(gardens, { metadata, spec: { beds: beds(1, 2) } });

    await family.apply(gardens, { metadata, spec: { beds: beds(3) } });

    const live = await family.env.get<Garden>('example.dev/v1', 'Garden', family.namespace, 'a');
    expect(live?.spec.beds).toEqual(beds(3));
  });

  test('[K-33] a field that was applied in an earlier API version is also removed', async () => {
    const family = await startFamily();
    await family.env.apply([gardenDefinition('v1', 'v2')]);
    const beds = (...numbers: number[]) => numbers.map((number) => ({ number, plant: 'kale' }));
    await family.apply(gardens, { metadata, spec: { beds: beds(1, 2) } });
    family.restart();

    const next = { ...gardens, version: 'v2' };
    await family.apply(next, { metadata, spec: { beds: beds(2, 3) } });
    await family.apply(next, { metadata, spec: { beds: beds(3) } });

    const live = await family.env.get<Garden>('example.dev/v1', 'Garden', family.namespace, 'a');
    expect(live?.spec.beds).toEqual(beds(3));
  });
});

describe('[K-44] the requests for a child that is created, and then changed by apply', () => {
  const stated = (text: string): Desired<ConfigMap> => ({ metadata, data: { text } });

  async function requestsOf(
    family: Family,
    act: () => Promise<unknown>,
  ): Promise<readonly string[]> {
    const before = family.requests().length;
    await act();
    return family.requests().slice(before);
  }

  /** Whose cache is as new as the server, and keeps no managedFields. */
  async function cachedFamily(): Promise<Family> {
    const family = await startFamily();
    const apply: Family['apply'] = async (resource, desired, options) => {
      const object = await family.apply(resource, desired, options);
      const { managedFields: _, ...names } = object.metadata;
      family.cached.set(names.name, { ...object, metadata: names });
      return object;
    };
    family.cached.set('a', undefined);
    return { ...family, apply };
  }

  test('an unchanged child causes no request, its first change a read and a patch, and each later change a patch', async () => {
    const family = await cachedFamily();

    const created = await requestsOf(family, () => family.apply(configMaps, stated('one')));
    const unchanged = await requestsOf(family, () => family.apply(configMaps, stated('one')));
    const first = await requestsOf(family, () => family.apply(configMaps, stated('two')));
    const second = await requestsOf(family, () => family.apply(configMaps, stated('three')));

    expect(created).toEqual(['create']);
    expect(unchanged).toEqual([]);
    expect(first).toEqual(['get a', 'patch a', 'patch a']);
    expect(second).toEqual(['patch a']);
  });

  test('after a restart, an unchanged child is applied once', async () => {
    const family = await cachedFamily();
    await family.apply(configMaps, stated('one'));
    await family.apply(configMaps, stated('two'));

    family.restart();
    const again = await requestsOf(family, () => family.apply(configMaps, stated('two')));

    expect(again).toEqual(['patch a']);
  });
});

describe('[K-35] fields of other managers in a created child', () => {
  test('an apply does not take over fields of other managers, or fields the controller itself patched', async ({
    skip,
  }) => {
    const { env, namespace, apply, client, child, clock } = await startFamily();
    skip(!env.supports('clock'), 'the API server has a clock of its own');
    await apply(configMaps, { metadata, data: { k: 'v', gone: 'x' } });
    await env.patch('v1', 'ConfigMap', namespace, 'a', { data: { theirs: 'x' } });
    for (const field of ['now', 'later']) {
      const body = { data: { [field]: 'x' } };
      await client.patch(configMaps, { namespace, name: 'a' }, { type: 'merge', body });
      clock.advance(5_000);
    }

    await apply(configMaps, { metadata, data: { k: 'w' } });

    expect((await child())?.data).toEqual({ k: 'w', later: 'x', now: 'x', theirs: 'x' });
  });

  test.each([
    1, 2,
  ])('fields that the controller patched within a second of the creation stay after %i changes', async (changes) => {
    const { namespace, apply, client, child } = await startFamily();
    await apply(configMaps, { metadata, data: { k: 'v', gone: 'x' } });
    const body = { data: { patched: 'x' } };
    await client.patch(configMaps, { namespace, name: 'a' }, { type: 'merge', body });

    for (let time = 0; time < changes; time++) {
      await apply(configMaps, { metadata, data: { k: `w${time}` } });
    }

    expect((await child())?.data).toEqual({ k: `w${changes - 1}`, patched: 'x' });
  });

  test('with `force: false`, fields that the controller itself created cause no conflict', async () => {
    const { apply, child } = await startFamily();
    await apply(configMaps, { metadata, data: { k: 'v' } });

    await apply(configMaps, { metadata, data: { k: 'w' } }, { force: false });

    expect((await child())?.data).toEqual({ k: 'w' });
  });

  test('fields of a created child are recognised even if a webhook delayed the creation', async () => {
    // The server notes the time of the entry first, and that of the creation in the end.
    const { apply, client, child, owner, namespace } = await startFamily(
      (next) => async (call) => earlier(await next(call)),
    );
    const { uid = '' } = owner.metadata;
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true };
    const names = { ...metadata, namespace, ownerReferences: [reference] };
    const data = { k: 'v', old: 'x' };
    await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: names, data });

    await apply(configMaps, { metadata, data: { k: 'w' } });

    expect((await child())?.data).toEqual({ k: 'w' });
  });

  test('an apply takes over the fields of former field managers, whether they created or applied them', async () => {
    const { env, apply, client, owner, namespace, child } = await startFamily();
    const { uid = '' } = owner.metadata;
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true };
    const names = { ...metadata, namespace, ownerReferences: [reference] };
    const made = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: names,
      data: { k: 'v', old: 'x' },
    };
    await client.create(configMaps, made, { fieldManager: 'original' });
    const { ownerReferences: _, ...plain } = names;
    const applied = { ...made, metadata: plain, data: { applied: 'x' } };
    await client.apply(configMaps, applied, { fieldManager: 'renamed' });
    await env.patch('v1', 'ConfigMap', namespace, 'a', { data: { theirs: 'x' } });

    const formerManagers = ['original', 'renamed'];
    await apply(configMaps, { metadata, data: { k: 'w' } }, { formerManagers });

    expect((await child())?.data).toEqual({ k: 'w', theirs: 'x' });
  });
});

describe('[K-35] another writer changes the child during an apply', () => {
  /** Somebody changes the child before each of the first `times` patches that hand fields over. */
  async function raced(times: number): Promise<Family> {
    let left = times;
    const family: Family = await startFamily((next) => async (call) => {
      if (call.verb === 'patch' && call.patch.type === 'json' && left > 0) {
        left -= 1;
        const data = { [`n${left}`]: 'x' };
        await family.env.patch('v1', 'ConfigMap', family.namespace, 'a', { data });
      }
      return next(call);
    });
    await family.apply(configMaps, { metadata, data: { k: 'v', old: 'x' } });
    return family;
  }

  test('if another writer changes the child during an apply, the apply is repeated with the newer object', async () => {
    const { apply, child } = await raced(2);

    await apply(configMaps, { metadata, data: { k: 'w' } });

    expect((await child())?.data).toEqual({ k: 'w', n0: 'x', n1: 'x' });
  });

  test('if others change the child again and again, an apply fails with a conflict; the next one succeeds', async () => {
    const { apply, child } = await raced(5);

    const error = await apply(configMaps, { metadata, data: { k: 'w' } }).catch((e: unknown) => e);
    const meanwhile = await child();
    await apply(configMaps, { metadata, data: { k: 'w' } });

    expect(isVersionConflict(error)).toBe(true);
    expect(meanwhile?.data).toMatchObject({ k: 'v', old: 'x' });
    expect(Object.keys((await child())?.data ?? {}).toSorted()).toEqual([
      ...['k', 'n0', 'n1', 'n2', 'n3', 'n4'],
    ]);
  });

  test('if another client deletes the child during an apply, the child is not created again', async () => {
    const family: Family = await startFamily((next) => async (call) => {
      if (call.verb === 'patch' && call.patch.type === 'json') {
        await family.env.delete('v1', 'ConfigMap', family.namespace, 'a');
      }
      return next(call);
    });
    await family.apply(configMaps, { metadata, data: { k: 'v' } });

    const again = family.apply(configMaps, { metadata, data: { k: 'w' } });

    await expect(again).rejects.toSatisfy(isUidMismatch);
    expect(await family.child()).toBeUndefined();
  });
});

describe('[K-35] a child with an unreadable entry in managedFields', () => {
  const creator = { manager: 'tester/create', operation: 'Update', apiVersion: 'v1' };

  test.each<[string, unknown]>([
    ['nothing', null],
    ['a string', 'tester/create'],
    ['its fields are a string', { ...creator, fieldsV1: 'f:data' }],
    ['its fields are a list', { ...creator, fieldsV1: [] }],
    ['it has no fields', creator],
    ['one of its fields is a string', { ...creator, fieldsV1: { 'f:data': 'f:old' } }],
    ['one of its fields is null', { ...creator, fieldsV1: { 'f:data': null } }],
  ])('an unreadable entry in managedFields has no effect: %s', async (_, entry) => {
    const family = await startFamily((next) => async (call) => {
      const isOwn = call.verb === 'patch' && call.patch.type === 'json';
      const answer = await next(isOwn ? without(entry, call) : call);
      return isOwn ? answer : withEntry(entry, answer);
    });
    await family.apply(configMaps, { metadata, data: { k: 'v', old: 'x' } });
    await family.env.patch('v1', 'ConfigMap', family.namespace, 'a', { data: { theirs: 'x' } });

    await family.apply(configMaps, { metadata, data: { k: 'w' } });

    expect((await family.child())?.data).toEqual({ k: 'w', theirs: 'x' });
  });
});

function withEntry<R>(entry: unknown, answer: R): R {
  const { metadata } = (answer ?? {}) as Partial<KubernetesObject>;
  if (metadata?.managedFields === undefined) return answer;
  const managedFields = [entry, ...metadata.managedFields];
  return { ...answer, metadata: { ...metadata, managedFields } };
}

/** The call as a server that has the entry would take it. */
function without<C>(entry: unknown, call: C): C {
  return JSON.parse(JSON.stringify(call), (key, value) =>
    key === 'value' && Array.isArray(value)
      ? value.filter((each) => JSON.stringify(each) !== JSON.stringify(entry))
      : value,
  );
}

/** An answer whose managedFields are of three seconds before. */
function earlier<R>(answer: R): R {
  if (answer === undefined) return answer;
  return JSON.parse(JSON.stringify(answer), (key, value) =>
    key === 'time' ? new Date(Date.parse(value) - 3_000).toISOString() : value,
  );
}

interface Garden extends KubernetesObject {
  readonly spec: { readonly beds: readonly { readonly number: number; readonly plant: string }[] };
}

const gardens = defineResource<Garden>({
  group: 'example.dev',
  version: 'v1',
  plural: 'gardens',
  kind: 'Garden',
  namespaced: true,
});

/** @param stored - the first version, and others that are served as well. */
function gardenDefinition(...[stored = 'v1', ...others]: string[]): KubernetesObject {
  const properties = { number: { type: 'integer' }, plant: { type: 'string' } };
  const beds = {
    type: 'array',
    items: { type: 'object', required: ['number'], properties },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['number'],
  };
  const spec = { type: 'object', properties: { beds } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gardens.example.dev' },
    spec: {
      group: 'example.dev',
      scope: 'Namespaced',
      names: { plural: 'gardens', singular: 'garden', kind: 'Garden', listKind: 'GardenList' },
      versions: [stored, ...others].map((name) => ({
        ...{ name, served: true, storage: name === stored, schema: { openAPIV3Schema } },
      })),
    },
  };
  return definition;
}
