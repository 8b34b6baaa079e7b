/** How long `Debounce` lets a key rest before it may be acted upon. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Debounce } from '../../operator/queue/debounce.ts';

test('[Q-40] a debounced key waits from its last change, and a repetition of that change does not extend the wait', () => {
  const debounce = new Debounce();
  const times = { waitMs: 2_000 };

  const left = [
    debounce.leftMs('a', 'r1', times, 10_000),
    debounce.leftMs('a', 'r1', times, 11_500),
    debounce.leftMs('a', 'r2', times, 11_900),
    debounce.leftMs('a', 'r2', times, 13_900),
  ];

  expect(left).toEqual([2_000, 500, 2_000, 0]);
});

test('[Q-40] endless changes delay a key by at most `maxWaitMs`, which is ten times `waitMs` by default', () => {
  const debounce = new Debounce();
  const heldMs = (key: string, maxWaitMs?: number): number => {
    for (let nowAt = 0; ; nowAt += 900) {
      const times = { waitMs: 1_000, ...(maxWaitMs !== undefined && { maxWaitMs }) };
      if (debounce.leftMs(key, `r${nowAt}`, times, nowAt) <= 0) return nowAt;
    }
  };

  expect(heldMs('default')).toBe(10_800);
  expect(heldMs('bounded', 3_000)).toBe(3_600);
});

test('[Q-40] debounced keys wait independently, and a key that has settled waits the full time again', () => {
  const debounce = new Debounce();
  const times = { waitMs: 1_000 };
  debounce.leftMs('a', 'r1', times, 0);
  debounce.leftMs('b', 'r1', times, 600);

  debounce.settle('a');

  expect(debounce.leftMs('a', 'r1', times, 5_000)).toBe(1_000);
  expect(debounce.leftMs('b', 'r1', times, 5_000)).toBe(-3_400);
});

test('[Q-40] a debounce wait of zero delays no key', () => {
  expect(new Debounce().leftMs('a', 'r', { waitMs: 0 }, 7)).toBe(0);
});

test('[Q-40] no key is delayed longer than its limit, and none is released before its wait is over', () => {
  const step = fc.record({ afterMs: fc.nat(3_000), revision: fc.constantFrom('x', 'y') });
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1 }),
      fc.nat(2_000),
      fc.nat(9_000),
      (steps, waitMs, maxWaitMs) => {
        const debounce = new Debounce();
        let nowAt = 0;
        let changedAt = 0;
        let revision: string | undefined;
        for (const each of steps) {
          nowAt += revision === undefined ? 0 : each.afterMs;
          if (each.revision !== revision) changedAt = nowAt;
          revision = each.revision;
          const leftMs = debounce.leftMs('a', revision, { waitMs, maxWaitMs }, nowAt);

          expect(leftMs <= 0).toBe(nowAt - changedAt >= waitMs || nowAt >= maxWaitMs);
        }
      },
    ),
  );
});
