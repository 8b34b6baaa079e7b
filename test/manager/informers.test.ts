import { FakeClock, RecordingMeter, settle } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type SourceOptions, source } from '../../operator/controller/source.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import type { Meter } from '../../operator/core/metrics.ts';
import { Informers } from '../../operator/manager/sources/informers.ts';
import type { Scope } from '../../operator/manager/sources/scope.ts';
import { configMaps, pods } from '../../operator/model/builtin.ts';
import { defineResource, type Resource } from '../../operator/model/resource.ts';
import { ApiError } from '../../operator/model/status.ts';
import { byLabel, byOwner } from '../../operator/store/indices.ts';
import type { Discovery, ListPageRequest } from '../../operator/watch/list-watch.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';
import { inNamespace } from '../support/in-namespace.ts';
import { recordingLog } from '../support/recording-log.ts';
import { TextCollection } from '../support/text-collection.ts';

const nodes = defineResource({
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
});

/** Informers over collections, one for each scope that they ask for. */
function world(
  namespaces: readonly string[] = ['demo'],
  {
    discovery,
    newCollection = () => new FakeCollection(),
    ...options
  }: {
    readonly newCollection?: () => FakeCollection;
    readonly meter?: Meter;
    /** Of all sources; serves nothing. */
    readonly discovery?: Pick<Discovery, 'isDefinitionGone'>;
  } = {},
) {
  const client = {};
  const clock = new FakeClock();
  const { lines, logFor } = recordingLog();
  const asked: { readonly scope: Scope; readonly collection: FakeCollection }[] = [];
  const prepared = new Map<string, FakeCollection>();
  const prepare = (plural: string, namespace = 'demo'): FakeCollection => {
    const name = `${plural} ${namespace}`;
    const collection = prepared.get(name) ?? newCollection();
    prepared.set(name, collection);
    return collection;
  };
  const informers = new Informers({
    namespaces,
    reflector: { clock, random: () => 0.5, relistIntervalMs: 0 },
    log: logFor({}),
    listWatchFor: (scope) => {
      const { namespace = 'demo', resource } = scope;
      const collection = prepare(resource.plural, namespace);
      asked.push({ scope, collection });
      const source = inNamespace(collection, namespace);
      if (discovery === undefined) return source;
      const { plural } = resource;
      const common = { client, groupVersion: 'v1', plural, served: async () => [] } as const;
      return {
        discovery: { ...common, ...discovery },
        listPage: (request: ListPageRequest<Thing>) => source.listPage(request),
        watch: (request) => source.watch(request),
      };
    },
    ...options,
  });
  const stop = new AbortController();
  let running = Promise.resolve();
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const run = async (): Promise<void> => {
    running = informers.run(stop.signal);
    await settle();
  };
  const wire = (plural: string, namespace = 'demo') => {
    const { lists, watches, openWatches } = prepare(plural, namespace);
    return { lists: lists.length, watches: watches.length, open: openWatches.length };
  };
  return { asked, clock, informers, lines, prepare, run, stop, wire };
}

test('[hooks 15] a change that the watch has lost is delivered soon after the resync period of the source', async () => {
  const { clock, informers, prepare, run } = world();
  const collection = prepare('pods');
  const told: string[] = [];
  informers
    .of(source(pods, { relistIntervalMs: 4_000 }))
    .addHandler((changes) => void told.push(...changes.map(({ type }) => type)));
  await run();
  collection.loseNextEvent = true;
  collection.put('a');

  await clock.advanceAndSettle(4_000);
  const inThePeriod = [...told];
  await clock.advanceAndSettle(5_000);

  expect(inThePeriod).toEqual([]);
  expect(told).toEqual(['add']);
});

