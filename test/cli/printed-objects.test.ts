import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { MAX_WAITING_BYTES, PrintedObjects } from '../../operator/cli/printed-objects.ts';
import { watchLines } from '../../operator/cli/watch-lines.ts';
import { HeldObject } from '../../operator/model/held-object.ts';
import { type KubernetesObject, keyOf } from '../../operator/model/object.ts';
import { Reflector } from '../../operator/watch/reflector.ts';
import { FakeCollection } from '../support/fake-collection.ts';
import { configMap, summary } from './printed.ts';

const { signal } = new AbortController();

/** An object that came as text. */
function held(name: string, resourceVersion = '1', text = 'x'): HeldObject {
  const identity = { name, namespace: 'demo', uid: `uid-${name}`, resourceVersion };
  const metadata = { ...identity, labels: { app: name }, managedFields: [{ manager: 'm' }] };
  const json = JSON.stringify({ ...configMap(name, { text }), metadata });
  const end = json.indexOf('},"data":');
  const head = json.slice(0, end);
  return new HeldObject(
    { apiVersion: 'v1', kind: 'ConfigMap', ...identity },
    { head, tail: json.slice(end) },
  );
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

const textOf = (kept: KubernetesObject | undefined): string => JSON.stringify(kept);
const keptOf = ({ objects }: ReturnType<typeof printed>, object: KubernetesObject) =>
  objects.hold?.known?.(keyOf(object));

test('of an object that was listed, and of one that was watched, no text is kept once it is printed', async () => {
  const [listed, watched] = [held('listed', '1', 'secret'), held('watched', '2', 'secret')];
  const parsed = {
    ...configMap('parsed', { k: 'secret' }),
    metadata: { ...held('parsed').metadata },
  };
  const collection = printed();

  await collection.objects.replace({ items: [listed, parsed], resourceVersion: '1' });
  await collection.objects.apply([{ type: 'ADDED', object: watched }]);

  expect(summary(collection.lines)).toEqual(['ADDED listed', 'ADDED parsed', 'ADDED watched']);
  for (const object of [listed, watched, parsed]) {
    const kept = keptOf(collection, object);
    expect(kept).not.toBe(object);
    expect(kept?.metadata).toEqual(object.metadata);
    expect(textOf(kept)).not.toContain('secret');
    expect(kept).not.toBeInstanceOf(HeldObject);
  }
});

test('a DELETED that only a list has shown has the metadata of the last state that was printed', async () => {
  const collection = printed();
  const { objects } = collection;
  const changed = configMap('a');
  const metadata = { ...held('a', '2').metadata, labels: { app: 'other' } };
  await objects.replace({ items: [held('a', '1')], resourceVersion: '1' });

  await objects.apply([{ type: 'MODIFIED', object: { ...changed, metadata } }]);
  await objects.replace({ items: [], resourceVersion: '3' });

  expect(summary(collection.lines)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  expect(JSON.parse(collection.lines[2] ?? '')).toEqual({
    type: 'DELETED',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata },
  });
});

test('an object is kept until its line is taken', async () => {
  const { promise: gate, resolve } = Promise.withResolvers<void>();
  const collection = printed(gate);
  const [first, second] = [held('a'), held('b')];

  const replacing = collection.objects.replace({ items: [first, second], resourceVersion: '1' });
  await Promise.resolve();
  const waiting = keptOf(collection, second);
  resolve();
  await replacing;

  expect(waiting).toBe(second);
  expect(keptOf(collection, second)).not.toBe(second);
});

test('pages wait for their list up to a limit, and are printed from there on', async () => {
  const collection = printed();
  const small = held('small');
  const page = ['a', 'b'].map((name) => held(name, '1', 'x'.repeat(MAX_WAITING_BYTES / 2)));

  const waiting = await collection.objects.takePage([small], true);
  const linesWhileWaiting = [...collection.lines];
  const taken = await collection.objects.takePage(page, false);
  const linesOfPage = summary(collection.lines);
  await collection.objects.replace({ items: [...waiting, ...taken], resourceVersion: '1' });

  expect(waiting).toEqual([small]);
  expect(linesWhileWaiting).toEqual([]);
  expect(linesOfPage).toEqual(['ADDED a', 'ADDED b']);
  expect(taken.some((object) => object instanceof HeldObject)).toBe(false);
  expect(taken.map(keyOf)).toEqual(page.map(keyOf));
  expect(summary(collection.lines)).toEqual(['ADDED a', 'ADDED b', 'ADDED small']);
});

test('a page that shows what was printed before prints nothing', async () => {
  const collection = printed();
  const text = 'x'.repeat(MAX_WAITING_BYTES);
  await collection.objects.takePage([held('a', '1', text)], true);

  const again = await collection.objects.takePage([held('a', '1', text)], true);

  expect(summary(collection.lines)).toEqual(['ADDED a']);
  expect(again[0]).toBe(keptOf(collection, held('a')));
});

test('an older state on a page is printed when the list is complete, as after a restore', async () => {
  const collection = printed();
  await collection.objects.replace({ items: [held('a', '7')], resourceVersion: '7' });
  const older = held('a', '5', 'x'.repeat(MAX_WAITING_BYTES));

  const items = await collection.objects.takePage([older], true);
  const before = collection.lines.length;
  await collection.objects.replace({ items, resourceVersion: '6' });

  expect(before).toBe(1);
  expect(summary(collection.lines)).toEqual(['ADDED a', 'MODIFIED a']);
});

test('an object that is no JSON is kept as it is, so that the next list brings it anew', async () => {
  const collection = printed();
  const identity = { name: 'a', namespace: 'demo', uid: 'uid-a', resourceVersion: '1' };
  const broken = new HeldObject(
    { apiVersion: 'v1', kind: 'ConfigMap', ...identity },
    { head: `{"metadata":${JSON.stringify(identity).slice(0, -1)}`, tail: '},"data":nonsense}' },
  );

  await collection.objects.apply([{ type: 'ADDED', object: broken }]);
  const { length: unreadableCount } = collection.unreadable;
  await collection.objects.replace({ items: [held('a')], resourceVersion: '2' });

  expect(unreadableCount).toBe(1);
  expect(summary(collection.lines)).toEqual(['MODIFIED a']);
});

test('metadata that JSON.stringify cannot walk costs no other object, and its own names are kept', async () => {
  const collection = printed();
  const depth = 100_000;
  const deep = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as never;
  const plain = configMap('deep');
  const metadata = { ...plain.metadata, uid: 'uid-deep', resourceVersion: '1', annotations: deep };

  await collection.objects.replace({
    items: [{ ...plain, metadata }, held('a')],
    resourceVersion: '1',
  });
  await collection.objects.replace({ items: [], resourceVersion: '2' });

  expect(summary(collection.lines)).toEqual(['ADDED a', 'DELETED deep', 'DELETED a']);
});

test('a verification reads pages of the same size, and holds what it reads as text', async () => {
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
  expect(collection.lists.map(({ hold }) => hold)).toEqual([objects.hold, objects.hold]);
});
