/** A controller parses the objects that it reconciles. One that is no JSON costs no other object anything. */

import { settle } from '@chancery/testing';
import { describe, expect, test, vi } from 'vitest';
import type { ControllerOptions } from '../../operator/controller/controller.ts';
import type { Predicate } from '../../operator/controller/predicate.ts';
import {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  not,
  or,
  resourceVersionChanged,
} from '../../operator/controller/predicate.ts';
import { source } from '../../operator/controller/source.ts';
import { Entry } from '../../operator/model/entry.ts';
import { type KubernetesObject, objectKey, splitKey } from '../../operator/model/object.ts';
import { ControllerBench, others, recordKeys, things } from '../support/controller-bench.ts';
import type { Thing } from '../support/fake-collection.ts';
import { HUSH, TextCollection } from '../support/text-collection.ts';

type Options = Omit<ControllerOptions<Thing>, 'name' | 'for'>;

/** Over collections whose objects come as text. */
function benchOf(options: Options): ControllerBench {
  const bench = new ControllerBench(options);
  bench.newCollection = () => new TextCollection();
  return bench;
}

const text = (bench: ControllerBench, of = things): TextCollection =>
  bench.collection(of) as TextCollection;

/** Names of the objects that are kept as text. */
function texts(bench: ControllerBench, of = things): readonly string[] {
  const kept = bench.cached(of).filter(({ textLength }) => textLength > 0);
  return kept.map(({ key }) => splitKey(key).name);
}

/** Names of the objects whose text is parsed in a cache from now on, each as often as it is parsed. */
function parsedObjects(): readonly string[] {
  const names: string[] = [];
  const cached = new WeakSet<Entry>();
  const parsed = new WeakSet<KubernetesObject>();
  const { observedBy } = Entry.prototype;
  const read = Object.getOwnPropertyDescriptor(Entry.prototype, 'object')?.get;
  vi.spyOn(Entry.prototype, 'observedBy').mockImplementation(function (this: Entry, cache) {
    cached.add(this);
    observedBy.call(this, cache);
  });
  vi.spyOn(Entry.prototype, 'object', 'get').mockImplementation(function (this: Entry) {
    const isText = this.textLength > 0;
    const object: KubernetesObject = read?.call(this);
    if (cached.has(this) && isText && !parsed.has(object)) names.push(object.metadata.name);
    parsed.add(object);
    return object;
  });
  return names;
}

/** A reconciler that is not done with its first key before it is released. */
function busy() {
  const { keys, reconcile } = recordKeys();
  const released = Promise.withResolvers<void>();
  return {
    keys,
    release: released.resolve,
    reconcile: async (...call: Parameters<typeof reconcile>) => {
      await reconcile(...call);
      await released.promise;
    },
  };
}

const anyUpdate: Predicate = or(generationChanged, not(generationChanged));

describe('which objects of a controller are parsed from JSON text', () => {
  test.each<[string, Predicate | undefined]>([
    ['without a predicate', undefined],
    ['generationChanged', generationChanged],
    ['labelChanged', labelChanged],
    ['annotationChanged', annotationChanged],
    ['resourceVersionChanged', resourceVersionChanged],
    ['all of them', and(generationChanged, resourceVersionChanged)],
    ['any of them, or none', anyUpdate],
  ])('with this predicate, an object is parsed only before its reconcile: %s', async (_, predicate) => {
    const { keys, reconcile, release } = busy();
    const bench = benchOf({ reconcile, ...(predicate && { predicate }) });
    const parsed = parsedObjects();
    text(bench).put('first');
    await bench.run();
    text(bench).put('a', 1, { generation: 1, labels: { a: '1' }, annotations: { a: '1' } });
    text(bench).put('a', 2, { generation: 2, labels: { a: '2' }, annotations: { a: '2' } });
    await settle();

    const before = { texts: texts(bench), parsed: [...parsed] };
    release();
    await settle();

    expect(before).toEqual({ texts: ['a'], parsed: ['first'] });
    expect(keys).toEqual(['demo/first', 'demo/a']);
    expect(texts(bench)).toEqual([]);
    expect(parsed).toEqual(['first', 'a']);
  });

  test('if a predicate drops a change because of its metadata, the object is not parsed', async () => {
    const { keys, reconcile, gone } = recordKeys();
    const bench = benchOf({ reconcile, gone, predicate: generationChanged });
    text(bench).put('a', 1, { generation: 1 });
    await bench.run();
    const parsed = parsedObjects();

    text(bench).put('a', 2, { generation: 1 });
    await settle();

    expect(keys).toEqual(['demo/a']);
    expect(texts(bench)).toEqual(['a']);
    expect(parsed).toEqual([]);
  });

  test('a change of a child enqueues its owner without parsing the child', async () => {
    const { keys, reconcile, gone } = recordKeys();
    const bench = benchOf({ reconcile, gone, owns: [others] });
    const parsed = parsedObjects();
    const ownerReferences = [
      { apiVersion: 'example.dev/v1', kind: 'Thing', name: 'a', uid: 'u', controller: true },
    ];
    text(bench, others).put('c', 1, { ownerReferences });
    await bench.run();

    text(bench, others).put('c', 2, { ownerReferences });
    await settle();

    expect(keys).toEqual(['demo/a', 'demo/a']);
    expect(texts(bench, others)).toEqual(['c']);
    expect(parsed).toEqual([]);
  });

  test('an object is parsed only when it is reconciled', async () => {
    const { keys, reconcile, release } = busy();
    const bench = benchOf({ reconcile });
    const parsed = parsedObjects();
    text(bench).put('a', 1);
    text(bench).put('b', 2);

    await bench.run();
    const before = { texts: texts(bench), parsed: [...parsed] };
    release();
    await settle();

    expect(before).toEqual({ texts: ['b'], parsed: ['a'] });
    expect(keys).toEqual(['demo/a', 'demo/b']);
    expect(texts(bench)).toEqual([]);
    expect(parsed).toEqual(['a', 'b']);
  });
});

