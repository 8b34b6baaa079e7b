/** The ownWrites by itself, over a cache that the test makes. */

import { FakeClock, RecordingMeter } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Entry } from '../../operator/model/entry.ts';
import { objectKey } from '../../operator/model/object.ts';
import { OWN_WRITES_TTL_MS, OwnWrites } from '../../operator/store/own-writes.ts';
import type { Thing } from '../support/fake-collection.ts';

describe('remembered writes, with a cache in an unusual state', () => {
  /** An ownWrites by itself, over a cache that is what the test says. */
  function alone() {
    const clock = new FakeClock();
    const meter = new RecordingMeter();
    const cached = new Map<string, Entry<Thing>>();
    const world = { resourceVersion: '100' as string | undefined, tells: true };
    const ownWrites = new OwnWrites<Thing>({
      clock,
      meter,
      cached: (key) => cached.get(key),
      resourceVersion: () => world.resourceVersion,
      formOf: (object) => (world.tells ? { entry: Entry.of(object) } : undefined),
      active: () => true,
    });
    onTestFinished(() => ownWrites.clear());
    const value = (name: string): number | undefined => {
      const key = objectKey('demo', name);
      return ownWrites.shown(key, cached.get(key))?.object.value;
    };
    return { clock, meter, cached, world, ownWrites, value };
  }

  function thing(name: string, resourceVersion: string, value: number, more = {}): Thing {
    const metadata = { name, namespace: 'demo', uid: `uid-${name}`, resourceVersion, ...more };
    return { apiVersion: 'v1', kind: 'Thing', metadata, value };
  }

  test('[K-61] a cached object that is newer than a remembered write is visible, even if the version of the whole cache is older', () => {
    const { cached, ownWrites, value } = alone();
    cached.set(objectKey('demo', 'a'), Entry.of(thing('a', '105', 5)));

    ownWrites.wrote(thing('a', '103', 3));

    expect(value('a')).toBe(5);
  });

  test('[K-61] a write is not remembered while its version cannot be compared', () => {
    const { world, ownWrites } = alone();
    world.resourceVersion = undefined;

    ownWrites.wrote(thing('a', 'x7', 3));

    expect(ownWrites.size).toBe(0);
  });

  test('[K-61] a remembered write hides an older write, even if it is unknown whether the source selects the object', () => {
    const { world, ownWrites, value } = alone();
    ownWrites.wrote(thing('a', '101', 1));
    world.tells = false;

    ownWrites.wrote(thing('a', '102', 2));

    expect(value('a')).toBeUndefined();
  });

  test('[K-61] a remembered write that the cache has caught up with does not expire; a newer remembered write does', async () => {
    const { clock, meter, cached, world, ownWrites, value } = alone();
    ownWrites.wrote(thing('b', '105', 5));
    ownWrites.wrote(thing('a', '103', 3));
    cached.set(objectKey('demo', 'a'), Entry.of(thing('a', '104', 4)));
    world.resourceVersion = '104';
    ownWrites.advanced();

    expect([value('a'), value('b')]).toEqual([4, 5]);
    await clock.advanceAndSettle(OWN_WRITES_TTL_MS);
    expect(meter.value('chancery_overlay_expired_total')).toBe(1); // b alone
  });

  test('[K-61] a remembered write whose event does not come stays visible for 60 s', async () => {
    const { clock, ownWrites, value } = alone();
    ownWrites.wrote(thing('a', '101', 1));
    await clock.advanceAndSettle(500);
    ownWrites.wrote(thing('b', '102', 2));

    await clock.advanceAndSettle(OWN_WRITES_TTL_MS - 1);
    const before = [value('a'), value('b')];
    await clock.advanceAndSettle(1);

    expect(before).toEqual([undefined, 2]);
    expect(value('b')).toBeUndefined();
  });

  test('[K-65] a write to a cached object with a generated name expires after 60 s, like any other write', async () => {
    const { clock, cached, ownWrites, value } = alone();
    cached.set(objectKey('demo', 'a'), Entry.of(thing('a', '99', 1, { generateName: 'web-' })));
    ownWrites.wrote(thing('a', '101', 2, { generateName: 'web-' }));

    await clock.advanceAndSettle(OWN_WRITES_TTL_MS);

    expect(value('a')).toBe(1);
  });

  test('[K-62] a deleted object that the cache has dropped is not counted as expired after 60 s', async () => {
    const { clock, meter, cached, ownWrites } = alone();
    cached.set(objectKey('demo', 'a'), Entry.of(thing('a', '99', 1)));
    ownWrites.deleted(objectKey('demo', 'a'), ['uid-a']);
    cached.clear();

    await clock.advanceAndSettle(OWN_WRITES_TTL_MS);

    expect(meter.value('chancery_overlay_expired_total')).toBe(0);
    expect(ownWrites.size).toBe(0);
  });
});
