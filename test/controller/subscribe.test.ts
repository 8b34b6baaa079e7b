import { eventually, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { enqueueMapped, type Mapping } from '../../operator/controller/mapping.ts';
import { generationChanged } from '../../operator/controller/predicate.ts';
import { source } from '../../operator/controller/source.ts';
import type { Trigger } from '../../operator/controller/trigger.ts';
import { channel, everyMs } from '../../operator/controller/trigger.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { yieldToEventLoop } from '../../operator/core/time-slice.ts';
import { type ObjectKey, objectKey } from '../../operator/model/object.ts';
import { ControllerBench, others, recordKeys } from '../support/controller-bench.ts';
import type { Thing } from '../support/fake-collection.ts';

const other = source<Thing>(others);
const keyOf = ({ value }: Thing): ObjectKey => objectKey('demo', `v${value}`);

test('[K-10] an asynchronous mapping enqueues the keys of the old and of the new object, each once', async () => {
  const { keys, reconcile, gone } = recordKeys();
  const bench = new ControllerBench({
    watches: [enqueueMapped(other, async (thing) => [keyOf(thing), objectKey('demo', 'both')])],
    reconcile,
    gone,
  });
  bench.collection(others).put('c', 1);
  await bench.run();
  keys.length = 0;

  bench.collection(others).put('c', 2);
  await settle();

  expect(keys).toEqual(['demo/v1', 'demo/both', 'demo/v2']);
});

test('[K-10] the changes of one object are mapped in order, and the changes of different objects concurrently', async () => {
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const bench = new ControllerBench({
    watches: [
      enqueueMapped(other, async ({ metadata: { name }, value }) => {
        begun.push(`${name}=${value}`);
        if (name === 'slow') await new Promise<void>((resolve) => gates.set(`${value}`, resolve));
        return [];
      }),
    ],
    reconcile: async () => {},
  });
  await bench.run();
  const collection = bench.collection(others);

  collection.put('slow', 1);
  await settle();
  collection.put('slow', 2);
  collection.put('quick', 1);
  await settle();
  const whileSlow = [...begun];
  gates.get('1')?.();
  await settle();
  gates.get('1')?.(); // the old object of the update
  gates.get('2')?.();
  await settle();

  expect(whileSlow).toEqual(['slow=1']);
  expect(begun).toEqual(['slow=1', 'slow=1', 'slow=2', 'quick=1']);
});

test('[K-10] changes that wait for a slow mapping are merged', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let mapped = 0;
  const bench = new ControllerBench({
    watches: [
      enqueueMapped(other, async () => {
        mapped++;
        await held;
        return [];
      }),
    ],
    reconcile: async () => {},
  });
  const collection = bench.collection(others);
  collection.put('c', 0);
  await bench.run();

  for (let value = 1; value <= 5_000; value++) collection.put('c', value);
  await settle();
  release();
  await settle();

  expect(mapped).toBe(3); // the first, then one change that says all: its old and its new object
});

test('[K-10] 16 objects are mapped concurrently', async () => {
  let now = 0;
  let most = 0;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const bench = new ControllerBench({
    watches: [
      enqueueMapped(other, async () => {
        most = Math.max(most, ++now);
        await held;
        now--;
        return [];
      }),
    ],
    reconcile: async () => {},
  });
  for (let index = 0; index < 50; index++) bench.collection(others).put(`c${index}`);

  await bench.run();
  release();
  await settle();

  expect([most, now]).toEqual([16, 0]);
});

test.each<[string, Mapping['map']]>([
  [
    'throws',
    () => {
      throw new Error('a bug');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no answer'))],
  ['returns values that are not keys', () => [undefined] as never],
  ['returns a key without the namespace', () => [objectKey(undefined, 'a')]],
  ['returns a name without the namespace', () => [{ name: 'a' }]],
  ['returns an object without a name', () => [{ namespace: 'demo' }] as never],
  ['returns a string', () => 'demo/a' as never],
])('[K-10] a mapping that %s is called three times, and then the change is dropped with a report', async (_how, map) => {
  let calls = 0;
  const bench = new ControllerBench({
    watches: [
      enqueueMapped(other, (object, context) => {
        calls++;
        return map(object, context);
      }),
    ],
    reconcile: async () => {},
  });
  bench.collection(others).put('c');

  await bench.run();
  await bench.clock.advanceAndSettle(5_000);

  expect(calls).toBe(3);
  expect(bench.lines.filter(({ message }) => message.startsWith('mapping failed'))).toHaveLength(1);
  expect(bench.count('chancery_mapping_failures_total')).toBe(1);
});

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'undefined'],
  ['null', null, 'null'],
  ['one name', { namespace: 'demo', name: 'a' }, 'an object, not in a list'],
  ['an async iterable', (async function* () {})(), 'an object, not in a list'],
  ['a key', 'demo/a', 'a string'],
])('[K-10] the error for a mapping that returns %s says what to return', async (_what, answer, returned) => {
  const bench = new ControllerBench({
    watches: [enqueueMapped(other, () => answer as never)],
    reconcile: () => {},
  });
  bench.collection(others).put('c');

  await bench.run();
  await settle();

  const line = bench.lines.find(({ message }) => message.startsWith('mapping failed'));
  expect(line?.fields.err).toMatchObject({
    cause: {
      message: 'a mapping must return names or keys, such as [{ namespace, name }]',
      context: { returned },
    },
  });
});

