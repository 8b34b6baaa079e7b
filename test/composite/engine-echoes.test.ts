/** How often the function is called. What the engine itself writes must not call it again with the same input. */

import { expect, test } from 'vitest';
import type { SyncRequest } from '../../operator/composite/engine-options.ts';
import { type EnginePlace, enginePlace, maps } from './engine-place.ts';

const PARENTS = Array.from({ length: 8 }, (_, at) => `orchard-${at}`);

function tenMaps({ parent }: SyncRequest) {
  const { spec } = parent as { readonly spec?: { readonly text?: string } };
  const { text = '' } = spec ?? {};
  const names = Array.from({ length: 10 }, (_, at) => `${parent.metadata.name}-${at}`);
  return maps(Object.fromEntries(names.map((name) => [name, text])));
}

function counting(request: SyncRequest) {
  const ready = request.children.get('configmaps')?.length ?? 0;
  return { children: tenMaps(request), status: { ready } };
}

function mostCalls(calls: readonly string[]): number {
  return Math.max(...PARENTS.map((name) => calls.filter((each) => each === name).length));
}

async function manyParents(
  decide: typeof counting = counting,
  finalizer?: { readonly name: string; readonly isUsed: boolean },
): Promise<EnginePlace> {
  return enginePlace({
    decide,
    ...(finalizer && { finalizer }),
    arrange: ({ createParent }) => Promise.all(PARENTS.map((name) => createParent({}, name))),
  });
}

test('for a new parent, the function is called three times at most, and all children are created', async () => {
  const { calls, env, parent } = await manyParents(counting, {
    name: 'fruit.example/north',
    isUsed: true,
  });

  expect(mostCalls(calls)).toBeLessThanOrEqual(3);
  expect(
    (await env.list('v1', 'ConfigMap')).filter(({ metadata }) =>
      metadata.name.startsWith('orchard'),
    ),
  ).toHaveLength(80);
  expect(await parent('orchard-7')).toMatchObject({ status: { ready: 10, observedGeneration: 1 } });
});

test('after a restart without changes, the function is called once per parent, and nothing is written', async () => {
  const { calls, restart, writes } = await manyParents();
  calls.length = 0;
  const before = writes().length;

  await restart();

  expect(calls.toSorted()).toEqual(PARENTS.toSorted());
  expect(writes().slice(before)).toEqual([]);
});

test('if a change of the parent does not affect the answer, the function is called once', async () => {
  const { calls, env, namespace, parent } = await manyParents();
  calls.length = 0;

  const spec = { unknown: 'to the function' };
  await env.patch('fruit.example/v1', 'Orchard', namespace, 'orchard-3', { spec });
  await env.settled();

  expect(calls).toEqual(['orchard-3']);
  expect(await parent('orchard-3')).toMatchObject({ status: { observedGeneration: 2 } });
});

test('if a change of the parent affects children, the function is called three times at most', async () => {
  const { calls, env, namespace } = await manyParents();
  calls.length = 0;

  await env.patch('fruit.example/v1', 'Orchard', namespace, 'orchard-3', { spec: { text: 'new' } });
  await env.settled();

  expect(calls.length).toBeLessThanOrEqual(3);
  const changed = await env.get<
    { data?: { text: string } } & import('../../operator/model/object.ts').KubernetesObject
  >('v1', 'ConfigMap', namespace, 'orchard-3-9');
  expect(changed?.data).toEqual({ text: 'new' });
});

test('if another client changes a child, there are at most three calls of the function and one write', async () => {
  const { calls, env, namespace, writes } = await manyParents();
  calls.length = 0;
  const before = writes().length;

  await env.patch('v1', 'ConfigMap', namespace, 'orchard-5-5', { data: { text: 'by hand' } });
  await env.settled();

  expect(calls.length).toBeLessThanOrEqual(3);
  expect(writes().slice(before)).toEqual(['patch configmaps orchard-5-5']);
});

test('in ten minutes without a change, there is no call of the function and no write', async () => {
  const { calls, env, writes } = await manyParents();
  calls.length = 0;
  const before = writes().length;

  await env.advance(10 * 60_000);

  expect(calls).toEqual([]);
  expect(writes().slice(before)).toEqual([]);
});

test('a function that changes its own status is called until the status stays the same', async () => {
  const { calls, parent } = await enginePlace({
    decide: ({ parent: { status } }: SyncRequest & { parent: { status?: { step?: number } } }) => ({
      status: { step: Math.min((status?.step ?? 0) + 1, 5) },
    }),
    arrange: ({ createParent }) => createParent({}),
  });

  expect(await parent()).toMatchObject({ status: { step: 5, observedGeneration: 1 } });
  expect(calls).toHaveLength(6);
});