describe('[C-21] shared sources', () => {
  test('equal sources of any number of controllers share one list and one watch', async () => {
    const { asked, informers, run, wire } = world();
    const first = informers.of(source(pods));
    const again = informers.of(source(pods));
    informers.of(source(pods, { namespace: { name: 'demo' } }));
    const told: string[] = [];
    first.addHandler(() => void told.push('first'));
    again.addHandler(() => void told.push('again'));

    await run();

    expect(first).toBe(again);
    expect(asked).toHaveLength(1);
    expect(wire('pods')).toEqual({ lists: 1, watches: 1, open: 1 });
  });

  const keep = <T>(object: T): T => object;
  test.each<[string, SourceOptions & { readonly resource?: Resource }]>([
    ['resource', { resource: configMaps }],
    ['namespace', { namespace: { name: 'other' } }],
    ['all namespaces', { namespace: 'all' }],
    ['label selector', { labelSelector: 'app=web' }],
    ['field selector', { fieldSelector: 'metadata.name=a' }],
    ['metadata only', { metadataOnly: true }],
    ['transform', { transform: keep }],
    ['onUnserved policy', { onUnserved: 'clear' }],
  ])('sources with different settings have separate watches: %s', (_what, {
    resource = pods,
    ...options
  }) => {
    const { asked, informers } = world();

    informers.of(source(pods));
    informers.of(source(resource, options));
    informers.of(source(resource, options));

    expect(asked).toHaveLength(2);
  });

  test('a source that is opened during the run starts at once, and stops when its last user stops', async () => {
    const { informers, run, wire } = world();
    informers.of(source(configMaps));
    await run();

    const one = informers.open(source(pods, { namespace: { name: 'late' } }));
    const two = informers.open(source(pods, { namespace: { name: 'late' } }));
    await settle();
    const started = wire('pods', 'late');
    one.release();
    one.release(); // does nothing
    await settle();
    const withOne = [wire('pods', 'late').open, two.informer.synced];
    two.release();
    await settle();
    const left = [wire('pods', 'late').open, two.informer.state];
    const again = informers.open(source(pods, { namespace: { name: 'late' } }));
    await settle();

    expect(started).toEqual({ lists: 1, watches: 1, open: 1 });
    expect(withOne).toEqual([1, true]);
    expect(left).toEqual([0, 'stopped']);
    expect(again.informer.synced).toBe(true);
    expect(wire('configmaps').open).toBe(1);
  });

  test('an unsynced source prevents readiness only while one of its users requires it', async () => {
    const { informers, run } = world();
    const broken = { namespace: { name: 'broken' } } as const;
    const never = { ...source(pods, broken), optional: true };
    informers.of(never);
    const beforeRun = informers.synced;
    const needing = informers.open(source(pods, broken));
    const needed = informers.synced;
    needing.release();
    const afterwards = informers.synced;
    informers.of(source(pods, broken));
    await run();

    expect([beforeRun, needed, afterwards]).toEqual([true, false, true]);
    expect(informers.synced).toBe(true);
  });

  test('equal sources share indices, and may not use one name for different indices', async () => {
    const { informers, prepare, run } = world();
    prepare('pods').put('a');
    informers.of(source(pods, { indexes: { owner: byOwner } }));
    const shared = informers.of(source(pods, { indexes: { owner: byOwner, app: byLabel('app') } }));
    await run();

    expect(shared.hasIndex('owner')).toBe(true);
    expect(shared.store.byIndex('app', 'web')).toEqual([]);
    expect(() => informers.of(source(pods, { indexes: { owner: byLabel('owner') } }))).toThrow(
      ConfigurationError,
    );
  });
});

test('a source with metadataOnly requests only metadata', () => {
  const { asked, informers } = world();

  informers.of(source(pods, { metadataOnly: true }));
  informers.of(source(pods));

  expect(asked.map(({ scope }) => scope.metadataOnly)).toEqual([true, undefined]);
});

