/** A watch that resumes at a server which may have been restored, or replaced by another one. */
import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { ApiError } from '../../operator/model/status.ts';
import { FakeCollection } from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

const lost = (): AmbassadorError =>
  new AmbassadorError('cut', { code: 'CONNECTION_LOST', fate: 'unknown' });
const refused = (): AmbassadorError =>
  new AmbassadorError('refused', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' });
const dialled = (): AmbassadorError =>
  new AmbassadorError('dial tcp: connection refused', {
    ...{ code: 'AMBASSADOR_UPSTREAM', fate: 'not-sent' },
    context: { upstream: 'unreachable' },
  });

/** `a`, `b` and `c` are in the sink, and the watch is open. */
async function watching() {
  const collection = new FakeCollection();
  for (const name of ['a', 'b', 'c']) collection.put(name);
  const started = start({}, collection);
  await settle();
  const probes = () => collection.lists.filter(({ limit }) => limit === 1);
  const wholeLists = () => collection.lists.filter(({ limit }) => limit !== 1);
  /** The connection breaks, `failures` attempts to watch fail, and `comesBack` says what is there then. */
  const away = async (failures: readonly Error[], comesBack: () => void): Promise<void> => {
    collection.failWatches(...failures);
    collection.newestWatch.fail(lost());
    await settle();
    comesBack();
  };
  return { ...started, collection, probes, wholeLists, away };
}

describe('[found 17] [W-33] a server with lower resourceVersions', () => {
  test.each([
    ['after connections that the ambassador’s port refused', [refused(), refused()]],
    ['after connections that the API server refused to the ambassador', [dialled()]],
    ['after a connection that broke and could be made again at once', []],
  ])('a restored server with lower resourceVersions is detected within seconds %s', async (_, failures) => {
    const { away, clock, collection, names, wholeLists } = await watching();

    await away(failures, () => collection.restore(7, 'z'));
    await clock.advanceAndSettle(10_000);

    expect(names()).toEqual(['demo/z']);
    expect(wholeLists()).toHaveLength(2);
    expect(collection.newestWatch.request.resourceVersion).toBe('8');
  });

  test('a restored server is detected even if the watch had ended normally before the restore', async () => {
    const { clock, collection, names } = await watching();
    collection.bookmark();
    await settle();
    collection.failWatches(refused());

    collection.newestWatch.end();
    await settle();
    collection.restore(7, 'z');
    await clock.advanceAndSettle(10_000);

    expect(names()).toEqual(['demo/z']);
  });

  test('a restored server with older states of the same objects is detected', async () => {
    const { away, cached, clock, collection } = await watching();

    await away([refused()], () => {
      collection.restore(7);
      collection.put('a', 5, { uid: 'uid-1' });
    });
    await clock.advanceAndSettle(10_000);

    expect(cached()).toEqual(collection.objects);
  });

  test('a restored server is reported once, and the source is healthy only after its list', async () => {
    const { away, clock, collection, meter, notices, statuses } = await watching();

    await away([refused()], () => collection.restore(7, 'z'));
    await clock.advanceAndSettle(10_000);

    expect(notices).toEqual([{ kind: 'regression', from: '103', to: '8' }]);
    expect(meter.value('chancery_rv_regression_total')).toBe(1);
    expect(statuses.at(-1)).toBe('healthy');
  });

  test.each([
    ['before it is probed', 0],
    ['while it does not answer the probe', 1_500],
  ])('a restored server is detected although it sends a bookmark %s', async (_, afterMs) => {
    const { away, clock, collection, names } = await watching();

    await away([refused()], () => {
      collection.restore(7, 'z');
      collection.failLists(new ApiError({ code: 503, reason: 'ServiceUnavailable' }));
    });
    while (collection.openWatches.length === 0) await clock.advanceAndSettle(100);
    await clock.advanceAndSettle(afterMs);
    collection.newestWatch.send({
      type: 'BOOKMARK',
      resourceVersion: '8',
      initialEventsEnd: false,
    });
    await clock.advanceAndSettle(60_000);

    expect(names()).toEqual(['demo/z']);
  });

  test('a restored server is detected although its first lists fail', async () => {
    const { away, clock, collection, names, probes } = await watching();

    await away([refused()], () => {
      collection.restore(7, 'z');
      collection.failLists(
        new ApiError({ code: 503, reason: 'ServiceUnavailable' }),
        new ApiError({ code: 403, reason: 'Forbidden' }),
        lost(),
      );
    });
    await clock.advanceAndSettle(60_000);

    expect(names()).toEqual(['demo/z']);
    expect(probes()).toHaveLength(4);
    expect(collection.openWatches).toHaveLength(1);
  });
});

describe('[found 17] [W-33] a server with higher resourceVersions and other objects', () => {
  /** All of its objects are older than the versions that were seen before. */
  const another = (collection: FakeCollection, ...names: readonly string[]): void => {
    collection.restore(20, ...names);
    collection.writtenElsewhere(500);
  };

  test('a server with higher resourceVersions is detected by an object that the cache lacks', async () => {
    const { away, clock, collection, names } = await watching();

    await away([refused()], () => another(collection, 'a', 'q'));
    await clock.advanceAndSettle(10_000);

    expect(names()).toEqual(['demo/a', 'demo/q']);
  });

  test('a server with higher resourceVersions than before is detected even if it has no objects', async () => {
    const { away, clock, collection, names } = await watching();

    await away([refused()], () => another(collection));
    await clock.advanceAndSettle(10_000);

    expect(names()).toEqual([]);
  });
});

describe('[found 17] an unchanged server', () => {
  test('from an unchanged server, one object is requested, and the watch continues', async () => {
    const { away, clock, collection, probes, wholeLists } = await watching();

    await away([refused(), refused()], () => {});
    await clock.advanceAndSettle(60_000);

    expect(probes()).toHaveLength(1);
    expect(wholeLists()).toHaveLength(1);
    expect(collection.openWatches).toHaveLength(1);
    expect(collection.newestWatch.request.resourceVersion).toBe('103');
  });

  test('an unchanged server is not probed when its watch sends an event', async () => {
    const { away, cached, clock, collection, probes } = await watching();

    await away([refused()], () => collection.put('d'));
    await clock.advanceAndSettle(60_000);
    collection.newestWatch.end();
    await clock.advanceAndSettle(60_000);

    expect(probes()).toEqual([]);
    expect(cached()).toEqual(collection.objects);
  });

  test('an unchanged server is not probed after a watch that ended normally', async () => {
    const { clock, collection, probes } = await watching();

    collection.put('d');
    await settle();
    collection.newestWatch.end();
    await clock.advanceAndSettle(60_000);

    expect(collection.watches).toHaveLength(2);
    expect(probes()).toEqual([]);
  });
});
