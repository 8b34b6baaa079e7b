/** `chancery migrate`: what it asks of the control plane, how it goes on after an interruption, and how it ends. */
import { ApiServer, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { connect } from '../../operator/client/connection.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { customResourceDefinitions } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource, type Resource } from '../../operator/model/resource.ts';
import { storageMigration, storageMigrations } from '../../operator/model/storage-migration.ts';
import { type Invocation, invoke } from './invocation.ts';

const NAME = 'boats.harbour.example';
const MIGRATION = 'boats.harbour.example-v1';
const migrations = storageMigrations('v1');
const boats = defineResource({
  ...{ group: 'harbour.example', version: 'v1', plural: 'boats', kind: 'Boat', namespaced: true },
});

const schema = {
  openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

/** The definition of Boats, which were stored as v1alpha1 and are stored as v1 from now on. */
const definition = (stored = 'v1'): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: NAME },
  spec: {
    group: 'harbour.example',
    scope: 'Namespaced',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
    versions: ['v1alpha1', 'v1', 'v2'].map((name) => ({
      ...{ name, served: true, storage: name === stored, schema },
    })),
  },
});

/** Stands in for the API of migrations, which a control plane serves. */
const MIGRATION_API: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'storageversionmigrations.storagemigration.k8s.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, a stand-in' },
  },
  spec: {
    group: 'storagemigration.k8s.io',
    scope: 'Cluster',
    names: {
      plural: 'storageversionmigrations',
      singular: 'storageversionmigration',
      kind: 'StorageVersionMigration',
      listKind: 'StorageVersionMigrationList',
    },
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
  },
};

interface World {
  readonly server: ApiServer;
  readonly client: Client;
  run(): Invocation;
  stored(): Promise<readonly string[]>;
  /** Sets the storage version, as a new release of the definition does. */
  storeAs(version: string): Promise<void>;
  /** The control plane ends the migration that there is. */
  conclude(type: 'Succeeded' | 'Failed', message?: string): Promise<KubernetesObject>;
}

/** @param served - whether there are migrations, and who works on them: the test, or the server itself. */
async function start({
  served = true,
}: {
  readonly served?: boolean | 'by the control plane';
} = {}): Promise<World> {
  const server = await ApiServer.start({
    generation: served === 'by the control plane' ? '1.37' : '1.36',
  });
  onTestFinished(() => server.close());
  const connection = connect(server.url, { clock: systemClock });
  onTestFinished(() => connection.close());
  const client = connection.clientFor('control-plane');
  const definitions = customResourceDefinitions as Resource as Resource<KubernetesObject>;
  server.applyManifest(JSON.stringify(definition('v1alpha1')));
  if (served === true) server.applyManifest(JSON.stringify(MIGRATION_API));
  await eventually(async () => (await client.list(boats)).length === 0);
  if (served) await eventually(async () => (await client.list(migrations)).length === 0);
  const world: World = {
    server,
    client,
    run: () => invoke(['migrate', NAME, '--server', server.url]),
    async stored() {
      const { status } = (await client.get(definitions, { name: NAME })) as unknown as {
        readonly status: { readonly storedVersions: readonly string[] };
      };
      return status.storedVersions;
    },
    async storeAs(version) {
      const body = [
        {
          op: 'replace',
          path: '/spec/versions',
          value: (definition(version) as { spec: { versions: unknown } }).spec.versions,
        },
      ] as const;
      await client.patch(definitions, { name: NAME }, { type: 'json', body });
    },
    async conclude(type, message = '') {
      const found = await eventually(() => client.find(migrations, { name: MIGRATION }));
      const condition = { type, status: 'True', reason: `Migration${type}`, message };
      const body = { status: { conditions: [condition] } };
      const options = { subresource: 'status' };
      await client.patch(migrations, { name: MIGRATION }, { type: 'merge', body }, options);
      return found;
    },
  };
  await world.storeAs('v1');
  return world;
}

test('[A-18] [admission 19] `migrate` rewrites all objects, and reduces storedVersions to one version', async () => {
  const { run, stored, conclude } = await start();
  expect(await stored()).toEqual(['v1alpha1', 'v1']);

  const { exit, stdout } = run();
  const migration = await conclude('Succeeded');

  expect(await exit).toBe(0);
  expect(await stored()).toEqual(['v1']);
  expect(migration).toMatchObject({
    apiVersion: 'storagemigration.k8s.io/v1',
    kind: 'StorageVersionMigration',
    spec: { resource: { group: 'harbour.example', resource: 'boats' } },
  });
  expect(stdout.lines).toEqual([
    `${NAME}: objects may be stored in v1alpha1`,
    `${MIGRATION}: created`,
    expect.stringMatching(/the control plane works on it|all objects have been written/),
    ...stdout.lines.slice(3, -1),
    `${NAME}: all objects are stored in v1`,
  ]);
});

