import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../operator/flight/world/virtual-clock.ts';
import { propertyRuns } from '../../support/property-runs.ts';

describe('VirtualClock', () => {
  it('VirtualClock returns wall time in whole milliseconds, and continues from a time that is set', () => {
    const clock = new VirtualClock(100.25, 1_000.5);

    const before = clock.now();
    clock.setWall(5_000);
    clock.moveTo(110.25);

    expect(before).toBe(1_101);
    expect(clock.now()).toBe(5_010);
    expect(clock.monotonic()).toBe(110.25);
  });

  it('VirtualClock calls no function before it is due, and none when the clock is moved', () => {
    const clock = new VirtualClock(0, 0);
    const rung: number[] = [];
    for (const at of [10, 20]) clock.schedule(at, () => rung.push(at));

    const found = [clock.ringNext(9), clock.ringNext(10), clock.ringNext(19)];
    clock.moveTo(50);

    expect(found).toEqual([false, true, false]);
    expect(rung).toEqual([10]);
    expect(clock.next?.dueAt).toBe(20);
  });

  it('VirtualClock does not go back if a function is called late', () => {
    const clock = new VirtualClock(0, 0);
    clock.schedule(10, () => {});
    clock.moveTo(30);

    clock.ringNext(100);

    expect(clock.monotonic()).toBe(30);
  });

  it('VirtualClock knows the owner of each scheduled call, and can drop all calls of one owner', () => {
    const clock = new VirtualClock<'one' | 'two'>(0, 0);
    clock.of('one').schedule(5, () => {});
    clock.of('two').schedule(5, () => {});
    clock.schedule(5, () => {});

    clock.drop('one');

    expect([...clock.alarms()].map(({ owner }) => owner)).toEqual(['two', undefined]);
    expect(clock.next?.owner).toBe('two');
  });

  it('VirtualClock calls functions in order of time, then in order of scheduling, and never calls a cancelled one', () => {
    const alarms = fc.array(fc.record({ at: fc.integer({ min: 0, max: 6 }), kept: fc.boolean() }));
    fc.assert(
      fc.property(alarms, alarms, (first, second) => {
        const clock = new VirtualClock(0, 0);
        const rung: string[] = [];
        const set = (name: string, all: typeof first): void => {
          const cancels = all.map(({ at }, index) =>
            clock.schedule(at - clock.monotonic(), () => rung.push(`${at} ${name}${index}`)),
          );
          for (const [index, { kept }] of all.entries()) if (!kept) cancels[index]?.();
        };
        const expected = (name: string, all: typeof first): { at: number; text: string }[] =>
          all.flatMap(({ at, kept }, index) =>
            kept ? [{ at, text: `${at} ${name}${index}` }] : [],
          );

        set('a', first);
        while (clock.ringNext(3));
        clock.moveTo(3);
        const later = second.map(({ at, kept }) => ({ at: at + 3, kept }));
        set('b', later);
        while (clock.ringNext(100));

        const all = [...expected('a', first), ...expected('b', later)];
        expect(rung).toEqual(all.toSorted((a, b) => a.at - b.at).map(({ text }) => text));
        expect([...clock.alarms()]).toEqual([]);
      }),
      propertyRuns(),
    );
  });
});
