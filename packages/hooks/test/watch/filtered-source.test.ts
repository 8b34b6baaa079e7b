/** What a filtered source keeps of its objects: in its cache, behind lists and watches that a test serves. */

import { FakeClock, RecordingMeter, settle } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { preparedSource } from '../../../../operator/controller/source.ts';
import { ConfigurationError } from '../../../../operator/core/errors.ts';
import { Informers } from '../../../../operator/manager/sources/informers.ts';
import type { Entry } from '../../../../operator/model/entry.ts';
import { defineResource } from '../../../../operator/model/resource.ts';
import { FakeCollection, type Thing } from '../../../../test/support/fake-collection.ts';
import { inNamespace } from '../../../../test/support/in-namespace.ts';
import { recordingLog } from '../../../../test/support/recording-log.ts';
import { HOOK_METRICS } from '../../src/engine/metric-names.ts';
import type { JqOutcome } from '../../src/jq/jq.ts';
import { FilterTimes } from '../../src/watch/filter-times.ts';
import type { FilterFailure } from '../../src/watch/filtered-source.ts';
import { filteredSource } from '../../src/watch/filtered-source.ts';
import type { Want } from '../../src/watch/watch-plan.ts';

const things = defineResource<Thing>({
  group: '',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  namespaced: true,
});

/** `.value`, `.value, .value`, `empty` and so on, for the objects of this file. */
const PROGRAMS: Readonly<Record<string, (thing: Thing) => JqOutcome>> = {
  value: ({ value }) => ({ outputs: [String(value)] }),
  twice: ({ value }) => ({ outputs: [String(value), `"${value}"`] }),
  nothing: () => ({ outputs: [] }),
  odd: ({ value }) =>
    value % 2 === 1 ? { outputs: ['true'] } : { failure: 'error', message: `secret ${value}` },
};

/** Of a binding with the name of its filter. */
function want(filter: string, keepsFullObjects: boolean): Want {
  return { filter, keepsFullObjects, labels: { hook: 'a', binding: filter, queue: 'main' } };
}

function worldOf(wants: readonly Want[]) {
  const collection = new FakeCollection();
  const failures: FilterFailure[] = [];
  const times = new FilterTimes();
  const asked: { readonly program: string; readonly objects: number }[] = [];
  const answering: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  const jq = {
    check: async () => {},
    close: async () => {},
    run: async (
      program: string,
      inputs: readonly string[],
      _: AbortSignal,
      groups: readonly string[] = [],
    ) => {
      asked.push({ program, objects: inputs.length });
      answering.push(...groups);
      await gate;
      return inputs.map((text) => PROGRAMS[program]?.(JSON.parse(text)) ?? { outputs: [] });
    },
  };
  const clock = new FakeClock();
  const informers = new Informers({
    namespaces: ['demo'],
    reflector: { clock, random: () => 0.5, relistIntervalMs: 0 },
    log: recordingLog().logFor({}),
    listWatchFor: () => inNamespace(collection, 'demo'),
  });
  const filtered = filteredSource(things, { namespace: { name: 'demo' }, optional: false }, wants, {
    ...{ jq, clock },
    filterFailed: (failure) => failures.push(failure),
    filterTook: times.add,
  });
  const { informer } = informers.open(filtered.source);
  const start = async (): Promise<void> => {
    const stop = new AbortController();
    const running = informers.run(stop.signal);
    onTestFinished(() => {
      stop.abort();
      return running;
    });
    await settle();
  };
  const entry = (name: string): Entry => {
    const found = informer.cached(`demo/${name}` as Entry['key']);
    if (found === undefined) throw new Error(`${name} is not cached`);
    return found;
  };
  return {
    ...{ collection, failures, times, asked, answering, filtered, informer, clock, start },
    of: (name: string, filter?: string) => filtered.bindingObject(entry(name), filter),
    cached: (name: string) => JSON.stringify(entry(name).object),
    hold: () => {
      let open = (): void => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return () => open();
    },
  };
}

test('the results of all filters are kept, and the full object is kept only if a binding needs it', async () => {
  const world = worldOf([
    want('value', false),
    want('twice', true),
    want('nothing', false),
    want('value', false),
  ]);
  world.collection.put('a', 7);
  await world.start();

  expect(world.of('a', 'value').filterText).toBe('7');
  expect(world.of('a', 'twice').filterText).toBe('[7,"7"]');
  expect(world.of('a', 'nothing').filterText).toBe('null');
  expect(world.of('a').filterText).toBeUndefined();
  expect(JSON.parse(world.of('a').objectText ?? '')).toMatchObject({ value: 7 });
  expect(world.asked.map(({ program }) => program)).toEqual(['value', 'twice', 'nothing']);
});