test('managed fields are not cached, unless the transform of a source keeps them', async () => {
  const newCollection = () => new TextCollection();
  const { asked, informers, prepare, run } = world(['demo'], { newCollection });
  const pod = prepare('pods').put('a');
  Object.assign(pod.metadata, { managedFields: [{ manager: 'kubectl' }] });
  const usual = informers.of(source(pods));
  const keeping = informers.of(source(pods, { transform: (object) => object }));

  await run();

  const fieldsIn = ({ store }: typeof usual): unknown[] =>
    store.list().map(({ metadata }) => metadata.managedFields);
  expect(asked).toHaveLength(2);
  expect(fieldsIn(usual)).toEqual([undefined]);
  expect(fieldsIn(keeping)).toEqual([[{ manager: 'kubectl' }]]);
});

test('[C-4] an error that an index function throws is logged in one line', async () => {
  const { informers, lines, prepare, run } = world();
  prepare('pods').put('a');
  prepare('pods').put('b');
  const broken = (): string[] => {
    throw new Error('broken');
  };
  informers.of(source(pods, { indexes: { broken } }));

  await run();

  const told = lines.filter(({ message }) => message === 'index function failed');
  expect(told).toMatchObject([{ level: 'error', fields: { resource: 'pods', index: 'broken' } }]);
});

test('[W-41] a server that cuts every watch after a second causes at most ten log lines an hour, each with the source', async () => {
  const { clock, informers, lines, prepare, run } = world();
  const collection = prepare('pods');
  const watch = collection.watch.bind(collection);
  collection.watch = async (request) => {
    const events = await watch(request);
    const opened = collection.newestWatch;
    clock.schedule(1_100, () => opened.fail(new Error('cut')));
    return events;
  };
  informers.of(source(pods));

  await run();
  await clock.advanceAndSettle(3_600_000);

  const told = lines.filter(({ message }) => /^source is (healthy|failing)/.test(message));
  expect(collection.watches.length).toBeGreaterThan(60);
  expect(told.length).toBeLessThanOrEqual(10);
  expect(told.slice(0, 2)).toMatchObject([
    { level: 'info', fields: { resource: 'pods', namespace: 'demo', resourceVersion: '100' } },
    {
      level: 'warn',
      fields: {
        ...{ resource: 'pods', namespace: 'demo', resourceVersion: '100', reason: 'unexpected' },
        retryInMs: expect.any(Number),
      },
    },
  ]);
  expect(told.at(-1)?.fields).toMatchObject({ changes: expect.any(Number), unsteady: true });
});

describe('[C-22] sources over several namespaces', () => {
  test('a source over several namespaces has one watch in each namespace, and a single store', async () => {
    const { asked, informers, prepare, run, wire } = world(['a', 'b']);
    prepare('pods', 'a').put('x');
    prepare('pods', 'b').put('y');
    const { store } = informers.of(source(pods));

    await run();

    expect(asked.map(({ scope }) => scope.namespace)).toEqual(['a', 'b']);
    expect(wire('pods', 'a')).toEqual({ lists: 1, watches: 1, open: 1 });
    expect(store.list().map(({ metadata }) => metadata.namespace)).toEqual(['a', 'b']);
  });

  test('a source over several namespaces shares a watch with a source for one of these namespaces', async () => {
    const { asked, informers, run } = world(['a', 'b']);
    informers.of(source(pods));
    const named = informers.of(source(pods, { namespace: { name: 'b' } }));

    await run();

    expect(asked).toHaveLength(2);
    expect(named.synced).toBe(true);
  });

  test('the watches of a source over several namespaces end when its last user stops', async () => {
    const { informers, run, wire } = world(['a', 'b']);
    const one = informers.open(source(pods));
    await run();
    const two = informers.open(source(pods));

    one.release();
    one.release(); // does nothing
    await settle();
    const withOne = [wire('pods', 'a').open, two.informer.synced];
    two.release();
    await settle();
    const left = [wire('pods', 'a').open, wire('pods', 'b').open, two.informer.state];
    const again = informers.open(source(pods));
    await settle();

    expect(withOne).toEqual([1, true]);
    expect(left).toEqual([0, 0, 'stopped']);
    expect(again.informer.synced).toBe(true);
  });

  test('a source for a cluster-scoped resource, or for all namespaces, has a single watch', () => {
    const { asked, informers } = world(['a', 'b']);

    informers.of(source(nodes));
    informers.of(source(pods, { namespace: 'all' }));

    expect(asked.map(({ scope }) => scope.namespace)).toEqual([undefined, undefined]);
  });
});

