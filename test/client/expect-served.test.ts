import { describe, expect, test } from 'vitest';
import type { Call } from '../../operator/client/call.ts';
import type { Client } from '../../operator/client/client.ts';
import { clientOf, intercept } from '../../operator/client/client-of.ts';
import { expectServed } from '../../operator/client/interceptors/expect-served.ts';
import { configMaps, customResourceDefinitions } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';

const KITES = { name: 'kites.wind.example.org' };
const NAMES = { plural: 'kites', singular: 'kite', kind: 'Kite', listKind: 'KiteList' };

interface Facts {
  readonly uid?: string;
  readonly generation?: number;
  readonly established?: 'True' | 'False';
  readonly deletionTimestamp?: string;
}

function kites({ established = 'True', ...metadata }: Facts = {}) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { ...KITES, uid: 'u1', generation: 1, ...metadata },
    spec: {
      group: 'wind.example.org',
      names: NAMES,
      scope: 'Namespaced',
      versions: [
        { name: 'v1alpha1', served: false, storage: false },
        { name: 'v1beta2', served: true, storage: false },
        { name: 'v1', served: true, storage: true },
      ],
    },
    status: {
      conditions: [
        { type: 'NamesAccepted', status: 'True' },
        { type: 'Established', status: established },
      ],
    },
  } as const;
}

const SERVED = ['wind.example.org/v1beta2', 'wind.example.org/v1'];

/** Clients that have one interceptor, each call of which `answer` answers, and what was expected. */
function setup(answer: (call: Call) => unknown = () => kites()) {
  const expected: string[] = [];
  const interceptor = expectServed({
    expectServed: (groupVersion) => expected.push(groupVersion),
  });
  const newClient = (): Client =>
    intercept(
      clientOf(async (call) => answer(call) as never),
      interceptor,
    );
  /** What one more call has added. */
  const added = async (call: Promise<unknown>): Promise<readonly string[]> => {
    expected.length = 0;
    await call;
    return [...expected];
  };
  return { added, client: newClient(), newClient };
}

const sent = kites() as never;
const patch = { type: 'merge', body: {} } as const;

describe('[W-40] calls that show that the resource of an established definition will be served', () => {
  test.each<[string, (client: Client) => Promise<unknown>]>([
    ['get', (client) => client.get(customResourceDefinitions, KITES)],
    ['find', (client) => client.find(customResourceDefinitions, KITES)],
    ['create', (client) => client.create(customResourceDefinitions, sent)],
    ['apply', (client) => client.apply(customResourceDefinitions, sent)],
    ['update', (client) => client.update(customResourceDefinitions, sent)],
    ['patch', (client) => client.patch(customResourceDefinitions, KITES, patch)],
  ])('after %s of an established definition, its resource is expected to be served', async (_verb, call) => {
    const { added, client } = setup();

    expect(await added(call(client))).toEqual(SERVED);
  });
});

describe('[W-40] calls after which no resource is expected to be served', () => {
  const read = (client: Client): Promise<unknown> => client.find(customResourceDefinitions, KITES);

  test.each<[string, unknown, (client: Client) => Promise<unknown>]>([
    ['a definition that is not established', kites({ established: 'False' }), read],
    ['a definition without conditions', { ...kites(), status: { conditions: null } }, read],
    ['a definition without a status', { ...kites(), status: undefined }, read],
    [
      'a definition that is being deleted',
      kites({ deletionTimestamp: '2026-11-23T07:00:00Z' }),
      read,
    ],
    ['a missing definition', undefined, read],
    ['a list', [kites()], (client) => client.list(customResourceDefinitions)],
    ['a delete', undefined, (client) => client.delete(customResourceDefinitions, KITES)],
    [
      'a dry run',
      kites(),
      (client) => client.apply(customResourceDefinitions, sent, { dryRun: true }),
    ],
    ['another object', kites(), (client) => client.get(configMaps, { ...KITES, namespace: 'a' })],
  ])('after %s, no resource is expected to be served', async (_what, answer, call) => {
    const { added, client } = setup(() => answer);

    expect(await added(call(client))).toEqual([]);
  });
});

test('[W-40] the expectation that a resource will be served is set once per uid and generation of its definition', async () => {
  let live = kites({ established: 'False' });
  const { added, client, newClient } = setup(() => live);
  const read = (by: Client = client): Promise<readonly string[]> =>
    added(by.find(customResourceDefinitions, KITES));

  const absent = await read();
  live = kites();
  const established = [await read(), await read(), await read(newClient())];
  live = kites({ generation: 2 });
  const changed = [await read(), await read(newClient())];
  live = kites();
  const outdated = await read();
  live = kites({ generation: 2 });
  const known = await read();
  live = kites({ uid: 'u2' });
  const madeAnew = [await read(), await read()];

  expect(absent).toEqual([]);
  expect(established).toEqual([SERVED, [], []]);
  expect(changed).toEqual([SERVED, []]);
  expect([outdated, known]).toEqual([[], []]);
  expect(madeAnew).toEqual([SERVED, []]);
});

test('[W-40] the expectation that a resource will be served is remembered for the last 1,000 definitions', async () => {
  const { added, client } = setup((call) => {
    const metadata = 'target' in call ? call.target : KITES;
    return { ...kites(), metadata: { ...metadata, uid: 'u1', generation: 1 } };
  });
  const read = (name: string): Promise<readonly string[]> =>
    added(client.find(customResourceDefinitions, { name }));

  expect([await read('a'), await read('b'), await read('a')]).toEqual([SERVED, SERVED, []]);
  for (let count = 2; count < 1_000; count++) await read(`one-of-many-${count}`);
  expect(await read('b')).toEqual([]);
  await read('one-too-many');
  expect(await read('b')).toEqual(SERVED);
});

test('the answer to a call for another resource is passed on unchanged', () => {
  const answer = new Promise<KubernetesObject>(() => {});
  const client = intercept(
    clientOf(() => answer),
    expectServed({ expectServed: () => {} }),
  );

  expect(client.get(configMaps, { name: 'a', namespace: 'demo' })).toBe(answer);
});

test('the answer or failure of a call for a definition is passed on unchanged', async () => {
  const live = kites();
  const { client } = setup((call) => {
    if (call.verb === 'find') return live;
    throw new Error('refused');
  });

  expect(await client.find(customResourceDefinitions, KITES)).toBe(live);
  await expect(client.get(customResourceDefinitions, KITES)).rejects.toThrow('refused');
});
