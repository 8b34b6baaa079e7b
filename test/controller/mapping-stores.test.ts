/** What a mapping finds in the stores of its controller, and what is only read. */

import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { ControllerOptions } from '../../operator/controller/controller.ts';
import { enqueueMapped } from '../../operator/controller/mapping.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { source } from '../../operator/controller/source.ts';
import { type ObjectKey, objectKey } from '../../operator/model/object.ts';
import { ControllerBench, others, recordKeys, things } from '../support/controller-bench.ts';
import type { Thing } from '../support/fake-collection.ts';

/** A thing names, by its label, the other that it depends on. */
const named = source<Thing>(things, {
  indexes: { other: ({ metadata }) => [metadata.labels?.other ?? ''] },
});
const NAMES_O = { labels: { other: 'o' } };

type Watches = NonNullable<ControllerOptions<Thing>['watches']>;

/** Reads the other of each thing; remembers what it saw last. */
function bench(watches: Watches, before: () => Promise<void> = async () => {}) {
  const seen = new Map<ObjectKey, number | undefined>();
  const bench = new ControllerBench({
    for: named,
    watches,
    reconcile: async (_thing, { key, store }: ReconcileContext) => {
      await before();
      seen.set(key, store(others).get(objectKey('demo', 'o'))?.value);
    },
  });
  const run = async (): Promise<void> => {
    bench.collection(named); // by its own indices
    await bench.run();
  };
  return { bench, run, seen, ours: bench.collection(named), theirs: bench.collection(others) };
}

const whoNames = enqueueMapped<Thing>(others, ({ metadata }, { store }) =>
  store(named)
    .byIndex('other', metadata.name)
    .map(({ metadata: { name } }) => objectKey('demo', name)),
);

test('[K-10] a mapping can use an index to find the objects that refer to the changed object', async () => {
  const { run, seen, ours, theirs } = bench([whoNames]);
  ours.put('a', 0, NAMES_O);
  ours.put('b');
  theirs.put('o', 1);
  await run();
  seen.clear();

  theirs.put('o', 2);
  await settle();

  expect([...seen]).toEqual([['demo/a', 2]]);
});

test('[K-10] when a mapping is called, the store already has the change, and at startup it has every object', async () => {
  const found: unknown[] = [];
  const mapping = enqueueMapped<Thing>(others, ({ value }, { store }) => {
    const values = [others, things].flatMap((each) =>
      store(each)
        .list()
        .map((one) => one.value),
    );
    found.push([value, ...values]);
    return [];
  });
  const { run, ours, theirs } = bench([mapping]);
  ours.put('a', 7);
  theirs.put('o', 1);

  await run();
  theirs.put('o', 2);
  await settle();

  expect(found).toEqual([
    [1, 1, 7],
    [1, 2, 7],
    [2, 2, 7],
  ]);
});

test.each([
  'ours first',
  'theirs first',
  'both in one turn',
])('[K-10] if an object begins to refer to another object, no change of the other object is missed: %s', async (order) => {
  const { run, seen, ours, theirs } = bench([whoNames]);
  theirs.put('o', 1);
  await run();

  if (order === 'theirs first') theirs.put('o', 2);
  if (order === 'theirs first') await settle();
  ours.put('a', 0, NAMES_O);
  if (order === 'ours first') await settle();
  if (order !== 'theirs first') theirs.put('o', 2);
  await settle();

  expect([...seen]).toEqual([['demo/a', 2]]);
});

test('[K-10] if a referenced object changes during a reconcile, the reconcile is repeated', async () => {
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  const { run, seen, ours, theirs } = bench([whoNames], async () => {
    if (++begun === 1) await gate.promise;
  });
  ours.put('a', 0, NAMES_O);
  theirs.put('o', 1);
  await run();

  theirs.put('o', 2);
  await settle();
  gate.resolve();
  await settle();

  expect([begun, ...seen]).toEqual([2, ['demo/a', 2]]);
});

test('[K-10] after an `await`, a mapping reads the current store', async () => {
  const gate = Promise.withResolvers<void>();
  const later = enqueueMapped<Thing>(others, async (object, context) => {
    await gate.promise;
    return whoNames.map(object, context);
  });
  const { run, seen, ours, theirs } = bench([later]);
  theirs.put('o', 1);
  await run();
  ours.put('a', 0, NAMES_O);
  await settle();
  theirs.put('o', 2);
  await settle();
  seen.clear();

  gate.resolve();
  await settle();

  expect([...seen]).toEqual([['demo/a', 2]]);
});

test("[K-10] a mapping gets the same store as the reconciler, including the reconciler's writes", async () => {
  const stores = new Set<unknown>();
  const seeing = enqueueMapped<Thing>(others, (_, { store }) => {
    stores.add(store(named)).add(store(things));
    return [objectKey('demo', 'a')];
  });
  const controllers = new ControllerBench({
    for: named,
    watches: [seeing],
    reconcile: async (_thing, { store }) => {
      stores.add(store(named));
    },
  });
  controllers.collection(others).put('o');

  await controllers.run();

  expect(stores.size).toBe(1);
});

test('[K-10] a mapping that reads an undeclared source fails, and the error contains the source', async () => {
  const {
    bench: it,
    run,
    theirs,
  } = bench([
    enqueueMapped<Thing>(others, (_, { store }) => {
      store(source<Thing>({ ...others, plural: 'strangers' }));
      return [];
    }),
  ]);
  theirs.put('o');

  await run();

  const [line] = it.lines.filter(({ message }) => message.startsWith('mapping failed'));
  expect(line?.fields.err).toMatchObject({
    cause: { code: 'CONFIG', context: { resource: 'strangers.example.dev' } },
  });
});

test('[K-10] a source in `reads` is synced before the first reconcile, and its changes enqueue no key', async () => {
  const { keys, reconcile } = recordKeys();
  let store: ReconcileContext['store'] | undefined;
  const reader = new ControllerBench({
    reads: [others],
    reconcile: (thing, context) => {
      store = context.store;
      return reconcile(thing, context);
    },
  });
  reader.collection(things).put('a');
  const gate = Promise.withResolvers<void>();
  reader.collection(others).listGate = gate.promise;
  await reader.run();
  const early = [...keys];
  gate.resolve();
  await settle();

  reader.collection(others).put('o', 5);
  await settle();

  expect([early, keys]).toEqual([[], ['demo/a']]);
  expect(store?.(others).get(objectKey('demo', 'o'))?.value).toBe(5);
});
