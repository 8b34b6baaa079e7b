import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { watchLines } from '../../operator/cli/watch/lines.ts';
import { MAX_WAITING_BYTES, PrintedObjects } from '../../operator/cli/watch/printed-objects.ts';
import { Entry } from '../../operator/model/entry.ts';
import { type KubernetesObject, keyOf } from '../../operator/model/object.ts';
import { Reflector } from '../../operator/watch/reflector.ts';
import { FakeCollection } from '../support/fake-collection.ts';
import { entryOfText, textEntry } from '../support/text-entry.ts';
import { configMap, summary } from './printed.ts';

const { signal } = new AbortController();

/** Metadata of a ConfigMap, as it comes from a server. */
function metadataOf(name: string, resourceVersion = '1') {
  const identity = { name, namespace: 'demo', uid: `uid-${name}`, resourceVersion };
  return { ...identity, labels: { app: name }, managedFields: [{ manager: 'm' }] };
}

/** The same as they are printed and kept of an object that was printed before. */
function keptMetadataOf(name: string, resourceVersion = '1') {
  const { managedFields: _, ...metadata } = metadataOf(name, resourceVersion);
  return metadata;
}

/** An object that came as text. */
function ofText(name: string, resourceVersion = '1', text = 'x'): Entry {
  const metadata = metadataOf(name, resourceVersion);
  return textEntry<KubernetesObject>({ ...configMap(name, { text }), metadata });
}

/** An object that was parsed when it came. */
function parsed(name: string, metadata: object = metadataOf(name), text = 'x'): Entry {
  return Entry.of({ ...configMap(name, { text }), metadata } as KubernetesObject);
}

/** Objects whose changes are written down as lines, and not before `gate` resolves. */
function printed(gate: Promise<void> = Promise.resolve()) {
  const lines: string[] = [];
  const unreadable: unknown[] = [];
  const objects = new PrintedObjects({
    form: { apiVersion: 'v1', kind: 'ConfigMap' },
    print: async (changes) => {
      for (const line of watchLines(changes, () => {})) {
        await gate;
        lines.push(line);
      }
    },
    statusChanged: () => {},
    verified: () => {},
    unreadable: (error) => unreadable.push(error),
    signal,
  });
  return { objects, lines, unreadable };
}

const keptOf = ({ objects }: ReturnType<typeof printed>, { key }: Entry): Entry | undefined =>
  objects.known(key);

test('once an object from a list or a watch is printed, only its metadata stays in memory', async () => {
  const [listed, watched] = [ofText('listed', '1', 'secret'), ofText('watched', '2', 'secret')];
  const other = parsed('parsed', metadataOf('parsed'), 'secret');
  const collection = printed();

  await collection.objects.replace({ items: [listed, other], resourceVersion: '1' });
  await collection.objects.apply([{ type: 'ADDED', entry: watched }]);

  expect(summary(collection.lines)).toEqual(['ADDED listed', 'ADDED parsed', 'ADDED watched']);
  for (const entry of [listed, watched, other]) {
    const kept = keptOf(collection, entry);
    expect(kept).not.toBe(entry);
    const { key, uid, resourceVersion } = entry;
    expect([kept?.key, kept?.uid, kept?.resourceVersion]).toEqual([key, uid, resourceVersion]);
    expect(kept?.textLength).toBe(0);
  }
  await collection.objects.replace({ items: [], resourceVersion: '3' });
  const deleted = collection.lines.slice(3).map((line) => JSON.parse(line).object);
  expect(deleted).toEqual(
    [listed, other, watched].map(({ metadata: { managedFields: _, ...metadata } }) => {
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    }),
  );
});

test('if an object is missing from a list, its DELETED event has the metadata last printed', async () => {
  const collection = printed();
  const { objects } = collection;
  const labels = { app: 'other' };
  await objects.replace({ items: [ofText('a', '1')], resourceVersion: '1' });

  const changed = parsed('a', { ...metadataOf('a', '2'), labels });
  await objects.apply([{ type: 'MODIFIED', entry: changed }]);
  await objects.replace({ items: [], resourceVersion: '3' });

  expect(summary(collection.lines)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  expect(JSON.parse(collection.lines[2] ?? '')).toEqual({
    type: 'DELETED',
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...keptMetadataOf('a', '2'), labels },
    },
  });
});

test('a whole object stays in memory until the reader has taken its line', async () => {
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  const collection = printed(gate);
  const [first, second] = [ofText('a'), ofText('b')];

  const replacing = collection.objects.replace({ items: [first, second], resourceVersion: '1' });
  await Promise.resolve();
  const waiting = keptOf(collection, second);
  resolve();
  await replacing;

  expect(waiting).toBe(second);
  expect(keptOf(collection, second)).not.toBe(second);
});