test('[A-18] [admission 19] after `migrate` was stopped, the next run continues the existing migration', async () => {
  const { run, stored, conclude, client } = await start();
  const first = run();
  const begun = await eventually(() => client.find(migrations, { name: MIGRATION }));
  first.stop();
  expect(await first.exit).toBe(1);
  expect(first.stderr.lines).toEqual(['chancery migrate: stopped; start it again to go on']);

  const second = run();
  const concluded = await conclude('Succeeded');

  expect(await second.exit).toBe(0);
  expect(concluded.metadata.uid).toBe(begun.metadata.uid);
  expect(await stored()).toEqual(['v1']);
});

test('[A-18] [admission 19] with the migration API, the control plane rewrites each object', async () => {
  const { run, stored, storeAs, client, server } = await start({ served: 'by the control plane' });
  await storeAs('v1alpha1');
  for (const name of ['ann', 'bea']) {
    await client.create(boats, {
      ...{ apiVersion: 'harbour.example/v1', kind: 'Boat' },
      ...{ metadata: { name, namespace: 'default' } },
    });
  }
  await storeAs('v1');
  const written: string[] = [];
  onTestFinished(
    server.subscribe((resource, { object }) => {
      if (resource === NAME) written.push(object.apiVersion);
    }),
  );

  const { exit, stdout } = run();

  expect(await exit).toBe(0);
  expect(await stored()).toEqual(['v1']);
  expect(stdout.lines.at(-1)).toBe(`${NAME}: all objects are stored in v1`);
  expect(written).toEqual(['harbour.example/v1', 'harbour.example/v1']);
});

test('`migrate` does nothing if all objects are stored in the storage version', async () => {
  const { run, conclude, client, server } = await start();
  const first = run();
  await conclude('Succeeded');
  await first.exit;
  await client.delete(migrations, { name: MIGRATION });
  const before = server.requests.length;

  const { exit, stdout } = run();

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([`${NAME}: all objects are stored in v1`]);
  expect(server.requests.slice(before).every(({ method }) => method === 'GET')).toBe(true);
});

test('if a migration fails, `migrate` prints why, and the next run creates a new migration', async () => {
  const { run, stored, conclude } = await start();
  const first = run();
  const failed = await conclude('Failed', 'the webhook of boats is away');
  expect(await first.exit).toBe(1);
  expect(first.stderr.lines.join()).toContain('the webhook of boats is away');

  const second = run();
  await eventually(() => second.stdout.lines.some((line) => line.endsWith(': created')));
  const concluded = await conclude('Succeeded');

  expect(await second.exit).toBe(0);
  expect(concluded.metadata.uid).not.toBe(failed.metadata.uid);
  expect(await stored()).toEqual(['v1']);
});

test('if the definition has changed since a migration, `migrate` creates a new one', async () => {
  const { run, stored, conclude, client } = await start();
  const old = await client.create(migrations, {
    ...storageMigration(NAME, 'v1'),
    metadata: { name: MIGRATION, annotations: { 'chancery.dev/definition-generation': '1' } },
  });
  await conclude('Succeeded');

  const { exit, stdout } = run();
  await eventually(() => stdout.lines.includes(`${MIGRATION}: created`));
  expect(await stored()).toEqual(['v1alpha1', 'v1']);
  const concluded = await conclude('Succeeded');

  expect(await exit).toBe(0);
  expect(concluded.metadata.uid).not.toBe(old.metadata.uid);
  expect(await stored()).toEqual(['v1']);
});

test('[A-18] without the migration API, `migrate` itself rewrites each object unchanged', async () => {
  const { run, stored, client, server } = await start({ served: false });
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'quay' } });
  for (const name of ['ann', 'bea']) {
    await client.create(boats, {
      ...{ apiVersion: 'harbour.example/v1', kind: 'Boat', metadata: { name, namespace: 'quay' } },
      ...{ spec: { name } },
    });
  }

  const { exit, stdout } = run();

  expect(await exit).toBe(0);
  expect(await stored()).toEqual(['v1']);
  expect(stdout.lines).toContain(`${NAME}: 2 objects written`);
  const written = server.requests.filter(
    ({ method, path }) => method === 'PATCH' && path.includes('/boats/'),
  );
  expect(written.map(({ path }) => path.replace(/.*\//, '').replace(/\?.*/, ''))).toEqual([
    'ann',
    'bea',
  ]);
  expect(
    (await client.list(boats)).map((each) => (each as unknown as { spec: object }).spec),
  ).toEqual([{ name: 'ann' }, { name: 'bea' }]);
});

test.each([
  ['no name', [], 'expected the name of one definition'],
  ['a name without a group', ['boats'], 'expected the name of one definition'],
  ['a definition that does not exist', ['ships.harbour.example'], 'there is no such definition'],
])('`migrate` exits with 2 for %s', async (_what, words, why) => {
  const { server } = await start();

  const { exit, stderr } = invoke(['migrate', ...words, '--server', server.url]);

  expect(await exit).toBe(2);
  expect(stderr.lines.join()).toContain(why);
});
