import fc from 'fast-check';
import { expect, test } from 'vitest';
import { preferredMembers } from '../../../operator/manager/sharding/preference.ts';

/** Names as Pods of one Deployment have them. */
const members = (min: number, max: number): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.stringMatching(/^op-[0-9a-f]{9}-[b-z]{5}$/), {
    minLength: min,
    maxLength: max,
  });
const groupCounts = fc.constantFrom(1, 2, 4, 8, 16, 32, 64);
const nobody = (groups: number): undefined[] => Array.from({ length: groups }, () => undefined);

type Preferred = readonly (string | undefined)[];

function movedBetween(before: Preferred, after: Preferred): number[] {
  return [...before.keys()].filter((group) => before[group] !== after[group]);
}

function shareOf(preferred: Preferred, member: string | undefined): number {
  return preferred.filter((other) => other === member).length;
}

test('[SH-4] every group has a member, and the members’ shares differ by one at most', () => {
  fc.assert(
    fc.property(groupCounts, members(1, 70), fc.infiniteStream(fc.nat()), (groups, all, random) => {
      const holders = nobody(groups).map(
        () => [...all, 'gone', undefined][(random.next().value ?? 0) % (all.length + 2)],
      );

      const preferred = preferredMembers(holders, all);

      const shares = all.map((member) => shareOf(preferred, member));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(groups);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }),
  );
});

test('without members no group has a preferred member', () => {
  expect(preferredMembers(['gone', undefined], [])).toEqual([undefined, undefined]);
});

test('the preferred members do not depend on the order or the repetition of the members', () => {
  fc.assert(
    fc.property(groupCounts, members(1, 20), fc.infiniteStream(fc.nat()), (groups, all, random) => {
      const holders = nobody(groups).map(() => all[(random.next().value ?? 0) % all.length]);
      const shuffled = all.toSorted(() => ((random.next().value ?? 0) % 2) - 0.5);

      expect(preferredMembers(holders, [...shuffled, ...all])).toEqual(
        preferredMembers(holders, all),
      );
    }),
  );
});

test('the preferred members stay preferred once they hold their groups', () => {
  fc.assert(
    fc.property(groupCounts, members(1, 20), (groups, all) => {
      const preferred = preferredMembers(nobody(groups), all);

      expect(preferredMembers(preferred, all)).toEqual(preferred);
    }),
  );
});

test('[SH-4] a joining member gets its share of the groups, rounded down, and no other group moves', () => {
  fc.assert(
    fc.property(groupCounts, members(2, 20), (groups, [joins = '', ...all]) => {
      const before = preferredMembers(nobody(groups), all);

      const after = preferredMembers(before, [...all, joins]);

      const moved = movedBetween(before, after);
      expect(moved).toHaveLength(Math.floor(groups / (all.length + 1)));
      expect(moved.every((group) => after[group] === joins)).toBe(true);
    }),
  );
});

test('[SH-4] only the groups of a leaving member move', () => {
  fc.assert(
    fc.property(groupCounts, members(2, 20), (groups, [leaves = '', ...all]) => {
      const before = preferredMembers(nobody(groups), [...all, leaves]);

      const after = preferredMembers(before, all);

      const moved = movedBetween(before, after);
      expect(moved.every((group) => before[group] === leaves)).toBe(true);
      expect(moved).toHaveLength(shareOf(before, leaves));
    }),
  );
});

test('scaling from 2 members to 4 and back moves one share per member that joins or leaves', () => {
  fc.assert(
    fc.property(members(4, 4), (all) => {
      const two = preferredMembers(nobody(16), all.slice(0, 2));
      const four = preferredMembers(two, all);
      const again = preferredMembers(four, all.slice(2));

      expect(movedBetween(two, four)).toHaveLength(8);
      expect(movedBetween(four, again)).toHaveLength(8);
    }),
  );
});

test('a hand-over to a preferred member never changes the preferred members of another group', () => {
  fc.assert(
    fc.property(groupCounts, members(2, 20), fc.nat(), (groups, [joins = '', ...all], seed) => {
      const before = preferredMembers(nobody(groups), all);
      const both = [...all, joins];
      const after = preferredMembers(before, both);
      const moved = movedBetween(before, after);
      const done = moved.filter((group) => (seed >> (group % 31)) % 2 === 1);
      const between = before.map((holder, group) => (done.includes(group) ? joins : holder));

      const { length } = movedBetween(between, preferredMembers(between, both));

      expect(length).toBe(moved.length - done.length);
    }),
  );
});

test('even if the names of members differ only in the last character, each member is preferred for some group', () => {
  const all = Array.from({ length: 8 }, (_, index) => `operator-5d4f8c7b9-${'bcdfghjk'[index]}`);
  const first = Array.from({ length: 64 }, (_, groups) =>
    preferredMembers(nobody(groups + 1), all),
  );

  const favourites = new Set(first.map((preferred) => preferred.at(-1)));

  expect(favourites).toEqual(new Set(all));
});
