/** Children as Metacontroller leaves them, and the way back. */

import { describe, expect, test } from 'vitest';
import type { DesiredChild } from '../../operator/composite/child.ts';
import type { ChildUpdate } from '../../operator/composite/engine-options.ts';
import {
  configMaps,
  deployments,
  pods,
  services,
} from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { apiVersionOf, type Resource } from '../../operator/model/resource.ts';
import { type EnginePlace, enginePlace } from './engine-place.ts';
import { ANNOTATION, originalAnswer, originalCreation, originalUpdate } from './original-writer.ts';

const CONTAINERS = [
  { name: 'press', image: 'registry.example/press:1', ports: [{ containerPort: 8080 }] },
  { name: 'sieve', image: 'registry.example/sieve:1', args: ['--a=b&c', '<x>'] },
];

const TEMPLATE = { metadata: { labels: { app: 'press' } }, spec: { containers: CONTAINERS } };

/** What a hook answers: each kind in a way of its own. */
const ANSWERED: readonly [Resource, object][] = [
  [configMaps as Resource, { metadata: { name: 'plan' }, data: { trees: '1', html: '<a&b>' } }],
  [
    services as Resource,
    {
      metadata: { name: 'press', annotations: { 'fruit.example/note': 'ripe' } },
      spec: { selector: { app: 'press' }, ports: [{ name: 'web', port: 80 }] },
    },
  ],
  [
    deployments as Resource,
    {
      metadata: { name: 'press', labels: { tier: 'back' } },
      spec: { replicas: 1, selector: { matchLabels: { app: 'press' } }, template: TEMPLATE },
    },
  ],
  [pods as Resource, { metadata: { name: 'press' }, spec: { containers: CONTAINERS } }],
];

const DESIRED = ANSWERED.map(
  ([resource, object]): DesiredChild => ({ resource, object: object as never }),
);

/** The answers with their types, as they come from a hook. */
const HOOK = ANSWERED.map(([resource, object]) => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  ...object,
}));

const FINALIZER = 'metacontroller.io/compositecontroller-orchards';

function place(update: ChildUpdate, isThere: boolean): Promise<EnginePlace> {
  return enginePlace({
    childResources: ANSWERED.map(([resource]) => [resource, update]),
    finalizer: { name: FINALIZER, isUsed: true },
    decide: () => ({ children: DESIRED, status: { ready: 4 } }),
    arrange: async ({ createParent, env, namespace }) => {
      const { metadata } = await createParent({});
      if (!isThere) return;
      const parent = 'Orchard';
      const finalizers = { metadata: { finalizers: [FINALIZER] } };
      await env.patch('fruit.example/v1', parent, namespace, 'north', finalizers);
      const status = { status: { ready: 4, observedGeneration: 1 } };
      await env.patch('fruit.example/v1', parent, namespace, 'north', status, 'status');
      const owner = { apiVersion: 'fruit.example/v1', kind: parent, metadata };
      for (const child of HOOK)
        await env.create(originalCreation(originalAnswer(child, owner), owner));
    },
  });
}

async function childrenIn({ env, namespace }: EnginePlace): Promise<readonly KubernetesObject[]> {
  const found = ANSWERED.map(([resource, object]) => {
    const { name } = (object as { metadata: { name: string } }).metadata;
    return env.get(resource, namespace, name);
  });
  return (await Promise.all(found)).map((child) => child ?? expect.unreachable('a child is gone'));
}

const UPDATES: readonly ChildUpdate[] = ['keep', 'recreate', 'apply'];

describe.each(UPDATES)('taking over objects with %s', (update) => {
  test('[contract 76] [contract 78] chancery takes over the objects of Metacontroller without a write', async () => {
    const at = await place(update, true);

    expect(at.calls).toEqual(['north']);
    expect(at.writes()).toEqual([]);
  });

  test('[contract 76] Metacontroller takes over the objects of chancery without a write', async () => {
    const at = await place(update, false);
    const parent = (await at.parent()) ?? expect.unreachable();

    const children = await childrenIn(at);

    for (const [index, child] of children.entries()) {
      const answer = originalAnswer(HOOK[index] ?? expect.unreachable(), parent);
      expect(originalUpdate(child, answer)).toBeUndefined();
      const other = { ...answer, metadata: { ...answer.metadata, labels: { new: 'x' } } };
      expect(originalUpdate(child, other)).toBeDefined();
      const created = originalCreation(answer, parent);
      expect(child.metadata.annotations?.[ANNOTATION]).toBe(
        created.metadata.annotations?.[ANNOTATION],
      );
      expect(child.metadata.ownerReferences).toEqual(created.metadata.ownerReferences);
    }
    expect(parent.metadata.finalizers).toEqual([FINALIZER]);
    expect(parent.status).toEqual({ ready: 4, observedGeneration: 1 });
  });
});

test('a field that Metacontroller applied is removed when the hook no longer returns it', async () => {
  const at = await enginePlace({
    decide: () => ({
      children: [
        {
          resource: configMaps as Resource,
          object: { metadata: { name: 'plan' }, data: { trees: '2' } } as never,
        },
      ],
    }),
    arrange: async ({ createParent, env }) => {
      const { metadata } = await createParent({});
      const owner = { apiVersion: 'fruit.example/v1', kind: 'Orchard', metadata };
      const before = { ...HOOK[0], data: { trees: '1', old: 'x' } };
      await env.create(originalCreation(originalAnswer(before, owner), owner));
    },
  });

  expect(await at.env.get('v1', 'ConfigMap', at.namespace, 'plan')).toMatchObject({
    data: { trees: '2' },
  });
  const plan = await at.env.get<KubernetesObject & { data?: object }>(
    'v1',
    'ConfigMap',
    at.namespace,
    'plan',
  );
  expect(plan?.data).toEqual({ trees: '2' });
  // And Metacontroller agrees with what was written.
  const parent = (await at.parent()) ?? expect.unreachable();
  const answer = originalAnswer({ ...HOOK[0], data: { trees: '2' } }, parent);
  expect(originalUpdate(plan ?? expect.unreachable(), answer)).toBeUndefined();
});
