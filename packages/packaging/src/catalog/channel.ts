/** A bundle in a channel, and the bundles from which an upgrade leads to it. */
export interface ChannelEntry {
  readonly name: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
}

/**
 * The problems with which OLM cannot follow a channel: a missing head, several heads, a circle, a
 * bundle that replaces an unknown bundle, and a bundle that cannot be upgraded.
 */
export function channelProblems(entries: readonly ChannelEntry[]): readonly string[] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  if (entries.length === 0) return ['it has no bundle'];
  const unknown = entries
    .filter(({ replaces }) => replaces !== undefined && !byName.has(replaces))
    .map(
      ({ name, replaces }) =>
        `${name} replaces ${replaces}, which is not in the channel: add that bundle, or upgrade from it by skips`,
    );
  const circle = circleIn(entries, byName);
  if (circle !== undefined)
    return [...unknown, `it goes in a circle: ${circle.join(' replaces ')}`];
  const heads = headsOf(entries);
  if (heads.length > 1) {
    const named = heads.join(' and ');
    return [
      ...unknown,
      `it has ${heads.length} heads, ${named}: let one of them replace or skip the others`,
    ];
  }
  return [...unknown, ...strandedProblems(entries, byName, heads[0] ?? '')];
}

/** The bundles that no other bundle replaces or skips. */
function headsOf(entries: readonly ChannelEntry[]): readonly string[] {
  const left = new Set(
    entries.flatMap(({ name, replaces, skips = [] }) =>
      [replaces, ...skips].filter((other) => other !== name),
    ),
  );
  return entries.map(({ name }) => name).filter((name) => !left.has(name));
}

/**
 * The first circle of bundles that replace or skip each other. Its first bundle is repeated at the
 * end.
 */
function circleIn(
  entries: readonly ChannelEntry[],
  byName: ReadonlyMap<string, ChannelEntry>,
): readonly string[] | undefined {
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    const entry = byName.get(name);
    if (entry === undefined || finished.has(name)) return undefined;
    path.push(name);
    for (const next of previous(entry)) {
      const found = visit(next);
      if (found !== undefined) return found;
    }
    path.pop();
    finished.add(name);
    return undefined;
  };
  for (const { name } of entries) {
    const found = visit(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Reports bundles that are not on the chain of upgrades to the head. An installation of such a
 * bundle is never upgraded.
 */
function strandedProblems(
  entries: readonly ChannelEntry[],
  byName: ReadonlyMap<string, ChannelEntry>,
  head: string,
): readonly string[] {
  const reached = new Set<string>();
  for (let at = byName.get(head); at !== undefined; at = byName.get(at.replaces ?? '')) {
    reached.add(at.name);
    for (const skipped of at.skips ?? []) reached.add(skipped);
  }
  return entries
    .filter(({ name }) => !reached.has(name))
    .map(
      ({ name }) =>
        `nothing on the way from ${head} replaces or skips ${name}, so that it would never be upgraded: skip it`,
    );
}

function previous({ replaces, skips = [] }: ChannelEntry): readonly string[] {
  return replaces === undefined ? skips : [replaces, ...skips];
}
