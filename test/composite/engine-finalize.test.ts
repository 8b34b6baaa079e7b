/** Parents that are being deleted or no longer selected. */

import { describe, expect, test } from 'vitest';
import type { SyncRequest } from '../../operator/composite/engine-options.ts';
import { TerminalError } from '../../operator/controller/errors.ts';
import { type EnginePlace, type EngineSetup, enginePlace, maps } from './engine-place.ts';

const FINALIZER = 'metacontroller.io/compositecontroller-orchards';
const FOREIGN = 'fruit.example/foreign';

const arrange: NonNullable<EngineSetup['arrange']> = ({ createParent }) => createParent({});

async function change({ env, namespace }: EnginePlace, metadata: object): Promise<void> {
  await env.patch('fruit.example/v1', 'Orchard', namespace, 'north', { metadata });
  await env.settled();
}

async function deleteParent({ env, namespace }: EnginePlace): Promise<void> {
  await env.delete('fruit.example/v1', 'Orchard', namespace, 'north');
  await env.settled();
}

async function plan({ env, namespace }: EnginePlace) {
  return env.get('v1', 'ConfigMap', namespace, 'plan');
}

interface Recorded {
  readonly requests: Pick<SyncRequest, 'finalizing'>[];
  answer: 'keeps' | 'clears' | 'done';
  readonly setup: EngineSetup;
}

/** A function that finalizes as a test says. */
function recorded(isUsed = true): Recorded {
  const requests: Pick<SyncRequest, 'finalizing'>[] = [];
  const all: Recorded = {
    requests,
    answer: 'keeps',
    setup: {
      finalizer: { name: FINALIZER, isUsed },
      selects: ({ metadata }) => metadata.labels?.of !== 'others',
      arrange,
      decide: ({ finalizing }) => {
        requests.push({ finalizing });
        if (!finalizing) return { children: maps({ plan: '1' }), finalized: true };
        return {
          children: all.answer === 'clears' ? [] : maps({ plan: 'last' }),
          finalized: all.answer === 'done',
        };
      },
    },
  };
  return all;
}

describe('[metacontroller 17] finalizing a deleted parent', () => {
  test('[contract 34] [contract 89] a deleted parent keeps its finalizer until the response has `finalized: true`', async () => {
    const all = recorded();
    const at = await enginePlace(all.setup);
    expect((await at.parent())?.metadata.finalizers).toEqual([FINALIZER]);

    await deleteParent(at);
    expect(all.requests.at(-1)).toEqual({ finalizing: true });
    expect(await plan(at)).toMatchObject({ data: { text: 'last' } });
    expect((await at.parent())?.metadata.finalizers).toEqual([FINALIZER]);
    const writes = at.writes().length;
    all.answer = 'done';
    await at.env.advance(61_000);

    expect(await at.parent()).toBeUndefined();
    expect(at.writes().slice(writes)[0]).toBe('patch orchards.fruit.example north');
    expect(
      at
        .writes()
        .slice(writes)
        .filter((write) => write.includes('configmaps')),
    ).toEqual([]);
  });

  test.each([
    new Error('down'),
    new TerminalError('down for good'),
  ])('while the function fails, a deleted parent keeps its finalizer: %s', async (error) => {
    let isDown = true;
    const at = await enginePlace({
      finalizer: { name: FINALIZER, isUsed: true },
      arrange,
      decide: ({ finalizing }) => {
        if (finalizing && isDown) throw error;
        return { finalized: true };
      },
    });

    await deleteParent(at);
    await at.env.advance(30_000);
    expect((await at.parent())?.metadata.finalizers).toEqual([FINALIZER]);
    isDown = false;
    await at.env.advance(60_000);

    expect(await at.parent()).toBeUndefined();
  });

  test.each([
    ['foregroundDeletion', 'sync'],
    ['orphan', 'sync'],
    ['foregroundDeletion', 'cleanup'],
    ['orphan', 'cleanup'],
  ] as const)('[contract 88] children of a deleted parent with the finalizer %s are not changed (deleted: %s)', async (collecting, deleted) => {
    const all = recorded();
    const at = await enginePlace({ ...all.setup, deleted });
    await change(at, { finalizers: [FINALIZER, collecting] });

    await deleteParent(at);

    expect(all.requests.at(-1)).toEqual({ finalizing: true });
    expect(await plan(at)).toMatchObject({ data: { text: '1' } });
  });

  test('while a deleted parent waits for other finalizers, `finalize` is called, and no child changes', async () => {
    const all = recorded();
    const at = await enginePlace(all.setup);
    await change(at, { finalizers: [FINALIZER, FOREIGN] });
    all.answer = 'done';
    await deleteParent(at);
    expect((await at.parent())?.metadata.finalizers).toEqual([FOREIGN]);
    const calls = all.requests.length;
    all.answer = 'keeps';

    await change(at, { annotations: { changed: 'x' } });

    expect(all.requests.slice(calls)).toContainEqual({ finalizing: true });
    expect(await plan(at)).toMatchObject({ data: { text: '1' } });
    expect((await at.parent())?.metadata.finalizers).toEqual([FOREIGN]);
  });

  test('[contract 90] a deleted parent without a finalize function is still synced, and its children are not changed', async () => {
    const all = recorded(false);
    const at = await enginePlace(all.setup);
    await at.env.patch('v1', 'ConfigMap', at.namespace, 'plan', { data: { text: 'by hand' } });
    await at.env.settled();
    await change(at, { finalizers: [FOREIGN] });
    const calls = all.requests.length;

    await deleteParent(at);
    await at.env.patch('v1', 'ConfigMap', at.namespace, 'plan', { data: { text: 'late' } });
    await at.env.settled();

    expect(all.requests.slice(calls)).not.toContainEqual({ finalizing: true });
    expect(all.requests.length).toBeGreaterThan(calls);
    expect(await plan(at)).toMatchObject({ data: { text: 'late' } });
  });
});

