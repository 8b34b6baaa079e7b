/** Children whose metadata no kube-apiserver writes, or that recursion cannot follow: other parents are synced. */

import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { restClient } from '../../operator/client/rest-client.ts';
import { child } from '../../operator/composite/child.ts';
import { composite } from '../../operator/composite/composite.ts';
import type { ObjectMeta } from '../../operator/model/object.ts';
import { AlreadyOwnedError } from '../../operator/model/owner-reference.ts';
import type { TransportRequest } from '../../operator/transport/transport.ts';
import { cannedTransport } from '../client/canned-transport.ts';
import { ControllerBench, others, recordKeys, things } from '../support/controller-bench.ts';
import type { Thing } from '../support/fake-collection.ts';

const DEPTH = 50_000;
const DEEP = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;
const NAMES = ['a', 'bad', 'z'] as const;

/** Owners are said before these; `OURS` stands for the parent. */
const HOSTILE: readonly [string, string][] = [
  ['owners with a null among them', '{"ownerReferences":[null,OURS]}'],
  ['owners with a list among them', '{"ownerReferences":[OURS,[["x"]]]}'],
  ['an owner that is null', '{"ownerReferences":[null]}'],
  ['owners that are a number', '{"ownerReferences":7}'],
  ['owners that are an object', '{"ownerReferences":{"length":1}}'],
  ['null for its labels', '{"labels":null,"ownerReferences":[OURS]}'],
  ['a label that is null', '{"labels":{"of":null},"ownerReferences":[null,OURS]}'],
  ['a label nested deeply', `{"labels":{"of":${DEEP}},"ownerReferences":[OURS]}`],
  ['an annotation nested deeply', `{"annotations":{"x":${DEEP}},"ownerReferences":[OURS]}`],
  ['null for its annotations', '{"annotations":null,"ownerReferences":[OURS]}'],
  ['finalizers that are an object', '{"finalizers":{"0":"x"},"ownerReferences":[OURS]}'],
  [
    'finalizers that are a string, during deletion',
    '{"finalizers":"x","deletionTimestamp":5,"ownerReferences":[OURS]}',
  ],
];

/** A server that stores what it is sent; merge patches are answered with the child that they name. */
function server() {
  return cannedTransport(({ method, path, body }) => {
    if (method === 'DELETE')
      return { body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
    const [, plural, name] = /(things|others)\/?([a-z]*)/.exec(path) ?? [];
    const facts = `"name":"${name}","namespace":"demo","uid":"c-1","resourceVersion":"900"`;
    const form = '"apiVersion":"example.dev/v1","kind":"Thing"';
    // It finds what was asked for: the parents are alive, by the uid of the collection.
    const uid = `uid-${NAMES.indexOf(name as (typeof NAMES)[number]) + 1}`;
    if (body === undefined && plural === 'things')
      return { body: `{${form},"metadata":{${facts.replace('c-1', uid)}}}` };
    const sent = method === 'POST' ? String(body) : undefined;
    return { body: sent ?? `{${form},"metadata":{${facts}},"value":1}` };
  });
}

/** What was written as an owner, and is none. */
function strayOwners(requests: readonly TransportRequest[]): readonly unknown[] {
  const written = requests
    .filter(({ method }) => method === 'PATCH')
    .map(({ body }) => JSON.parse(String(body)).metadata.ownerReferences);
  return written.flat().filter((owner) => typeof owner?.uid !== 'string');
}

describe.each(['recreate', 'apply'] as const)('[attack A-1] %s', (update) => {
  describe.each([
    true,
    false,
  ])('children that a malicious user created, for parents with a selector: %s', (selects) => {
    test.each(
      HOSTILE,
    )('a child with %s does not prevent the sync of other parents', async (_, json) => {
      const { keys, reconcile } = recordKeys();
      const declared = composite<Thing>({
        name: 'test',
        parent: things,
        children: [{ resource: others, update }],
        ...(selects && {
          selector: ({ metadata }: Thing) => ({ matchLabels: { of: metadata.name } }),
        }),
        async sync({ metadata: { name, namespace } }, children) {
          keys.push(`${name}=${children.of(others).length}` as never);
          const metadata = { name, namespace, labels: { of: name } };
          return { children: [child(others, { metadata, value: 2 } as never)] };
        },
      });
      const transport = server();
      const client = restClient({
        transport,
        fieldManager: 'test',
        clock: new FakeClock(),
      });
      const bench = new ControllerBench({ reconcile }, { controller: declared, client });
      const parents = NAMES.map((name) => bench.collection(things).put(name));
      await bench.run();
      const before = keys.length;

      const events = parents.map(({ metadata: { name, uid } }) => {
        const ours = { apiVersion: 'example.dev/v1', kind: 'Thing', name, uid, controller: true };
        const text = name === 'bad' ? json : '{"labels":{"of":"NAME"},"ownerReferences":[OURS]}';
        const more: Partial<ObjectMeta> = JSON.parse(
          text.replace('NAME', name).replace('OURS', JSON.stringify(ours)),
        );
        bench.collection(others).loseNextEvent = true;
        const labels = { of: name };
        return {
          type: 'ADDED',
          object: bench.collection(others).put(name, 1, { labels, ...more }),
        } as const;
      });
      bench.collection(others).newestWatch.send(...events);
      await settle();
      for (const name of ['bad', 'z', 'a']) bench.collection(things).put(name, 2);
      await settle();

      expect(keys.slice(0, before).sort()).toEqual(['a=0', 'bad=0', 'z=0']);
      expect(keys.slice(before)).toEqual(expect.arrayContaining(['a=1', 'z=1']));
      const failed = bench.lines.filter(({ fields }) => fields.err !== undefined);
      const isKnown = ({ fields: { key, err } }: (typeof failed)[number]): boolean =>
        key === 'demo/bad' && err instanceof AlreadyOwnedError;
      expect(failed.filter((line) => !isKnown(line))).toEqual([]);
      expect(strayOwners(transport.requests)).toEqual([]);
    });
  });
});
