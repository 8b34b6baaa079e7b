import { expect, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { clientOf, intercept } from '../../operator/client/client-of.ts';
import { observeWrites } from '../../operator/controller/run/observe-writes.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';

const target = { namespace: 'demo', name: 'a' };
const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: target };
const versioned = { ...object, metadata: { ...target, resourceVersion: '3' } };
const merge = { type: 'merge', body: {} } as const;

/** A server that answers each write with version 7, and a cache that knows `known`. */
function observed(known: string | undefined, fails = false) {
  const wrote: string[] = [];
  const server = clientOf(async () => {
    if (fails) throw new Error('refused');
    return { ...object, metadata: { ...target, resourceVersion: '7' } };
  });
  const observer = { known: () => known, wrote: (name: string) => void wrote.push(name) };
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
const NAME = 'configmaps demo/a';

test.each([...WRITES, ...CREATE_AND_DELETE])('a successful %s is observed', async (_, write) => {
  for (const known of ['6', undefined]) {
    const { client, wrote } = observed(known);

    await write(client, false);

    expect(wrote).toEqual([NAME]);
  }
});

test.each(
  WRITES,
)('an %s that is answered with the known version has changed nothing', async (_, write) => {
  const { client, wrote } = observed('7');

  await write(client, false);

  expect(wrote).toEqual([]);
});

test.each(CREATE_AND_DELETE)('a %s is observed, whatever version was known', async (_, write) => {
  const { client, wrote } = observed('7');

  await write(client, false);

  expect(wrote).toEqual([NAME]);
});

test.each([
  ...WRITES,
  ...CREATE_AND_DELETE,
])('a dry run of %s is not observed, nor is one that fails', async (_, write) => {
  const dry = observed('6');
  const failing = observed('6', true);

  await write(dry.client, true);
  await expect(write(failing.client, false)).rejects.toThrow('refused');

  expect([...dry.wrote, ...failing.wrote]).toEqual([]);
});

test('reads and evictions are not observed', async () => {
  const { client, wrote } = observed('6');

  await client.get(configMaps, target);
  await client.find(configMaps, target);
  await client.list(configMaps);
  await client.evict(target);

  expect(wrote).toEqual([]);
});