describe('[metacontroller 17] finalizing a parent that is no longer selected', () => {
  test('[contract 86] a parent that is no longer selected is finalized and loses the finalizer', async () => {
    const all = recorded();
    const at = await enginePlace(all.setup);

    all.answer = 'clears';
    await change(at, { labels: { of: 'others' } });
    expect(await plan(at)).toBeUndefined();
    expect((await at.parent())?.metadata.finalizers).toEqual([FINALIZER]);
    all.answer = 'done';
    await at.env.advance(61_000);

    expect((await at.parent())?.metadata.finalizers).toBeUndefined();
    const calls = all.requests.length;
    await change(at, { annotations: { changed: 'x' } });
    expect(all.requests).toHaveLength(calls);
  });

  test('a parent that was never selected is ignored', async () => {
    const all = recorded();
    const at = await enginePlace({
      ...all.setup,
      arrange: async (place) => {
        await place.createParent({});
        const labels = { metadata: { labels: { of: 'others' } } };
        await place.env.patch('fruit.example/v1', 'Orchard', place.namespace, 'north', labels);
      },
    });

    expect(at.calls).toEqual([]);
    expect(at.writes()).toEqual([]);
  });
});

test('[contract 33] [metacontroller M22] `finalized: true` in the answer of `sync` has no effect', async () => {
  const all = recorded();
  const at = await enginePlace(all.setup);

  expect((await at.parent())?.metadata.finalizers).toEqual([FINALIZER]);
  const patches = at.writes().filter((write) => write === 'patch orchards.fruit.example north');
  expect(patches).toHaveLength(1);
  expect(at.calls.length).toBeLessThanOrEqual(3);
});

test('a finalizer is removed if there is no longer a finalize function', async () => {
  const all = recorded(false);
  const at = await enginePlace({
    ...all.setup,
    arrange: async (place) => {
      await place.createParent({});
      const metadata = { finalizers: [FINALIZER, FOREIGN] };
      await place.env.patch('fruit.example/v1', 'Orchard', place.namespace, 'north', { metadata });
    },
  });

  expect((await at.parent())?.metadata.finalizers).toEqual([FOREIGN]);
  expect(await plan(at)).toBeDefined();
});
