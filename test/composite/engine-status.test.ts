/** The whole status of a parent, and how failures are told. */

import { describe, expect, test } from 'vitest';
import { NotReadyError } from '../../operator/controller/errors.ts';
import { OperatorError } from '../../operator/core/errors.ts';
import type { Condition } from '../../operator/model/condition.ts';
import { definitionOf, type EnginePlace, enginePlace, maps, orchards } from './engine-place.ts';

const arrange: NonNullable<Parameters<typeof enginePlace>[0]['arrange']> = ({ createParent }) =>
  createParent({});

/** As in production: the server drops fields that it does not know, and says so in a header. */
const LENIENT = { NODE_ENV: 'production' };

function synced(conditions: readonly Condition[] = []): Condition | undefined {
  return conditions.find(({ type }) => type === 'Synced');
}

async function touch({ env, namespace }: EnginePlace, spec: object): Promise<void> {
  await env.patch('fruit.example/v1', 'Orchard', namespace, 'north', { spec });
  await env.settled();
}

async function events({ env }: EnginePlace): Promise<readonly unknown[]> {
  return env.list('events.k8s.io/v1', 'Event');
}

test('[contract 81] a status field that is no longer returned is removed, whoever wrote it', async () => {
  const at = await enginePlace({
    decide: ({ parent }) =>
      parent.metadata.generation === 1
        ? { status: { a: 1, deep: { x: 1, y: 2 } } }
        : { status: { deep: { x: 1 }, none: null } },
    arrange,
  });
  expect((await at.parent())?.status).toEqual({
    a: 1,
    deep: { x: 1, y: 2 },
    observedGeneration: 1,
  });
  await at.env.patch(
    'fruit.example/v1',
    'Orchard',
    at.namespace,
    'north',
    { status: { foreign: 1 } },
    'status',
  );

  await touch(at, { more: 1 });

  expect((await at.parent())?.status).toEqual({ deep: { x: 1 }, observedGeneration: 2 });
});

test.each([
  ['null', null],
  ['absent', undefined],
])("[contract 81] [metacontroller M20] if the answer's status is %s, only observedGeneration is stored", async (_what, status) => {
  const at = await enginePlace({ decide: () => ({ status, children: maps({ a: '1' }) }), arrange });

  expect((await at.parent())?.status).toEqual({ observedGeneration: 1 });
  expect(await at.env.get('v1', 'ConfigMap', at.namespace, 'a')).toBeDefined();
});

