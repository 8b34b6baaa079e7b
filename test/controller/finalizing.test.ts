/** The order of finalizers: operators on the embedded API server, and cleanup that fails, by the clock. */

import type { TestEnv } from '@chancery/testing';
import {
  configMap,
  consistently,
  crashPoints,
  eventually,
  startOperator,
  startTestEnv,
} from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { clientOf } from '../../operator/client/client-of.ts';
import { type ControllerOptions, controller } from '../../operator/controller/controller.ts';
import { TerminalError } from '../../operator/controller/errors.ts';
import { generationChanged } from '../../operator/controller/predicate.ts';
import { source } from '../../operator/controller/source.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { ControllerBench } from '../support/controller-bench.ts';

const OURS = 'example.dev/cleanup';
const mine = source(configMaps, { labelSelector: 'mine=yes' });
const labels = { mine: 'yes' };

type Options = Partial<ControllerOptions<ConfigMap>>;

async function operated(
  options: Options,
  arrange?: (env: TestEnv, namespace: string) => Promise<unknown>,
) {
  const env = await startTestEnv();
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  await arrange?.(env, namespace);
  const operator = startOperator({
    url: env.url,
    namespace,
    controllers: [controller({ name: 'test', for: mine, reconcile: async () => {}, ...options })],
  });
  onTestFinished(() => operator.stop());
  return {
    env,
    namespace,
    operator,
    create: (more: object = {}) => env.create(configMap('a', { namespace, labels, ...more })),
    live: () => env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'a'),
    remove: () => env.delete('v1', 'ConfigMap', namespace, 'a'),
  };
}

test('[K-20] the finalizer is stored first, and then the reconciler gets the stored object', async () => {
  const seen: (readonly string[] | undefined)[] = [];
  const stored: (readonly string[] | undefined)[] = [];
  const managed: unknown[] = [];
  const { create } = await operated({
    predicate: generationChanged,
    finalizer: { name: OURS, finalize: async () => {} },
    reconcile: async (object, { client }) => {
      const { namespace, name } = object.metadata;
      seen.push(object.metadata.finalizers);
      managed.push(object.metadata.managedFields);
      stored.push((await client.get(configMaps, { namespace, name })).metadata.finalizers);
    },
  });

  await create();

  await eventually(() => stored.length > 0);
  expect([seen[0], stored[0], managed[0]]).toEqual([[OURS], [OURS], undefined]);
});

test('[K-20] a deleted object is finalized and not reconciled, and is then gone', async () => {
  const calls: string[] = [];
  const { create, env, live, remove } = await operated({
    finalizer: {
      name: OURS,
      finalize: async (object) => {
        calls.push(`finalize ${object.metadata.deletionTimestamp !== undefined}`);
      },
    },
    reconcile: () => {
      calls.push('reconcile');
    },
    gone: (key, { store }) => {
      calls.push('gone');
      expect(store(mine).get(key)).toBeUndefined();
    },
  });
  await create();
  await eventually(() => calls.includes('reconcile'));

  await remove();

  await eventually(() => calls.at(-1) === 'gone');
  await consistently(async () => calls.at(-1) === 'gone' && (await live()) === undefined);
  expect(calls.filter((call) => call !== 'reconcile')).toEqual(['finalize true', 'gone']);
  const writes = env.requests.of({ resource: 'configmaps', verb: 'patch' });
  expect(writes).toHaveLength(2); // the finalizer, there and back
});

test('[K-23] after its finalizer is removed, an object with other finalizers is not reconciled', async () => {
  const calls: string[] = [];
  const { create, env, live, namespace, remove } = await operated({
    finalizer: {
      name: OURS,
      finalize: async () => {
        calls.push('finalize');
      },
    },
    reconcile: ({ metadata }) => {
      calls.push(`reconcile ${metadata.deletionTimestamp ?? ''}`);
    },
    gone: () => {
      calls.push('gone');
    },
  });
  await create({ finalizers: ['other.dev/x'] });
  await eventually(() => calls.includes('reconcile '));
  await remove();
  await eventually(async () => (await live())?.metadata.finalizers?.join() === 'other.dev/x');
  await env.patch('v1', 'ConfigMap', namespace, 'a', { data: { late: 'change' } });
  await consistently(() => calls.filter((call) => call !== 'reconcile ').join() === 'finalize');

  await env.patch('v1', 'ConfigMap', namespace, 'a', { metadata: { finalizers: null } });

  await eventually(() => calls.at(-1) === 'gone');
  expect(calls.filter((call) => call !== 'reconcile ')).toEqual(['finalize', 'gone']);
});