describe('[C-23] the size of the caches', () => {
  test('gauges report how many objects of a resource are cached, and their estimated size', async () => {
    const meter = new RecordingMeter();
    const { clock, informers, prepare, run } = world(['a', 'b'], { meter });
    for (let number = 0; number < 150; number++) prepare('pods', 'a').put(`o${number}`);
    prepare('pods', 'b').put('x');
    informers.of(source(pods));
    await run();
    const first = meter.value('chancery_cached_objects', { resource: 'pods' });
    const bytes = meter.value('chancery_cached_bytes_estimate', { resource: 'pods' });

    prepare('pods', 'a').put('more');
    await settle();
    await clock.advanceAndSettle(30_000);

    expect(first).toBe(151);
    expect(bytes / 151).toBeGreaterThan(150); // an object of the collection is 170 bytes of JSON
    expect(bytes / 151).toBeLessThan(600);
    expect(meter.value('chancery_cached_objects', { resource: 'pods' })).toBe(152);
  });

  test('the gauges count no objects for a source that has ended', async () => {
    const meter = new RecordingMeter();
    const { clock, informers, prepare, run } = world(['demo'], { meter });
    prepare('pods').put('a');
    const lease = informers.open(source(pods, { namespace: { name: 'demo' } }));
    await run();
    const before = meter.value('chancery_cached_objects', { resource: 'pods' });

    lease.release();
    await clock.advanceAndSettle(30_000);

    expect(before).toBe(1);
    expect(meter.value('chancery_cached_objects', { resource: 'pods' })).toBe(0);
    expect(meter.value('chancery_cached_bytes_estimate', { resource: 'pods' })).toBe(0);
  });
});

test('stopped informers leave no open watch and no timer behind', async () => {
  const { clock, informers, run, stop, wire } = world(['a', 'b'], { meter: new RecordingMeter() });
  informers.of(source(pods)).addHandler(() => {}, { resyncPeriodMs: 1_000 });
  await run();

  stop.abort();
  await settle();

  expect([wire('pods', 'a').open, wire('pods', 'b').open]).toEqual([0, 0]);
  expect(clock.pending).toBe(0);
});

test('[W-40] a source with onUnserved "clear" drops its objects when the definition is deleted, and logs that once', async () => {
  const { clock, informers, lines, prepare, run } = world(['demo'], {
    discovery: { isDefinitionGone: async () => true },
  });
  const collection = prepare('pods');
  collection.put('a');
  const clearing = informers.of(source(pods, { onUnserved: 'clear' }));
  const retaining = informers.of(source(pods));
  const deleted: string[] = [];
  clearing.addHandler((changes) => {
    for (const { type, key } of changes) if (type === 'delete') deleted.push(key);
  });
  await run();
  const missing = (): ApiError => new ApiError({ code: 404, message: '404 page not found' });
  collection.failWatches(missing(), missing());

  for (const watch of collection.openWatches) watch.end();
  await clock.advanceAndSettle(60_000);

  expect(deleted).toEqual(['demo/a']);
  expect([clearing.store.list(), retaining.store.list().length]).toEqual([[], 1]);
  expect([clearing.state, retaining.state]).toEqual(['unserved', 'unserved']);
  expect(lines.filter(({ message }) => message.startsWith('the definition'))).toMatchObject([
    { level: 'warn', fields: { resource: 'pods', namespace: 'demo' } },
  ]);
  for (const { lastContactAt } of [clearing, retaining]) {
    expect(clock.monotonic() - (lastContactAt ?? 0)).toBeLessThan(15_000);
  }
});