const valueChanged: Predicate = (event) =>
  event.type !== 'update' || (event.old.object as Thing).value !== (event.object as Thing).value;

test.each<[string, Predicate]>([
  ['alone', valueChanged],
  ['with one of metadata', and(resourceVersionChanged, valueChanged)],
  ['or one of metadata', or(valueChanged, labelChanged)],
  ['denied twice', not(not(valueChanged))],
])('a predicate that is not limited to metadata gets the parsed object: %s', async (_, predicate) => {
  const { keys, reconcile, gone } = recordKeys();
  const bench = benchOf({ reconcile, gone, predicate });
  text(bench).put('a', 1);
  await bench.run();

  text(bench).put('a', 2);
  await settle();
  text(bench).put('a', 2);
  await settle();

  expect(keys).toEqual(['demo/a', 'demo/a']);
});

describe('objects that are not valid JSON', () => {
  /** Writes down what each object is when it is reconciled. */
  function reader(options: Partial<Options> = {}) {
    const told: string[] = [];
    const bench = benchOf({
      reconcile: async (object, { key }) => {
        told.push(`${key}=${object.value}`);
      },
      gone: (key) => {
        told.push(`${key} is gone`);
      },
      ...options,
    });
    return { bench, told };
  }

  test('invalid JSON makes only the reconcile of its object fail, until a new list has valid JSON', async () => {
    const { bench, told } = reader();
    text(bench).put('a', 1);
    text(bench).put('b', 2);
    text(bench).broken.add('a');
    await bench.run();
    const before = [...told];

    text(bench).broken.clear();
    await bench.clock.advanceAndSettle(60_000);

    expect(before).toEqual(['demo/b=2']);
    expect(told).toContain('demo/a=1');
    expect(JSON.stringify(bench.lines)).not.toContain(HUSH);
    expect(bench.lines.some(({ level }) => level === 'error' || level === 'warn')).toBe(true);
  });

  test('an invalid object in a watch does not prevent reconciles of other objects in its batch', async () => {
    const { bench, told } = reader({ predicate: ({ object }) => (object as Thing).value >= 0 });
    text(bench).put('x', 9);
    await bench.run();
    text(bench).broken.add('b').add('x');
    for (const name of ['a', 'b', 'c']) text(bench).put(name, 1);
    text(bench).remove('x');
    await settle();
    const before = told.toSorted();

    text(bench).broken.clear();
    await bench.clock.advanceAndSettle(60_000);

    expect(before).toEqual(['demo/a=1', 'demo/c=1', 'demo/x is gone', 'demo/x=9']);
    expect(told).toContain('demo/b=1');
    expect(JSON.stringify(bench.lines)).not.toContain(HUSH);
  });

  test('a mapping that reads objects is called for all changes of a batch, except for a change of an invalid object', async () => {
    const { keys, reconcile, gone } = recordKeys();
    const bench = benchOf({
      reconcile,
      gone,
      watches: [
        {
          source: source(others),
          map: ({ kind, metadata }) => [objectKey('demo', kind && metadata.name)],
        },
      ],
    });
    await bench.run();
    text(bench, others).broken.add('b');
    for (const name of ['a', 'b', 'c']) text(bench, others).put(name, 1);
    await settle();
    const before = [...keys];

    text(bench, others).broken.clear();
    await bench.clock.advanceAndSettle(60_000);

    expect(before).toEqual(['demo/a', 'demo/c']);
    expect(keys).toContain('demo/b');
  });

  test('a mapping that reads only metadata gets every change, and parses nothing', async () => {
    const { keys, reconcile, gone } = recordKeys();
    const bench = benchOf({
      reconcile,
      gone,
      watches: [
        { source: source(others), map: ({ metadata }) => [objectKey('demo', metadata.name)] },
      ],
    });
    await bench.run();
    const parsed = parsedObjects();

    text(bench, others).broken.add('b');
    for (const name of ['a', 'b', 'c']) text(bench, others).put(name, 1);
    await settle();

    expect(keys).toEqual(['demo/a', 'demo/b', 'demo/c']);
    expect(texts(bench, others)).toEqual(['a', 'b', 'c']);
    expect(parsed).toEqual([]);
  });
});