test('[K-20] a controller without a finalizer reconciles an object that is being deleted', async () => {
  const seen: boolean[] = [];
  const { create, remove } = await operated({
    reconcile: async (object) => {
      seen.push(object.metadata.deletionTimestamp !== undefined);
    },
  });
  await create({ finalizers: ['other.dev/x'] });
  await eventually(() => seen.length > 0);

  await remove();

  await eventually(() => seen.at(-1));
});

test('[K-21] an object that is already being deleted when it is first cached is not written', async () => {
  const calls: string[] = [];
  const { env, operator } = await operated(
    {
      finalizer: {
        name: OURS,
        finalize: async () => {
          calls.push('finalize');
        },
      },
      reconcile: async () => {
        calls.push('reconcile');
      },
    },
    async (cluster, namespace) => {
      await cluster.create(configMap('a', { namespace, labels, finalizers: ['other.dev/x'] }));
      await cluster.delete('v1', 'ConfigMap', namespace, 'a');
    },
  );
  await operator.untilReady();

  await consistently(() => calls.length === 0);

  expect(env.requests.count({ resource: 'configmaps', verb: 'patch' })).toBe(0);
});

test('[K-20] after a crash at any point of finalizing, nothing is left, and nothing is created twice', async () => {
  const problems: string[] = [];
  let world = new Set<string>(); // what Kubernetes does not know of
  const points = await crashPoints({
    arrange: async (env, namespace) => {
      world = new Set();
      await env.create(configMap('a', { namespace, labels }));
    },
    start: (url, namespace) => {
      const outside = world;
      return startOperator({
        url,
        namespace,
        controllers: [
          controller({
            name: 'test',
            for: mine,
            finalizer: {
              name: OURS,
              finalize: async ({ metadata: { uid = '' } }) => {
                outside.delete(uid);
              },
            },
            reconcile: async (object) => {
              const { uid = '', finalizers } = object.metadata ?? {};
              if (outside.has(uid)) return;
              if (!finalizers?.includes(OURS))
                problems.push('made before the finalizer was stored');
              outside.add(uid);
            },
          }),
        ],
      });
    },
    act: async (env, namespace) => {
      await eventually(() => world.size === 1);
      await env.delete('v1', 'ConfigMap', namespace, 'a');
    },
    until: async (env, namespace) =>
      (await env.get('v1', 'ConfigMap', namespace, 'a')) === undefined,
    state: async () => [...world],
    calls: ({ verb }) => verb === 'patch',
    parallel: 1, // the runs share `world`
  });

  expect(problems).toEqual([]);
  expect(points.map(({ when, call }) => `${when} ${call.verb}`)).toEqual([
    'before patch',
    'after patch',
    'before patch',
    'after patch',
  ]);
}, 60_000);

test('[K-26] objects that are no longer selected, but still have the finalizer, are reported once', async () => {
  const { env, namespace, operator } = await operated(
    { finalizer: { name: OURS, finalize: async () => {} } },
    async (cluster, at) => {
      for (const name of ['left-1', 'left-2']) {
        await cluster.create(configMap(name, { namespace: at, finalizers: [OURS] }));
      }
      await cluster.create(configMap('a', { namespace: at, labels, finalizers: [OURS] }));
      await cluster.create(configMap('foreign', { namespace: at, finalizers: ['other.dev/x'] }));
    },
  );
  const told = () => operator.log.filter(({ message }) => message.startsWith('objects carry'));

  await eventually(() => told().length > 0);

  expect(told().map(({ fields }) => fields)).toMatchObject([
    { finalizer: OURS, count: 2, keys: [`${namespace}/left-1`, `${namespace}/left-2`] },
  ]);
  expect(operator.meter.value('chancery_unselected_finalizers', { controller: 'test' })).toBe(2);
  const lists = env.requests.of({ resource: 'configmaps', verb: 'list' });
  const ofAll = lists.filter(({ query }) => query.fieldSelector === undefined);
  expect(ofAll.length).toBeLessThanOrEqual(2); // those of the source and of the sweep
});