test('[K-10] mappings and triggers may return names instead of keys', async () => {
  const { keys, reconcile, gone } = recordKeys();
  const hook = channel();
  const bench = new ControllerBench({
    watches: [
      enqueueMapped(other, ({ metadata }) => [metadata, { namespace: 'demo', name: 'named' }]),
    ],
    triggers: [hook, everyMs(1_000, [{ namespace: 'demo', name: 'timed' }], { jitter: 0 })],
    reconcile,
    gone,
  });
  bench.collection(others).put('c', 1);
  await bench.run();

  hook.send([{ namespace: 'demo', name: 'sent' }]);
  await bench.clock.advanceAndSettle(1_000);

  expect(keys).toEqual(['demo/c', 'demo/named', 'demo/sent', 'demo/timed']);
});

test('[K-10] a mapping that fails twice is retried, and loses no key', async () => {
  let calls = 0;
  const { keys, reconcile, gone } = recordKeys();
  const bench = new ControllerBench({
    watches: [
      enqueueMapped(other, async (thing) => {
        if (++calls < 3) throw new Error('no answer');
        return [keyOf(thing)];
      }),
    ],
    reconcile,
    gone,
  });
  bench.collection(others).put('c', 7);

  await bench.run();
  await bench.clock.advanceAndSettle(1_099);
  const early = [...keys];
  await bench.clock.advanceAndSettle(1);

  expect([early, keys]).toEqual([[], ['demo/v7']]);
  expect(bench.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('[K-10] stop() does not wait for the retry of a mapping', async () => {
  const bench = new ControllerBench({
    watches: [enqueueMapped(other, () => Promise.reject(new Error('no answer')))],
    reconcile: async () => {},
  });
  bench.collection(others).put('c');
  await bench.run();

  await bench.stop();

  expect(bench.count('chancery_mapping_failures_total')).toBe(0);
});

test('[K-10] a change that the predicate of a mapping drops is not mapped', async () => {
  const mapped: number[] = [];
  const map = ({ value }: Thing): ObjectKey[] => {
    mapped.push(value);
    return [];
  };
  const bench = new ControllerBench({
    watches: [enqueueMapped(other, map, { predicate: generationChanged })],
    reconcile: async () => {},
  });
  bench.collection(others).put('c', 1, { generation: 1 });
  await bench.run();

  bench.collection(others).put('c', 2, { generation: 1 });
  await settle();

  expect(mapped).toEqual([1]);
});

test('[K-10] everyMs enqueues keys periodically, with jitter and a lower priority than changes', async () => {
  const seen: [number, number][] = [];
  const bench = new ControllerBench({
    triggers: [everyMs(10_000, [objectKey('demo', 'poll')], { random: () => 0.5 })],
    reconcile: () => {},
    gone: (_key, { clock, priority }) => {
      seen.push([clock.monotonic() - 1_000_000, priority]);
    },
  });
  await bench.run();

  await bench.clock.advanceAndSettle(25_000);

  expect(seen).toEqual([
    [10_000, -100],
    [20_000, -100],
  ]);
});

test('[K-10] everyMs accepts a function that returns the keys, and calls it every time', async () => {
  const { keys, reconcile, gone } = recordKeys();
  let asked = 0;
  const bench = new ControllerBench({
    triggers: [everyMs(1_000, async () => [objectKey('demo', `${++asked}`)], { jitter: 0 })],
    reconcile,
    gone,
  });
  await bench.run();

  await bench.clock.advanceAndSettle(2_000);

  expect(keys).toEqual(['demo/1', 'demo/2']);
});

test.each([
  0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
])('[K-10] everyMs refuses a period of %s', (periodMs) => {
  expect(() => everyMs(periodMs, [])).toThrow(ConfigurationError);
});

test('[K-10] keys are lost if they are sent to a channel while the controller does not run', async () => {
  const { keys, reconcile, gone } = recordKeys();
  const hook = channel();
  const bench = new ControllerBench({ triggers: [hook], reconcile, gone });
  hook.send([objectKey('demo', 'before')]);
  await bench.run();

  hook.send([objectKey('demo', 'a'), objectKey('demo', 'b')]);
  await settle();
  await bench.stop();
  hook.send([objectKey('demo', 'after')]);
  await settle();

  expect(keys).toEqual(['demo/a', 'demo/b']);
});

test('[K-10] a trigger that throws is reported, and started again with growing delays', async () => {
  const startedAt: number[] = [];
  const broken: Trigger = {
    run: async (_enqueue, { clock }) => {
      startedAt.push(clock.monotonic() - 1_000_000);
      throw new Error('a bug');
    },
  };
  const bench = new ControllerBench({ triggers: [broken], reconcile: async () => {} });
  await bench.run();

  await bench.clock.advanceAndSettle(5_000);

  expect(startedAt).toHaveLength(3);
  expect(startedAt[1]).toBeGreaterThanOrEqual(1_000);
  expect((startedAt[2] ?? 0) - (startedAt[1] ?? 0)).toBeGreaterThanOrEqual(2_000);
  expect(bench.count('chancery_trigger_failures_total')).toBe(3);
});

test('[K-10] triggers start after the caches are synced, and end before the controller does', async () => {
  const states: string[] = [];
  const trigger: Trigger = {
    run: async (_enqueue, { signal }) => {
      states.push(
        `begun, synced: ${bench.lines.some(({ message }) => message === 'controller started')}`,
      );
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      states.push('ended');
    },
  };
  const bench: ControllerBench = new ControllerBench({
    triggers: [trigger],
    reconcile: async () => {},
  });
  await bench.standBy();
  const standingBy = [...states];
  await bench.run();

  await bench.drain();

  expect(standingBy).toEqual([]);
  expect(states).toEqual(['begun, synced: true', 'ended']);
});

test('[M-2] a standby reconciles nothing before it leads, and then reconciles every object', async () => {
  const { keys, reconcile } = recordKeys();
  const priorities: number[] = [];
  const bench = new ControllerBench({
    reconcile: (object, context) => {
      priorities.push(context.priority);
      return reconcile(object, context);
    },
  });
  const collection = bench.collection();
  collection.put('a');
  await bench.standBy();
  collection.put('b');
  collection.put('gone');
  await settle();
  collection.remove('gone');
  await settle();
  const standingBy = [...keys];

  await bench.run();

  expect(standingBy).toEqual([]);
  expect(keys).toEqual(['demo/a', 'demo/b']);
  expect(priorities).toEqual([-100, -100]);
});

test('[M-2] the first of 10,000 objects is reconciled within two turns after leadership is gained', async () => {
  let reconciled = 0;
  const bench = new ControllerBench({
    maxConcurrentReconciles: 4,
    reconcile: async () => {
      reconciled++;
    },
  });
  for (let index = 0; index < 10_000; index++) bench.collection().put(`o${index}`);
  await bench.standBy();
  await eventually(() => bench.synced);

  const running = bench.run();
  let turns = 0;
  for (; reconciled === 0; turns++) await yieldToEventLoop();
  await running;
  await eventually(() => reconciled === 10_000);

  expect(turns).toBeLessThanOrEqual(2);
});

test('[K-14] 100 updates cause one reconcile at once, then one per minIntervalMs, and the last reconcile sees the last update', async () => {
  const seen: [number, number | undefined][] = [];
  const bench = new ControllerBench({
    minIntervalMs: 1_000,
    reconcile: async (object, { clock }) => {
      seen.push([clock.monotonic() - 1_000_000, object.value]);
    },
  });
  await bench.run();

  for (let value = 0; value < 100; value++) bench.collection().put('a', value);
  await settle();
  const burst = [...seen];
  for (let value = 100; value < 200; value++) {
    bench.collection().put('a', value);
    await bench.clock.advanceAndSettle(25);
  }
  await bench.clock.advanceAndSettle(10_000);

  expect(burst).toHaveLength(1);
  expect(seen.map(([at]) => at)).toEqual([0, 1_000, 2_000, 3_000]);
  expect(seen.at(-1)?.[1]).toBe(199);
});

test('[K-14] minIntervalMs also applies to retries, polls and triggers', async () => {
  const seenAt: number[] = [];
  const announced: (number | undefined)[] = [];
  const hook = channel();
  const bench = new ControllerBench(
    {
      minIntervalMs: 1_000,
      triggers: [hook],
      reconcile: async (_object, { clock }) => {
        seenAt.push(clock.monotonic() - 1_000_000);
        if (seenAt.length === 1) throw new Error('once');
        return seenAt.length === 2 ? { requeueAfterMs: 1 } : undefined;
      },
    },
    {
      reconcileMiddleware: async (_attempt, next) => {
        const end = await next();
        announced.push(end.requeueAfterMs);
        return end;
      },
    },
  );
  bench.collection().put('a');
  await bench.run();

  await bench.clock.advanceAndSettle(2_500);
  hook.send([objectKey('demo', 'a')]);
  await bench.clock.advanceAndSettle(2_500);

  expect(seenAt).toEqual([0, 1_000, 2_000, 3_000]);
  expect(announced).toEqual([1_000, 1_000, undefined, undefined]);
});

test('[K-14] a key that waits for minIntervalMs delays no other key', async () => {
  const { keys, reconcile, gone } = recordKeys();
  const bench = new ControllerBench({ minIntervalMs: 60_000, reconcile, gone });
  bench.collection().put('a');
  await bench.run();

  bench.collection().put('a', 1);
  bench.collection().put('b');
  await settle();

  expect(keys).toEqual(['demo/a', 'demo/b']);
});
