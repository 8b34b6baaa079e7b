/** The engine with revisions, in an embedded cluster whose time stands still. */
import { expect, test } from 'vitest';
import { childTypes } from '../../../operator/composite/child-types.ts';
import type {
  ChildUpdate,
  StatusCheck,
  SyncRequest,
} from '../../../operator/composite/engine-options.ts';
import { createRevisions } from '../../../operator/composite/revisions/create-revisions.ts';
import { chanceryFormat } from '../../../operator/composite/revisions/revision-format.ts';
import { configMaps } from '../../../operator/model/builtin.ts';
import type { Resource } from '../../../operator/model/resource.ts';
import { dynamicApplyWriter } from '../../../packages/metacontroller/src/children/dynamic-apply-writer.ts';
import {
  type EnginePlace,
  type EngineSetup,
  enginePlace,
  maps,
  orchards,
} from '../engine-place.ts';

/** A ConfigMap has no conditions: a rolling update never goes on past the first one. */
const NEVER: readonly StatusCheck[] = [{ type: 'Ready' }];

interface Taste {
  readonly taste?: string;
}

function tasteOf({ parent }: SyncRequest): string {
  return (parent as { readonly spec?: Taste }).spec?.taste ?? '';
}

function rolling(
  statusChecks: readonly StatusCheck[],
  update: ChildUpdate = 'rolling-apply',
): Partial<EngineSetup> {
  const writer = dynamicApplyWriter();
  const children = childTypes([{ resource: configMaps, update, statusChecks }]);
  const parentResource = orchards as unknown as Resource;
  const format = chanceryFormat('orchards');
  const options = { controller: 'orchards', parentResource, children, writer, format };
  return { writer, children, revisions: createRevisions(options) };
}

function threeMaps(request: SyncRequest) {
  const taste = tasteOf(request);
  const { name } = request.parent.metadata;
  return { children: maps({ [`${name}-a`]: taste, [`${name}-b`]: taste, [`${name}-c`]: taste }) };
}

async function edit({ env, namespace }: EnginePlace, taste: string): Promise<void> {
  await env.patch('fruit.example/v1', 'Orchard', namespace, 'north', { spec: { taste } });
  await env.settled();
}

const arrange: EngineSetup['arrange'] = ({ createParent }) => createParent({ taste: 'sweet' });

test.each([
  'rolling-apply',
  'rolling-recreate',
] as const)('revisions cause no additional calls of the function, and there is no call while nothing changes (%s)', async (update) => {
  const names = ['one', 'two', 'three', 'four', 'five'];
  const at = await enginePlace({
    decide: threeMaps,
    ...rolling([], update),
    arrange: ({ createParent }) =>
      Promise.all(names.map((name) => createParent({ taste: 'sweet' }, name))),
  });
  const most = Math.max(...names.map((name) => at.calls.filter((each) => each === name).length));
  at.calls.length = 0;
  const before = at.writes().length;

  await at.restart(rolling([], update));
  const asked = at.calls.toSorted();
  await at.env.advance(10 * 60_000);

  expect(most).toBeLessThanOrEqual(3);
  expect(asked).toEqual(names.toSorted());
  expect(at.calls).toHaveLength(names.length);
  expect(at.writes().slice(before)).toEqual([]);
});

test('while a rolling update waits for a child, there is no call and no write', async () => {
  const at = await enginePlace({ decide: threeMaps, ...rolling(NEVER), arrange });
  await edit(at, 'sour');
  at.calls.length = 0;
  const before = at.writes().length;

  await at.env.advance(10 * 60_000);

  expect(at.calls).toEqual([]);
  expect(at.writes().slice(before)).toEqual([]);
});

test.each([
  [2_000, 700],
  [700, 2_000],
  [0, 700],
])('[metacontroller 18] if two revisions return the delays %i and %i, the smaller delay above 0 is used', async (sour, sweet) => {
  const delays: Readonly<Record<string, number>> = { sour, sweet };
  const asked: string[] = [];
  const at = await enginePlace({
    decide(request) {
      asked.push(tasteOf(request));
      return { ...threeMaps(request), resyncAfterMs: delays[tasteOf(request)] };
    },
    ...rolling(NEVER),
    arrange,
  });
  await edit(at, 'sour');
  asked.length = 0;

  await at.env.advance(699);
  expect(asked).toEqual([]);
  await at.env.advance(1);

  expect(asked).toEqual(['sour', 'sweet']);
});

test('only the condition `Updated` of the answer is replaced by the condition of the rolling update', async () => {
  const stated = { type: 'Updated', status: 'Unknown', reason: 'Stated', message: 'by the hook' };
  const other = { ...stated, type: 'Other' };
  const at = await enginePlace({
    decide: (request) => ({ ...threeMaps(request), status: { conditions: [stated, other] } }),
    ...rolling(NEVER),
    arrange,
  });

  await edit(at, 'sour');

  expect((await at.parent())?.status?.conditions).toEqual([
    expect.objectContaining({ type: 'Updated', status: 'False', reason: 'RolloutWaiting' }),
    other,
  ]);
});

test('a parent is finalized when the answers for all revisions have `finalized: true`', async () => {
  let isDone = false;
  const at = await enginePlace({
    decide: (request) => ({
      ...threeMaps(request),
      finalized: request.finalizing && (isDone || tasteOf(request) === 'sour'),
      resyncAfterMs: 1_000,
    }),
    finalizer: { name: 'fruit.example/north', isUsed: true },
    ...rolling(NEVER),
    arrange,
  });
  await edit(at, 'sour');
  await at.env.delete('fruit.example/v1', 'Orchard', at.namespace, 'north');
  await at.env.advance(5_000);
  const before = await at.parent();

  isDone = true;
  await at.env.advance(1_000);

  expect(before?.metadata.finalizers).toEqual(['fruit.example/north']);
  expect(await at.parent()).toBeUndefined();
});
