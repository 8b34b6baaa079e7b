/** What is known of objects that left the selector, without a server. */
import { configMap, FakeClock } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientOf } from '../../operator/client/client-of.ts';
import { type Controller, controller } from '../../operator/controller/controller.ts';
import type { EventNote } from '../../operator/controller/events/event-recorder.ts';
import { UnselectedObjects } from '../../operator/controller/finalizers/unselected-objects.ts';
import { source } from '../../operator/controller/source.ts';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { Entry } from '../../operator/model/entry.ts';
import { type KubernetesObject, objectKey } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import { Deleted } from '../../operator/store/change.ts';
import { ControllerBench, things } from '../support/controller-bench.ts';
import { recordingLog } from '../support/recording-log.ts';

const OURS = 'example.dev/cleanup';
const labels = { tier: 'edge' };

const web = controller<ConfigMap>({
  name: 'web',
  for: source(configMaps, { labelSelector: 'tier in (web,edge)' }),
  finalizer: { name: OURS, finalize: () => {} },
  reconcile: () => {},
}) as Controller;

describe('[K-26] [child 9] what happens if an object is missing in a list', () => {
  const a = configMap('a', { namespace: 'demo', labels, finalizers: [OURS], uid: '1' });
  const without = { ...a, metadata: { ...a.metadata, finalizers: ['other.dev/x'] } };
  const outside = { ...a, metadata: { ...a.metadata, labels: { tier: 'batch' } } };
  const failing = () => {
    throw new AmbassadorError('no answer', { code: 'AMBASSADOR_UPSTREAM', fate: 'unknown' });
  };

  function left(answers: readonly (() => ConfigMap | undefined)[], seen: ConfigMap = a) {
    const { lines, logFor } = recordingLog();
    const recorded: EventNote[] = [];
    const rest = [...answers];
    const unselected = new UnselectedObjects({
      controller: web,
      client: { find: async () => rest.shift()?.() as never },
      clock: new FakeClock(),
      events: { record: (note) => recorded.push(note) },
      log: logFor({}),
      cached: () => undefined,
      isFinalized: () => false,
      enqueue: () => {},
      measured: () => {},
    });
    const isDue = unselected.changed(new Deleted(Entry.of(seen as KubernetesObject), true));
    const key = objectKey('demo', 'a');
    const read = () => unselected.read(key, new AbortController().signal);
    return { isDue, key, lines, read, recorded, unselected };
  }

  test('an object that lost the label is read, and reported as no longer selected', async () => {
    const { isDue, key, read, recorded, unselected } = left([() => outside, () => outside]);

    const found = [await read(), await read()];

    expect(isDue).toBe(true);
    expect(found.map((each) => each?.metadata.uid)).toEqual(['1', '1']);
    expect(unselected.concerns(key)).toBe(true);
    expect(recorded.map(({ reason }) => reason)).toEqual(['LeftSelector']);
  });

  test('an object missing from the list is read even if the cache did not have its finalizer yet', async () => {
    const { isDue, read } = left([() => outside], without);

    expect(isDue).toBe(true);
    expect(await read()).toMatchObject({ metadata: { uid: '1' } });
  });

  test.each<[string, () => ConfigMap | undefined]>([
    ['does not exist', () => undefined],
    ['no longer has the finalizer', () => without],
  ])('an object that left the list is gone if it %s', async (_, answer) => {
    const { key, read, recorded, unselected } = left([answer]);

    expect(await read()).toBeUndefined();
    expect(unselected.concerns(key)).toBe(false);
    expect(recorded).toEqual([]);
  });

  test('an object is not treated as deleted if it cannot be read', async () => {
    const { key, read, recorded, unselected } = left([failing, () => outside]);

    await expect(read()).rejects.toThrow('no answer');
    const isKnown = unselected.concerns(key);

    expect(isKnown).toBe(true);
    expect(await read()).toMatchObject({ metadata: { uid: '1' } });
    expect(recorded).toHaveLength(1);
  });

  test('an object is not reported if it matches the selector again when it is read', async () => {
    const { key, read, recorded, unselected } = left([() => a]);

    expect(await read()).toMatchObject({ metadata: { uid: '1' } });
    expect(unselected.concerns(key)).toBe(true); // until the cache shows it
    expect(recorded).toEqual([]);
  });
});

/** What sweeps of `objects` enqueue. The array may change between two of them. */
function swept(objects: () => readonly ConfigMap[]) {
  const clock = new FakeClock();
  const enqueued: string[] = [];
  const counts: number[] = [];
  const unselected = new UnselectedObjects({
    controller: web,
    client: { find: async () => expect.unreachable('nothing is read before its key is due') },
    clock,
    events: { record: () => {} },
    log: recordingLog().logFor({}),
    cached: () => undefined,
    isFinalized: () => false,
    enqueue: (key) => void enqueued.push(key),
    measured: (count) => void counts.push(count),
    pages: async function* pages() {
      yield objects();
    },
  });
  const stop = new AbortController();
  const running = unselected.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });
  return { clock, counts, enqueued };
}

const object = (name: string, more: object = {}) =>
  configMap(name, { namespace: 'demo', finalizers: [OURS], ...more });
const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z' };

test('[K-26] [child 9] an object that a periodic list no longer contains is read again', async () => {
  let all = [object('a'), object('b', deleted)];
  const { clock, counts, enqueued } = swept(() => all);
  await clock.advanceAndSettle(0);
  const atStart = enqueued.splice(0);

  all = [object('b', deleted)];
  await clock.advanceAndSettle(300_000);

  expect(atStart).toEqual(['demo/b']);
  expect(enqueued.toSorted()).toEqual(['demo/a', 'demo/b']);
  expect(counts[0]).toBe(2);
});

test('[K-26] [child 9] each deleted object is finalized even if there are more objects than can be remembered', async () => {
  let all = Array.from({ length: 10_003 }, (_, at) => object(`a-${at}`));
  const { clock, enqueued } = swept(() => all);
  await clock.advanceAndSettle(0);
  const atStart = [...enqueued];

  all = all.map((each, at) => (at === 10_002 ? object('a-10002', deleted) : each));
  await clock.advanceAndSettle(300_000);

  expect(atStart).toEqual([]);
  expect(enqueued).toEqual(['demo/a-10002']);
});

test('[K-26] [child 9] no finalizer is added to an object that leaves the selector in the meantime', async () => {
  const added: string[] = [];
  let isFirst = true;
  const thing = { apiVersion: 'example.dev/v1', kind: 'Thing', value: 0 };
  const live = {
    ...thing,
    metadata: { namespace: 'demo', name: 'a', uid: 'u1', resourceVersion: '9', labels: {} },
  };
  const client = clientOf(async (call) => {
    if (call.verb === 'find') return live as never;
    if (call.verb === 'patch' && !isFirst) added.push(call.target.name);
    isFirst = false;
    throw new ApiError(
      { reason: 'Invalid', message: 'the server rejected it' },
      { httpStatus: 422 },
    );
  });
  const bench = new ControllerBench(
    {
      for: source(things, { labelSelector: 'tier=web' }),
      finalizer: { name: OURS, finalize: () => {} },
      reconcile: () => expect.unreachable('it is not selected'),
    },
    { client },
  );
  bench.collection().put('a', 0, { uid: 'u1', labels: { tier: 'web' } });

  await bench.run();
  await bench.clock.advanceAndSettle(1_000);

  expect(isFirst).toBe(false);
  expect(added).toEqual([]);
});
