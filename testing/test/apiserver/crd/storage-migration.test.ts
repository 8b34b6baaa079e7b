import { describe, expect, onTestFinished, test } from 'vitest';
import type { ApiServer } from '../../../src/apiserver/api-server.ts';
import { eventually } from '../../../src/time/eventually.ts';
import { startCluster } from '../support/cluster.ts';
import { type Review, startWebhook } from '../support/webhook-server.ts';

const MIGRATION = 'storagemigration.k8s.io/v1';
const BETA = 'storagemigration.k8s.io/v1beta1';
const CRD = 'apiextensions.k8s.io/v1';

/** A definition with the versions v1 and v2, of which one is stored. */
function definition(stored: string, conversion?: object): Review {
  return {
    apiVersion: CRD,
    kind: 'CustomResourceDefinition',
    metadata: { name: 'foos.a.example' },
    spec: {
      group: 'a.example',
      scope: 'Namespaced',
      names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === stored,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      })),
      ...(conversion && { conversion }),
    },
  };
}

const foo = (name: string): never =>
  ({
    apiVersion: 'a.example/v1',
    kind: 'Foo',
    metadata: { name, namespace: 'default' },
    spec: { a: 1 },
  }) as never;

function migrate(server: ApiServer, name: string, apiVersion = MIGRATION): void {
  server.create({
    apiVersion,
    kind: 'StorageVersionMigration',
    metadata: { name },
    spec: { resource: { group: 'a.example', resource: 'foos' } },
  } as never);
}

function conditions(server: ApiServer, name: string, apiVersion = MIGRATION): readonly string[] {
  const migration = server.get(apiVersion, 'StorageVersionMigration', undefined, name) as Review;
  return (migration?.status?.conditions ?? []).map((one: Review) => one.type);
}

function storedVersions(server: ApiServer): readonly string[] {
  const found = server.get(CRD, 'CustomResourceDefinition', undefined, 'foos.a.example') as Review;
  return found.status.storedVersions;
}

/** The versions in which objects are written from now on, in order. */
function writtenVersions(server: ApiServer): readonly string[] {
  const versions: string[] = [];
  onTestFinished(
    server.subscribe((resource, { object }) => {
      if (resource === 'foos.a.example') versions.push(object.apiVersion);
    }),
  );
  return versions;
}

describe('[admission 19] a StorageVersionMigration', () => {
  test.each([
    { apiVersion: MIGRATION, options: { generation: '1.37' } },
    { apiVersion: BETA, options: { generation: '1.37', storageMigrations: true } },
    { apiVersion: BETA, options: { storageMigrations: true } },
    { apiVersion: BETA, options: { generation: '1.35', storageMigrations: true } },
  ] as const)('a $apiVersion migration with $options rewrites each object, and storedVersions then contains only the stored version', async ({
    apiVersion,
    options,
  }) => {
    const { server, send } = await startCluster(options);
    server.create(definition('v1'));
    for (const name of ['a', 'b']) server.create(foo(name));
    server.patch(CRD, 'CustomResourceDefinition', undefined, 'foos.a.example', {
      spec: definition('v2').spec,
    });
    const before = storedVersions(server);
    const { body: old } = await send('GET', '/apis/a.example/v2/namespaces/default/foos/a');
    const written = writtenVersions(server);

    migrate(server, 'm', apiVersion);
    await eventually(() => conditions(server, 'm', apiVersion).includes('Succeeded'));

    const { body: now } = await send('GET', '/apis/a.example/v2/namespaces/default/foos/a');
    expect(before).toEqual(['v1', 'v2']);
    expect(storedVersions(server)).toEqual(['v2']);
    expect(conditions(server, 'm', apiVersion)).toEqual(['Succeeded']);
    expect(now.metadata.resourceVersion).not.toBe(old.metadata.resourceVersion);
    expect({ ...now, metadata: { ...now.metadata, resourceVersion: '' } }).toEqual({
      ...old,
      metadata: { ...old.metadata, resourceVersion: '' },
    });
    expect(written).toEqual(['a.example/v2', 'a.example/v2']);
  });

  test('a migration fails at an object that cannot be converted, and a second migration continues at that object', async () => {
    const { server } = await startCluster({ generation: '1.37' });
    let broken = true;
    const converted: string[] = [];
    const { url } = await startWebhook(({ objects, desiredAPIVersion }) => {
      const [object] = objects;
      if (broken && object.metadata.name === 'b') {
        return { convertedObjects: [], result: { status: 'Failure', message: 'not this one' } };
      }
      converted.push(object.metadata.name);
      return {
        convertedObjects: objects.map((one: object) => ({ ...one, apiVersion: desiredAPIVersion })),
        result: { status: 'Success' },
      };
    });
    const conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig: { url }, conversionReviewVersions: ['v1'] },
    };
    server.create(definition('v1', conversion));
    for (const name of ['a', 'b', 'c']) server.create(foo(name));
    server.patch(CRD, 'CustomResourceDefinition', undefined, 'foos.a.example', {
      spec: definition('v2', conversion).spec,
    });

    migrate(server, 'first');
    await eventually(() => conditions(server, 'first').includes('Failed'));
    const after = storedVersions(server);
    broken = false;
    migrate(server, 'second');
    await eventually(() => conditions(server, 'second').includes('Succeeded'));

    expect(after).toEqual(['v1', 'v2']);
    expect(storedVersions(server)).toEqual(['v2']);
    expect(converted).toEqual(['a', 'b', 'c']);
  });

  test('a migration of a resource that is not served fails', async () => {
    const { server } = await startCluster({ generation: '1.37' });

    migrate(server, 'm');
    await eventually(() => conditions(server, 'm').includes('Failed'));

    const found = server.get(MIGRATION, 'StorageVersionMigration', undefined, 'm') as Review;
    expect(found.status.conditions).toMatchObject([
      { type: 'Failed', message: 'resource not found' },
    ]);
  });

  test.each([
    ['1.24', undefined, []],
    ['1.36', undefined, []],
    ['1.37', false, []],
    ['1.35', true, ['v1beta1']],
    ['1.37', undefined, ['v1']],
    ['1.38', true, ['v1', 'v1beta1']],
  ] as const)('Kubernetes %s with `storageMigrations: %s` serves the migration versions %j', async (generation, storageMigrations, versions) => {
    const asked = storageMigrations === undefined ? {} : { storageMigrations };
    const { send } = await startCluster({ generation, ...asked });

    const { body } = await send('GET', '/apis/storagemigration.k8s.io');

    const served = (body?.versions ?? []).map(({ version }: { version: string }) => version);
    expect(served).toEqual(versions);
  });

  test('the option `storageMigrations` with a release that has no migrations causes a CONFIG error', async () => {
    await expect(
      startCluster({ generation: '1.33', storageMigrations: true }),
    ).rejects.toMatchObject({
      code: 'CONFIG',
      message:
        'Kubernetes 1.33 has no StorageVersionMigrations that the embedded API server knows: choose 1.35 or later',
    });
  });
});
