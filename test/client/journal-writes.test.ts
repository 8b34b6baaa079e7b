import { describe, expect, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { clientOf, intercept } from '../../operator/client/client-of.ts';
import { journalWrites } from '../../operator/client/interceptors/journal-writes.ts';
import { configMaps, deployments } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { resourceName } from '../../operator/model/resource.ts';
import type { WriteJournal } from '../../operator/model/write-journal.ts';

const OBJECT: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'demo', uid: 'u1', resourceVersion: '7' },
};
const TARGET = { name: 'a', namespace: 'demo' };

/** What was recorded, in order; every call of the client behind answers `answer`, or fails. */
function setup(fails = false) {
  const recorded: string[] = [];
  const behind = clientOf(async ({ verb }) => {
    recorded.push(verb);
    if (fails) throw new Error('refused');
    return OBJECT;
  });
  const journal: WriteJournal = {
    begin: (resource, { namespace, name }) => {
      recorded.push(`begin ${resourceName(resource)} ${namespace}/${name}`);
      return {
        wrote: ({ metadata }) => recorded.push(`wrote ${metadata.resourceVersion}`),
        deleted: (uid) => recorded.push(`deleted ${uid}`),
      };
    },
  };
  return { client: intercept(behind, journalWrites(journal)), recorded };
}

const patch = { type: 'merge', body: {} } as const;
const object = OBJECT as never;

describe('[K-61] calls that are recorded in the journal of writes', () => {
  test.each<[string, (client: Client) => Promise<unknown>]>([
    ['create', (client) => client.create(configMaps, object)],
    ['apply', (client) => client.apply(configMaps, object)],
    ['apply', (client) => client.applyExisting(configMaps, object)],
    ['update', (client) => client.update(configMaps, object)],
    ['patch', (client) => client.patch(configMaps, TARGET, patch)],
    ['patch', (client) => client.patch(configMaps, TARGET, patch, { subresource: 'status' })],
    ['apply', (client) => client.apply(configMaps, object, { subresource: 'status' })],
  ])('a %s is recorded before and after the request', async (verb, call) => {
    const { client, recorded } = setup();

    const answer = await call(client);

    expect(answer).toBe(OBJECT);
    expect(recorded).toEqual(['begin configmaps demo/a', verb, 'wrote 7']);
  });

  test('a delete is recorded with the uid of its precondition', async () => {
    const { client, recorded } = setup();

    await client.delete(configMaps, TARGET, { preconditions: { uid: 'u1' } });
    await client.delete(deployments, TARGET);

    expect(recorded).toEqual([
      ...['begin configmaps demo/a', 'delete', 'deleted u1'],
      ...['begin deployments.apps demo/a', 'delete', 'deleted undefined'],
    ]);
  });
});

describe('[K-61] calls that are not recorded in the journal of writes', () => {
  test.each<[string, string, (client: Client) => Promise<unknown>]>([
    ['a read', 'get', (client) => client.get(configMaps, TARGET)],
    ['a list', 'list', (client) => client.list(configMaps)],
    ['a dry run', 'create', (client) => client.create(configMaps, object, { dryRun: true })],
    [
      'a dry run of a patch',
      'patch',
      (client) => client.patch(configMaps, TARGET, patch, { dryRun: true }),
    ],
    [
      'a subresource that is another object',
      'patch',
      (client) => client.patch(deployments, TARGET, patch, { subresource: 'scale' }),
    ],
    ['an eviction', 'evict', (client) => client.evict(TARGET)],
  ])('nothing is recorded for %s', async (_what, verb, call) => {
    const { client, recorded } = setup();

    await call(client);

    expect(recorded).toEqual([verb]);
  });

  test('no success is recorded for a failed call', async () => {
    const { client, recorded } = setup(true);

    await expect(client.create(configMaps, object)).rejects.toThrow('refused');
    await expect(client.delete(configMaps, TARGET)).rejects.toThrow('refused');

    expect(recorded).toEqual([
      ...['begin configmaps demo/a', 'create'],
      ...['begin configmaps demo/a', 'delete'],
    ]);
  });
});