test('[hooks S6] if no binding keeps full objects, the cache contains only the results of filters', async () => {
  const world = worldOf([want('nothing', false)]);
  world.collection.put('a', 123_456);
  await world.start();

  expect(world.of('a', 'nothing').objectText).toBeUndefined();
  expect(world.cached('a')).not.toContain('123456');
});

test('[hooks 3] the checksum changes with the result of the filter, or with the object if there is no filter', async () => {
  const world = worldOf([want('odd', true)]);
  world.collection.put('a', 1);
  await world.start();
  const before = { filtered: world.of('a', 'odd').checksum, whole: world.of('a').checksum };

  world.collection.put('a', 3);
  await settle();
  const same = { filtered: world.of('a', 'odd').checksum, whole: world.of('a').checksum };
  world.collection.put('a', 4);
  await settle();

  expect(same.filtered).toBe(before.filtered);
  expect(same.whole).not.toBe(before.whole);
  expect(world.of('a', 'odd').checksum).not.toBe(before.filtered);
});

test('[hooks S5] an object for which the filter fails has the result null, and other objects keep their results', async () => {
  const world = worldOf([want('odd', false)]);
  world.collection.put('a', 1);
  world.collection.put('b', 2);
  await world.start();

  expect(world.of('a', 'odd').filterText).toBe('true');
  expect(world.of('b', 'odd').filterText).toBe('null');
  expect(world.failures).toMatchObject([{ key: 'demo/b', filter: 'odd', failure: 'error' }]);
  expect(JSON.stringify(world.failures)).not.toContain('secret');

  const before = world.of('b', 'odd').checksum;
  world.collection.put('b', 4);
  await settle();
  expect(world.of('b', 'odd')).toMatchObject({ filterText: 'null' });
  expect(world.of('b', 'odd').checksum, 'no event is lost').not.toBe(before);
});

test("the duration of each binding's filter is measured, even before a meter exists", async () => {
  const world = worldOf([want('value', false), want('value', true), want('twice', false)]);
  const meter = new RecordingMeter();
  world.collection.put('a', 1);
  const open = world.hold();
  await world.start();
  await world.clock.advanceAndSettle(2_000);
  open();
  await settle();
  world.times.measureWith(meter);
  world.collection.put('a', 2);
  await settle();

  const took = (binding: string): readonly number[] =>
    meter.observations(HOOK_METRICS.filterSeconds, { hook: 'a', binding, queue: 'main' });
  expect(took('value')).toEqual([2, 2, 0, 0]);
  expect(took('twice')).toEqual([0, 0]);
});

test('no further object is read while a filter works', async () => {
  const world = worldOf([want('value', false)]);
  world.collection.put('a', 1);
  await world.start();
  const open = world.hold();

  world.collection.put('a', 2);
  await settle();
  world.collection.put('a', 3);
  await settle();
  const meanwhile = { asked: world.asked.length, text: world.of('a', 'value').filterText };
  open();
  await settle();

  expect(meanwhile).toEqual({ asked: 2, text: '1' });
  expect(world.of('a', 'value').filterText).toBe('3');
});

test('if the function `prepare` of a source fails or returns other objects, the source is listed again, and nothing crashes', async () => {
  const answers: ((entries: readonly Entry[]) => readonly Entry[])[] = [
    () => {
      throw new TypeError('a bug');
    },
    (entries) => entries.slice(1),
    (entries) => entries.toReversed(),
  ];
  const collection = new FakeCollection();
  collection.put('a', 1);
  collection.put('b', 2);
  const clock = new FakeClock();
  const informers = new Informers({
    namespaces: ['demo'],
    reflector: { clock, random: () => 0.5, relistIntervalMs: 0 },
    log: recordingLog().logFor({}),
    listWatchFor: () => inNamespace(collection, 'demo'),
  });
  const prepare = async (entries: readonly Entry[]) => answers.shift()?.(entries) ?? entries;
  const { informer } = informers.open(preparedSource(things, prepare) as never);
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  onTestFinished(() => {
    stop.abort();
    return running;
  });

  await settle();
  const atFirst = informer.synced;
  await clock.advanceAndSettle(60_000);

  expect(atFirst).toBe(false);
  expect(answers).toEqual([]);
  expect(informer.synced).toBe(true);
});

test('a source with both `prepare` and `transform` is refused', () => {
  const prepare = async (entries: readonly Entry[]) => entries;

  expect(() => preparedSource(things, prepare, { transform: (o) => o })).toThrow(
    ConfigurationError,
  );
});

test('[found 2] the time that a filter takes for an object counts for the namespace of the object', async () => {
  const world = worldOf([want('value', false)]);
  world.collection.put('a', 7);
  await world.start();

  expect(world.answering).toEqual(['demo']);
});
