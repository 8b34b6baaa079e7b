import { expect, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { clientOf, intercept } from '../../operator/client/client-of.ts';
import type { AcceptedWrite } from '../../operator/controller/policies/key-gate.ts';
import { observeWrites } from '../../operator/controller/run/observe-writes.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';

const target = { namespace: 'demo', name: 'a' };
const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: target };
const versioned = { ...object, metadata: { ...target, resourceVersion: '3' } };
const merge = { type: 'merge', body: {} } as const;

/** A server that answers each write with version 7, and a cache that knows `known`. */
function observed(known: string | undefined, fails = false) {
  const wrote: AcceptedWrite[] = [];
  const server = clientOf(async () => {
    if (fails) throw new Error('refused');
    return { ...object, metadata: { ...target, resourceVersion: '7' } };
  });
  const cached =
    known === undefined ? [] : [{ ...object, metadata: { ...target, resourceVersion: known } }];
  const observer = {
    cached: () => cached,
    wrote: (write: AcceptedWrite) => void wrote.push(write),
  };
  return { client: intercept(server, observeWrites(observer)), wrote };
}

const WRITES: readonly [string, (client: Client, dryRun: boolean) => Promise<unknown>][] = [
  ['apply', (client, dryRun) => client.apply(configMaps, object, { dryRun })],
  ['update', (client, dryRun) => client.update(configMaps, versioned, { dryRun })],
  ['patch', (client, dryRun) => client.patch(configMaps, target, merge, { dryRun })],
];
const CREATE_AND_DELETE: typeof WRITES = [
  ['create', (client, dryRun) => client.create(configMaps, object, { dryRun })],
  ['delete', (client, dryRun) => client.delete(configMaps, target, { dryRun })],
];

/** The names of writes, each with whether it has changed something. */
const plain = (wrote: readonly AcceptedWrite[]): readonly (readonly [string, boolean])[] =>
  wrote.map(({ resource, namespace, name, hasChanged }) => [
    `${resource.plural} ${namespace}/${name}`,
    hasChanged,
  ]);
const NAME = 'configmaps demo/a';

test.each([
  ...WRITES,
  ...CREATE_AND_DELETE,
])('a successful %s is reported as a write', async (_, write) => {
  for (const known of ['6', undefined]) {
    const { client, wrote } = observed(known);

    await write(client, false);

    expect(plain(wrote)).toEqual([[NAME, true]]);
  }
});

test.each(
  WRITES,
)('an %s that returns the version in the cache is reported as unchanged', async (_, write) => {
  const { client, wrote } = observed('7');

  await write(client, false);

  expect(plain(wrote)).toEqual([[NAME, false]]);
});

test.each(
  CREATE_AND_DELETE,
)('a %s is reported as a change, whatever version is in the cache', async (_, write) => {
  const { client, wrote } = observed('7');

  await write(client, false);

  expect(plain(wrote)).toEqual([[NAME, true]]);
});

test.each([
  ...WRITES,
  ...CREATE_AND_DELETE,
])('a dry run of %s, or a failed call, is not reported as a write', async (_, write) => {
  const dry = observed('6');
  const failing = observed('6', true);

  await write(dry.client, true);
  await expect(write(failing.client, false)).rejects.toThrow('refused');

  expect([...dry.wrote, ...failing.wrote]).toEqual([]);
});

test('reads and evictions are not reported as writes', async () => {
  const { client, wrote } = observed('6');

  await client.get(configMaps, target);
  await client.find(configMaps, target);
  await client.list(configMaps);
  await client.evict(target);

  expect(wrote).toEqual([]);
});

test("the report of a delete contains the cached object, and the report of a write contains the server's answer", async () => {
  const { client, wrote } = observed('6');

  await client.delete(configMaps, target);
  await client.apply(configMaps, object);

  expect(wrote).toMatchObject([
    { isDelete: true, answer: undefined, before: [{ metadata: { resourceVersion: '6' } }] },
    { isDelete: false, answer: { metadata: { resourceVersion: '7' } } },
  ]);
});

test('the answer to a write of the subresource `scale` is not mistaken for the object', async () => {
  const { client, wrote } = observed('6');

  await client.patch(configMaps, target, merge, { subresource: 'scale' });
  await client.patch(configMaps, target, merge, { subresource: 'status' });

  expect(wrote.map(({ answer }) => answer !== undefined)).toEqual([false, true]);
});
