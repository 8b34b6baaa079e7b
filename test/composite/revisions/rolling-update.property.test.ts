/**
 * Rolling updates of any parent, with any order of events, and a process that may end at any write.
 *
 * Mutations tried on the decision, each found by one of these: a second child moves in one reconcile; the checks are
 * skipped; a missing child counts as ready; an older claim wins over the latest one; unclaimed children are forgotten.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlannedChild } from '../../../operator/composite/engine-options.ts';
import {
  decideRolling,
  type RollingState,
} from '../../../operator/composite/revisions/rolling-decision.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { Rollout } from './rollout.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const update = fc.constantFrom('rolling-apply' as const, 'rolling-recreate' as const);

const state = fc.record({
  update,
  wanted: fc.shuffledSubarray(NAMES),
  latestClaims: fc.subarray(NAMES),
  older: fc.array(fc.record({ claims: fc.subarray(NAMES), answers: fc.subarray(NAMES) }), {
    maxLength: 3,
  }),
  observed: fc.subarray(NAMES),
  deleting: fc.subarray(NAMES),
  ready: fc.subarray(NAMES),
  upToDate: fc.subarray(NAMES),
});

type Given = typeof state extends fc.Arbitrary<infer S> ? S : never;

function rollingState(given: Given): RollingState {
  const { type } = new Rollout({ update: given.update });
  const child = (name: string): PlannedChild => ({
    resource: type.resource,
    type,
    object: { metadata: { name } },
    identity: name,
  });
  const observed = given.observed.map((name) => {
    const deletionTimestamp = given.deleting.includes(name) ? { deletionTimestamp: 'now' } : {};
    const conditions = [{ type: 'Ready', status: given.ready.includes(name) ? 'True' : 'False' }];
    const metadata = { name, ...deletionTimestamp };
    return [name, { apiVersion: 'v1', kind: 'Pod', metadata, status: { conditions } }] as const;
  });
  return {
    latest: { claims: given.latestClaims, children: given.wanted.map(child) },
    older: given.older.map(({ claims, answers }) => ({ claims, children: answers.map(child) })),
    observed: new Map(observed),
    upToDate: new Set(given.upToDate.filter((name) => given.observed.includes(name))),
  };
}

test('every returned child belongs to one revision, and the plan keeps the order in which they were returned', () => {
  fc.assert(
    fc.property(state, (given) => {
      const { latestClaims, olderClaims, children } = decideRolling(rollingState(given));

      expect([latestClaims, ...olderClaims].flat().sort()).toEqual([...given.wanted].sort());
      expect(children.map(({ identity }) => identity)).toEqual(given.wanted);
      for (const { identity, type } of children) {
        const owner = olderClaims.findIndex((claims) => claims.includes(identity));
        const isAnswered = owner < 0 || given.older[owner]?.answers.includes(identity);
        expect(type.update).toBe(isAnswered ? given.update : 'keep');
      }
    }),
    propertyRuns(),
  );
});

test('only one child is updated at a time, after all previously updated children are ready', () => {
  fc.assert(
    fc.property(state, (given) => {
      const { latestClaims, step } = decideRolling(rollingState(given));

      const isOlder = (name: string): boolean =>
        !given.latestClaims.includes(name) &&
        given.older.some(({ claims }) => claims.includes(name)) &&
        !(given.upToDate.includes(name) && given.observed.includes(name));
      const held = given.wanted.filter(isOlder);
      const free = given.wanted.filter((name) => !isOlder(name));
      const moved = held.filter((name) => latestClaims.includes(name));
      const isReady = (name: string): boolean =>
        given.observed.includes(name) &&
        !given.deleting.includes(name) &&
        given.upToDate.includes(name) &&
        given.ready.includes(name);
      expect(latestClaims).toEqual(expect.arrayContaining(free));
      expect(moved).toEqual(free.every(isReady) ? held.slice(0, 1) : []);
      expect(step.kind).toBe(
        held.length === 0 ? 'settled' : free.every(isReady) ? 'progressing' : 'waiting',
      );
    }),
    propertyRuns(),
  );
});

const event = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ do: 'reconcile' } as const) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('observe' as const), at: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('kill' as const), after: fc.nat(6) }) },
);

const options = fc.record({
  update,
  isClusterScoped: fc.boolean(),
  format: fc.constantFrom('chancery' as const, 'metacontroller' as const),
  names: fc.shuffledSubarray(NAMES, { minLength: 1 }),
});

/** Children that are gone, or not ready. */
function moving(rollout: Rollout): readonly string[] {
  return rollout.names.filter((name) => {
    const { status, metadata } = rollout.children.all.get(name) ?? {};
    const { conditions, observedGeneration } = (status ?? {}) as {
      readonly conditions?: readonly { readonly status: string }[];
      readonly observedGeneration?: number;
    };
    return conditions?.[0]?.status !== 'True' || observedGeneration !== metadata?.generation;
  });
}