test('[K-26] a controller without selectors, or without a finalizer, sends no extra list requests', async () => {
  const whole = await operated({
    for: source(configMaps),
    finalizer: { name: OURS, finalize: async () => {} },
  });
  const plain = await operated({});
  for (const { operator } of [whole, plain]) await operator.untilReady();

  for (const { env } of [whole, plain]) {
    await consistently(() => env.requests.count({ resource: 'configmaps', verb: 'list' }) <= 1);
  }
});

const DELETED_AT = new Date(1_000_000).toISOString();
const deleting = { finalizers: [OURS], deletionTimestamp: DELETED_AT };

/** A client that removes finalizers from what a bench shows. */
function removing(removed: string[]): Client {
  return clientOf(async (call) => {
    if (call.verb !== 'patch') throw new Error(`unexpected ${call.verb}`);
    removed.push(call.target.name);
    return {} as never;
  });
}

test('[K-25] a cleanup that fails is reported and retried for ever, and the finalizer is not removed', async () => {
  let tries = 0;
  const removed: string[] = [];
  const bench = new ControllerBench(
    {
      finalizer: {
        name: OURS,
        finalize: async () => {
          throw ++tries % 2 === 0 ? new TerminalError('will not') : new Error('cannot');
        },
      },
      reconcile: async () => {},
    },
    { client: removing(removed) },
  );
  bench.collection().put('a', 0, deleting);
  await bench.run();

  await bench.clock.advanceAndSettle(24 * 3_600_000);

  expect(tries).toBeGreaterThan(80); // the back-off ends at 1,000 s
  expect(removed).toEqual([]);
  expect(bench.events[0]).toMatchObject({
    type: 'Warning',
    reason: 'FinalizeFailed',
    action: 'Finalize',
    note: 'cleanup failed: cannot',
  });
  expect(bench.events.every(({ reason }) => reason === 'FinalizeFailed')).toBe(true);
  expect(bench.lines.filter(({ message }) => message === 'finalize failed').length).toBe(tries);
});

test.each<[string, object]>([
  ['a misspelt delay', { requeueAfter: 5_000 }],
  ['Go’s field `Requeue`', { Requeue: true }],
  ['a refusal', { refusal: { kind: 'quota' } }],
])('[K-25] a cleanup that returns %s keeps the finalizer, and is called again', async (_what, returned) => {
  let calls = 0;
  const removed: string[] = [];
  const bench = new ControllerBench(
    {
      finalizer: {
        name: OURS,
        finalize: () => {
          calls++;
          return calls < 3 ? (returned as never) : undefined;
        },
      },
      reconcile: () => {},
    },
    { client: removing(removed) },
  );
  bench.collection().put('a', 0, deleting);
  await bench.run();
  expect(removed).toEqual([]);

  await bench.clock.advanceAndSettle(3_600_000);

  expect(calls).toBe(3);
  expect(removed).toEqual(['a']);
});

test('[K-25] after forceFinalizeAfterMs, the finalizer is removed in spite of failures, and an Event says so', async () => {
  const at: number[] = [];
  const removed: string[] = [];
  const bench = new ControllerBench(
    {
      finalizer: {
        name: OURS,
        forceFinalizeAfterMs: 3_600_000,
        finalize: async (_object, { clock }) => {
          at.push(clock.now());
          throw new Error('cannot');
        },
      },
      reconcile: async () => {},
    },
    { client: removing(removed) },
  );
  bench.collection().put('a', 0, deleting);
  await bench.run();

  await bench.clock.advanceAndSettle(3_599_999);
  const before = removed.length;
  await bench.clock.advanceAndSettle(1);
  const calls = at.length;
  bench.collection().put('a', 1, deleting); // the cache does not know yet
  await bench.clock.advanceAndSettle(3_600_000);

  expect([before, removed]).toEqual([0, ['a']]);
  expect(at.at(-1)).toBe(1_000_000 + 3_600_000);
  expect(at).toHaveLength(calls);
  expect(bench.events.at(-1)).toMatchObject({ type: 'Warning', reason: 'FinalizerForced' });
});

test('[K-25] when a deletion begins, `finalize` is called, even if the predicate drops the event', async () => {
  const removed: string[] = [];
  const bench = new ControllerBench(
    {
      predicate: ({ type }) => type === 'create',
      finalizer: { name: OURS, finalize: async () => {} },
      reconcile: async () => {},
    },
    { client: removing(removed) },
  );
  bench.collection().put('a', 0, { finalizers: [OURS] });
  await bench.run();

  bench.collection().put('a', 0, deleting);
  await bench.clock.advanceAndSettle(0);

  expect(removed).toEqual(['a']);
});
