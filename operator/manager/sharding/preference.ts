/**
 * The member that should hold each group, indexed by group number; undefined for all groups when there are no
 * members.
 *
 * A group stays with its holder while the holder is a member, unless the numbers of groups per member would
 * differ by more than one. So a joining member gets groups until the numbers are level, the groups of a
 * leaving member are spread over the remaining members, and no other group moves. Where several choices are
 * equally good, rendezvous hashing decides. So every process that sees the same holders and members prefers
 * the same members, in whatever order they come.
 *
 * Rendezvous hashing of the members alone gives uneven shares: one of 4 members may get 8 of 16 groups, or
 * none. An algorithm that bounds the shares but ignores the current holders would move up to three times as
 * many groups.
 *
 * @param holders - the last observed holder of each group; undefined if there was none.
 */
export function preferredMembers(
  holders: readonly (string | undefined)[],
  members: Iterable<string>,
): readonly (string | undefined)[] {
  const sorted = [...new Set(members)].sort();
  const shares: readonly Share[] = sorted.map((member) => ({
    member,
    hash: hashOf(member),
    groups: new Set(),
  }));
  for (const [group, holder] of holders.entries()) {
    shares.find(({ member }) => member === holder)?.groups.add(group);
  }
  for (const [group, holder] of holders.entries()) {
    if (holder === undefined || !sorted.includes(holder)) move([group], smallestOf(shares));
  }
  while (levelOnce(shares)) {}
  return holders.map((_, group) => shares.find(({ groups }) => groups.has(group))?.member);
}

/** The groups that one member should hold. */
interface Share {
  readonly member: string;
  readonly hash: number;
  readonly groups: Set<number>;
}

/**
 * Moves one group from a member with the most groups to a member with the fewest. Returns false when no two
 * members differ by more than one group.
 */
function levelOnce(shares: readonly Share[]): boolean {
  const largest = Math.max(...shares.map(({ groups }) => groups.size));
  const [smallest, ...others] = smallestOf(shares);
  if (smallest === undefined || largest - smallest.groups.size < 2) return false;
  const full = shares.filter(({ groups }) => groups.size === largest);
  const movable = full.flatMap(({ groups }) => [...groups]).sort((a, b) => a - b);
  const moved = move(movable, [smallest, ...others]);
  for (const { groups } of full) groups.delete(moved);
  return true;
}

function smallestOf(shares: readonly Share[]): readonly Share[] {
  const least = Math.min(...shares.map(({ groups }) => groups.size));
  return shares.filter(({ groups }) => groups.size === least);
}

/**
 * Gives one of `groups` to one of `shares`: the pair with the highest weight is chosen, and among equal pairs
 * the first.
 */
function move(groups: readonly number[], shares: readonly Share[]): number {
  let best = { weight: -1, group: -1, into: new Set<number>() };
  for (const { hash, groups: into } of shares) {
    for (const group of groups) {
      const weight = weightOf(group, hash);
      if (weight > best.weight) best = { weight, group, into };
    }
  }
  best.into.add(best.group);
  return best.group;
}

/** The 32-bit FNV-1a hash of a member's identity. */
function hashOf(member: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(member)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash;
}

/**
 * Mixes the bits of a hash as MurmurHash3 does at its end. FNV-1a alone hardly spreads strings that differ
 * only in their last characters, as the names of Pods do.
 */
function weightOf(group: number, memberHash: number): number {
  let hash = memberHash ^ Math.imul(group + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