async function reconcileUntil(rollout: Rollout, writes: number): Promise<void> {
  rollout.life.writesLeft = writes;
  const survives = await rollout.survives();
  if (!survives) rollout.successor();
  rollout.life.writesLeft = Number.POSITIVE_INFINITY;
}

test('[metacontroller 25] wherever processes are killed, at most one child is unavailable, and the update completes', async () => {
  await fc.assert(
    fc.asyncProperty(options, fc.array(event, { maxLength: 40 }), async (given, events) => {
      const rollout = new Rollout(given);
      await rollout.settle();
      rollout.edit({ taste: 'sour' });

      for (const each of events) {
        if (each.do === 'observe') {
          const name = rollout.names[each.at] ?? '';
          if (rollout.children.all.has(name)) rollout.observe(name, true);
        } else {
          const writes = each.do === 'kill' ? each.after : Number.POSITIVE_INFINITY;
          await reconcileUntil(rollout, writes);
        }
        expect(moving(rollout).length).toBeLessThanOrEqual(1);
      }

      await rollout.settle();
      expect(rollout.tastes()).toEqual(rollout.names.map(() => 'sour'));
      expect(rollout.stored.all.size).toBe(1);
      expect(rollout.conditions.at(-1)).toBe('True OnLatestRevision');
    }),
    propertyRuns(0.5),
  );
});

const change = fc.oneof(
  { weight: 5, arbitrary: event },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      taste: fc.constantFrom('x', 'y', 'z'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), at: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('want' as const), names: fc.shuffledSubarray(NAMES) }),
  },
);

test('after a rolling update, all children belong to one revision, whatever changes meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(options, fc.array(change, { maxLength: 40 }), async (given, changes) => {
      const rollout = new Rollout(given);
      await rollout.settle();

      for (const each of changes) {
        if (each.do === 'edit') rollout.edit({ taste: each.taste });
        else if (each.do === 'want') rollout.names = each.names;
        else if (each.do === 'reconcile') await rollout.reconcile();
        else if (each.do === 'kill') await reconcileUntil(rollout, each.after);
        else {
          const name = rollout.names[each.at] ?? '';
          if (!rollout.children.all.has(name)) continue;
          if (each.do === 'remove') rollout.children.delete(name);
          else rollout.observe(name, true);
        }
        // Each older revision holds a child that no other one holds.
        expect(rollout.stored.all.size).toBeLessThanOrEqual(NAMES.length + 1);
      }

      await rollout.settle();
      const { taste } = rollout.parent.spec as { readonly taste: string };
      expect(rollout.tastes()).toEqual(rollout.names.map(() => taste));
      expect([...rollout.children.all.keys()].sort()).toEqual([...rollout.names].sort());
      expect(rollout.stored.all.size).toBe(1);
    }),
    propertyRuns(0.5),
  );
});
