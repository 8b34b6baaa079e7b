/** Random changes, failures and endings: order, nothing lost, and a bound by keys. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { type Ending, EngineWorld, hook, watches } from './support/engine-world.ts';

const MOST_WAITING = 100;

interface Told {
  readonly binding: string;
  readonly type: string;
  readonly watchEvent?: string;
  readonly object?: { readonly name: string; readonly at: number };
  readonly objects?: readonly { readonly object: { readonly name: string; readonly at: number } }[];
}

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ put: fc.nat(3), of: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ del: fc.nat(3), of: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ waitMs: fc.nat(8_000) }) },
  { weight: 1, arbitrary: fc.record({ burst: fc.integer({ min: 60, max: 200 }), of: fc.nat(2) }) },
);

const ending = fc.constantFrom<Ending>('succeeds', 'succeeds', 'fails', 'lasts');

test('every hook gets the last state of each object, in order, and the number of waiting events is bounded', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.array(ending, { maxLength: 30 }),
      async (steps, endings) => {
        const names = ['a', 'b', 'c'];
        const world = new EngineWorld({
          hooks: names.map((name) =>
            hook(name, {
              kubernetes: [watches({ name: 'x', queue: name === 'c' ? 'c' : 'main' })],
            }),
          ),
        });
        endings.forEach((each, at) => {
          const name = names[at % 3] ?? '';
          world.endings.set(name, [...(world.endings.get(name) ?? []), each]);
        });
        let at = 0;
        const exists = new Map<string, boolean>();
        const change = (of: number, key: number, isPut: boolean): void => {
          const name = `k${key}`;
          const watch = world.watch(names[of] ?? '', 'x');
          at += 1;
          if (isPut) watch.put(name, { name, at });
          else if (exists.get(`${of} ${name}`)) watch.delete(name);
          exists.set(`${of} ${name}`, isPut);
        };
        await world.start();
        for (const each of steps) {
          if ('put' in each) change(each.of, each.put, true);
          else if ('del' in each) change(each.of, each.del, false);
          else if ('waitMs' in each) await world.clock.advanceAndSettle(each.waitMs);
          else for (let n = 0; n < each.burst; n++) change(each.of, n % 4, n % 3 !== 0);
          const queues = world.engine.status().queues;
          for (const { waiting } of queues) {
            expect(waiting).toBeLessThanOrEqual(2 * (MOST_WAITING + 2 * 4) + 6);
          }
          for (const attempt of world.attempts) if (at % 2 === 0) attempt.succeed();
        }
        for (let n = 0; !world.engine.idle && n < 200; n++) {
          for (const attempt of world.attempts) attempt.succeed();
          await world.clock.advanceAndSettle(32_000);
        }

        expect(world.engine.idle).toBe(true);
        for (const [of, name] of names.entries()) {
          const last = lastTold(world, name);
          for (let key = 0; key < 4; key++) {
            const isThere = exists.get(`${of} k${key}`);
            if (isThere !== undefined) expect(last.get(`k${key}`) ?? false).toBe(isThere);
          }
        }
        await world.stop();
      },
    ),
    propertyRuns(0.5),
  );
});

/** Whether each object is there, as the runs that succeeded were told; and that they were told in order. */
function lastTold(world: EngineWorld, name: string): ReadonlyMap<string, boolean> {
  const there = new Map<string, boolean>();
  const seenAt = new Map<string, number>();
  for (const { hook: of, contexts, failed } of world.attempts) {
    if (of !== name || failed) continue;
    for (const told of contexts as unknown as readonly Told[]) {
      if (told.objects !== undefined) {
        there.clear();
        for (const { object } of told.objects) there.set(object.name, true);
      } else if (told.object !== undefined) {
        expect(told.object.at).toBeGreaterThanOrEqual(seenAt.get(told.object.name) ?? 0);
        seenAt.set(told.object.name, told.object.at);
        there.set(told.object.name, told.watchEvent !== 'Deleted');
      }
    }
  }
  return there;
}