test('pages are printed when the list is complete, or earlier if they exceed a limit', async () => {
  const collection = printed();
  const small = ofText('small');
  const page = ['a', 'b'].map((name) => ofText(name, '1', 'x'.repeat(MAX_WAITING_BYTES / 2)));

  const waiting = await collection.objects.takePage([small], true);
  const linesWhileWaiting = [...collection.lines];
  const taken = await collection.objects.takePage(page, false);
  const linesOfPage = summary(collection.lines);
  await collection.objects.replace({ items: [...waiting, ...taken], resourceVersion: '1' });

  expect(waiting).toHaveLength(1);
  expect(waiting[0]).toBe(small);
  expect(linesWhileWaiting).toEqual([]);
  expect(linesOfPage).toEqual(['ADDED a', 'ADDED b']);
  expect(taken.map(({ textLength }) => textLength)).toEqual([0, 0]);
  expect(taken.map(({ key }) => key)).toEqual(page.map(({ key }) => key));
  expect(summary(collection.lines)).toEqual(['ADDED a', 'ADDED b', 'ADDED small']);
});

test('a page prints nothing if all of its objects have been printed before', async () => {
  const collection = printed();
  const text = 'x'.repeat(MAX_WAITING_BYTES);
  await collection.objects.takePage([ofText('a', '1', text)], true);

  const again = await collection.objects.takePage([ofText('a', '1', text)], true);

  expect(summary(collection.lines)).toEqual(['ADDED a']);
  expect(again[0]).toBe(keptOf(collection, ofText('a')));
});

test('the metadata of printed objects does not count towards the limit for waiting pages', async () => {
  const collection = printed();
  const { objects } = collection;
  const annotations = { long: 'x'.repeat(MAX_WAITING_BYTES) };
  const large = parsed('large', { ...metadataOf('large'), annotations });
  await objects.replace({ items: [large], resourceVersion: '1' });
  const kept = keptOf(collection, large);

  const waiting = await objects.takePage(kept === undefined ? [] : [kept, ofText('new')], true);
  const before = summary(collection.lines);
  await objects.replace({ items: waiting, resourceVersion: '2' });

  expect(before).toEqual(['ADDED large']);
  expect(summary(collection.lines)).toEqual(['ADDED large', 'ADDED new']);
});

test('after a restore, a state older than the printed state is printed only when the list is complete', async () => {
  const collection = printed();
  await collection.objects.replace({ items: [ofText('a', '7')], resourceVersion: '7' });
  const older = ofText('a', '5', 'x'.repeat(MAX_WAITING_BYTES));

  const items = await collection.objects.takePage([older], true);
  const before = collection.lines.length;
  await collection.objects.replace({ items, resourceVersion: '6' });

  expect(before).toBe(1);
  expect(summary(collection.lines)).toEqual(['ADDED a', 'MODIFIED a']);
});

test('an object that is not valid JSON is kept unchanged, so that the next list prints it again', async () => {
  const collection = printed();
  const { object } = ofText('a');
  const broken = entryOfText(object, JSON.stringify(object).replace('"x"', 'nonsense'));

  await collection.objects.apply([{ type: 'ADDED', entry: broken }]);
  const { length: unreadableCount } = collection.unreadable;
  const kept = keptOf(collection, broken);
  await collection.objects.replace({ items: [ofText('a')], resourceVersion: '2' });

  expect(unreadableCount).toBe(1);
  expect(kept).toBe(broken);
  expect(summary(collection.lines)).toEqual(['MODIFIED a']);
});

test('metadata that JSON.stringify cannot write is reduced to the names, and affects no other object', async () => {
  const collection = printed();
  const depth = 100_000;
  const annotations = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
  const deep = parsed('deep', { ...metadataOf('deep'), annotations });

  await collection.objects.replace({ items: [deep, ofText('a')], resourceVersion: '1' });
  await collection.objects.replace({ items: [], resourceVersion: '2' });

  expect(summary(collection.lines)).toEqual(['ADDED a', 'DELETED deep', 'DELETED a']);
  expect(JSON.parse(collection.lines[1] ?? '').object).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'deep', namespace: 'demo', uid: 'uid-deep', resourceVersion: '1' },
  });
});

test('the metadata of a printed state replaces the metadata of the previous state in memory', async () => {
  const collection = printed();
  const { objects } = collection;
  await objects.replace({ items: [ofText('a', '1')], resourceVersion: '1' });

  await objects.apply([{ type: 'MODIFIED', entry: ofText('a', '2') }]);
  await objects.apply([{ type: 'MODIFIED', entry: ofText('a', '3') }]);

  const kept = objects.known(keyOf(configMap('a')));
  expect([...objects.keys()]).toEqual(['demo/a']);
  expect(kept?.resourceVersion).toBe('3');
  await objects.replace({ items: [], resourceVersion: '4' });
  expect(JSON.parse(collection.lines.at(-1) ?? '').object.metadata).toEqual(
    keptMetadataOf('a', '3'),
  );
});

test('a list that verifies the cache reads pages of the same size, and reuses the cached metadata', async () => {
  const collection = new FakeCollection();
  collection.put('a');
  const clock = new FakeClock();
  const { objects } = printed();
  const reflector = new Reflector<KubernetesObject>(collection, objects, {
    clock,
    relistIntervalMs: 0,
  });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  await settle();

  const drift = await reflector.verify();
  stop.abort();
  await running;

  expect(drift).toEqual([]);
  expect(collection.lists.map(({ limit }) => limit)).toEqual([10, 10]);
  const [key] = objects.keys();
  for (const { known } of collection.lists) {
    expect(key && known?.(key as never)).toBe(key && objects.known(key));
  }
});