describe('[metacontroller 30] [metacontroller M18] a status field that the definition does not declare', () => {
  const conditions = {
    type: 'array',
    items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  const definition = definitionOf(orchards, {
    ready: { type: 'integer' },
    observedGeneration: { type: 'integer' },
    conditions,
  });

  test('[contract 84] an undeclared status field is reported by a condition and an Event; the other fields are written', async () => {
    const at = await enginePlace({
      definitions: [definition],
      environment: LENIENT,
      decide: () => ({ status: { ready: 1, hidden: { x: 1 } }, children: maps({ a: '1' }) }),
      arrange,
    });
    const { status } = (await at.parent()) ?? expect.unreachable();
    expect(status).toMatchObject({ ready: 1, observedGeneration: 1 });
    expect(synced(status?.conditions)).toMatchObject({
      status: 'False',
      reason: 'UndeclaredField',
      message: expect.stringContaining('status.hidden'),
    });
    expect(await events(at)).toMatchObject([{ reason: 'SyncError', type: 'Warning' }]);
    await at.env.advance(10 * 60_000);
    const writes = at.writes().length;

    await at.env.advance(60 * 60_000);

    expect(at.writes().slice(writes)).toEqual([]);
    expect(synced((await at.parent())?.status?.conditions)?.lastTransitionTime).toBe(
      synced(status?.conditions)?.lastTransitionTime,
    );
  });

  test('an undeclared status field is refused in development, with strict field validation', async () => {
    const at = await enginePlace({
      definitions: [definition],
      decide: () => ({ status: { ready: 1, hidden: 1 } }),
      arrange,
    });

    const { status } = (await at.parent()) ?? expect.unreachable();
    expect(synced(status?.conditions)).toMatchObject({ reason: 'UndeclaredField' });
    expect(status).not.toHaveProperty('ready');
  });

  test('an undeclared status field that is no longer returned is no longer reported', async () => {
    const at = await enginePlace({
      definitions: [definition],
      environment: LENIENT,
      decide: ({ parent }) => ({
        status: parent.metadata.generation === 1 ? { ready: 1, hidden: 1 } : { ready: 1 },
      }),
      arrange,
    });
    expect(synced((await at.parent())?.status?.conditions)).toBeDefined();

    await touch(at, { more: 1 });

    expect((await at.parent())?.status).toEqual({ ready: 1, observedGeneration: 2 });
  });
});

test('if the schema refuses the status, a condition reports this, and children are still written', async () => {
  const definition = definitionOf(orchards, {
    ready: { type: 'integer' },
    observedGeneration: { type: 'integer' },
    conditions: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  });
  const at = await enginePlace({
    definitions: [definition],
    decide: () => ({ status: { ready: 'many' }, children: maps({ a: '1' }) }),
    arrange,
  });

  expect(synced((await at.parent())?.status?.conditions)).toMatchObject({ reason: 'Invalid' });
  expect(await at.env.get('v1', 'ConfigMap', at.namespace, 'a')).toBeDefined();
});

describe('how a failing function is reported', () => {
  const broken = { isBroken: true };
  const deciding = () => {
    if (!broken.isBroken) return { status: { ready: 1 } };
    throw new OperatorError('the hook is down', { code: 'USER_CODE', layer: 'user-code' });
  };

  test('a failing function is reported by a condition without an extra call; success removes it', async () => {
    broken.isBroken = true;
    const at = await enginePlace({ decide: deciding, arrange });
    expect((await at.parent())?.status).toMatchObject({
      conditions: [{ type: 'Synced', status: 'False', message: 'the hook is down' }],
    });
    await at.env.advance(1_000);
    const calls = at.calls.length;
    const writes = at.writes().length;
    await at.env.advance(60_000);
    expect(at.calls.length - calls).toBeLessThan(10);
    expect(at.writes().slice(writes)).toEqual([]);

    broken.isBroken = false;
    await at.env.advance(20 * 60_000);

    expect((await at.parent())?.status).toEqual({ ready: 1, observedGeneration: 1 });
  });

  test('if the function fails, only its condition in the status changes', async () => {
    broken.isBroken = false;
    const at = await enginePlace({ decide: deciding, arrange });

    broken.isBroken = true;
    await touch(at, { more: 1 });

    expect((await at.parent())?.status).toMatchObject({
      ready: 1,
      observedGeneration: 1,
      conditions: [{ type: 'Synced', observedGeneration: 2 }],
    });
  });

  test('a failing function is reported by an Event when the definition has no conditions', async () => {
    broken.isBroken = true;
    const at = await enginePlace({ decide: deciding, arrange, failures: { condition: false } });

    expect((await at.parent())?.status).toBeUndefined();
    expect(await events(at)).toMatchObject([
      { reason: 'SyncError', type: 'Warning', note: 'the hook is down' },
    ]);
  });

  test('a failing function is reported to the callback `failed` even if the schema refuses the condition', async () => {
    broken.isBroken = true;
    const reported: unknown[] = [];
    await enginePlace({
      definitions: [definitionOf(orchards, { conditions: { type: 'string' } })],
      decide: deciding,
      failed: async (_parent, error) => void reported.push(error),
      arrange,
    });

    expect(reported).toMatchObject([{ message: 'the hook is down' }]);
  });

  test('if another client writes a condition of the same type, the function is called', async () => {
    broken.isBroken = false;
    const at = await enginePlace({ decide: deciding, arrange });
    const calls = at.calls.length;

    const condition = { type: 'Synced', status: 'True', reason: 'Theirs', message: '' };
    const status = { conditions: [condition] };
    await at.env.patch('fruit.example/v1', 'Orchard', at.namespace, 'north', { status }, 'status');
    await at.env.settled();

    expect(at.calls.length).toBeGreaterThan(calls);
  });

  test('a cache that is not ready is reported neither by a condition nor by an Event', async () => {
    const at = await enginePlace({
      decide: () => {
        throw new NotReadyError('not yet');
      },
      arrange,
    });

    expect((await at.parent())?.status).toBeUndefined();
    expect(await events(at)).toEqual([]);
  });
});

describe('[metacontroller 18] when the function is called again', () => {
  test.each([
    [500, 500],
    [2_000, 2_000],
  ])('[contract 35] with `resyncAfterMs: %i`, the next call follows after %i ms', async (resyncAfterMs, ms) => {
    const at = await enginePlace({ decide: () => ({ resyncAfterMs }), arrange });
    const before = at.calls.length;

    await at.env.advance(ms - 1);
    expect(at.calls.length).toBe(before);
    await at.env.advance(1);

    expect(at.calls.length).toBe(before + 1);
  });

  test('`resyncAfterMs: 0` requests no call', async () => {
    const at = await enginePlace({ decide: () => ({ resyncAfterMs: 0 }), arrange });
    const before = at.calls.length;

    await at.env.advance(60_000);

    expect(at.calls.length).toBe(before);
  });

  test('[metacontroller M18] a negative `resyncAfterMs` is an error', async () => {
    const at = await enginePlace({ decide: () => ({ resyncAfterMs: -500 }), arrange });

    expect(synced((await at.parent())?.status?.conditions)).toMatchObject({
      reason: 'InvalidAnswer',
    });
  });
});
