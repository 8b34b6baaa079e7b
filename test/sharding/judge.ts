/** Judges replicas that share the work by what the server has seen of them. Times are milliseconds of one clock. */

/** What the server has stored, in the order of its commits. */
export type Commit =
  /** The Lease of a group. `holder` is the replica that it names; undefined when it names none, or is deleted. */
  | {
      readonly kind: 'lease';
      readonly group: number;
      readonly holder: string | undefined;
      readonly atMs: number;
    }
  /** An object was created or changed. No object has the same text twice. */
  | {
      readonly kind: 'change';
      readonly object: string;
      readonly text: string;
      readonly atMs: number;
    }
  /** The mirror of an object, as the replica `by` wrote it. */
  | {
      readonly kind: 'mirror';
      readonly object: string;
      readonly text: string;
      readonly by: string;
      readonly atMs: number;
    };

/** A request that writes the mirror of an object. */
export interface Writing {
  readonly who: string;
  readonly object: string;
  readonly fromMs: number;
  /** When it was answered; undefined when it never was. */
  readonly toMs: number | undefined;
}

export interface ServerLog {
  readonly commits: readonly Commit[];
  readonly writings: readonly Writing[];
  /** The group of each object. */
  readonly groups: ReadonlyMap<string, number>;
  /** Times are measured between these two moments. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Sentences about what must not be, and the longest times. */
export interface Verdict {
  /** Two replicas were writing an object at the same time. */
  readonly overlaps: readonly string[];
  /** A replica wrote an object whose group another replica had, or none. */
  readonly strangers: readonly string[];
  /** A mirror showed an older change than before. */
  readonly stepsBack: readonly string[];
  /** A mirror does not show the last change of its object in the end. */
  readonly missed: readonly string[];
  /** From a write of a group's Lease to the next one that names a holder. */
  readonly longestUnownedMs: number;
  /** From a change to the first mirror that shows it, or a later one. */
  readonly longestBehindMs: number;
}

export function judge(log: ServerLog): Verdict {
  return {
    overlaps: overlapsOf(log.writings),
    strangers: strangersOf(log),
    ...mirroring(log),
    longestUnownedMs: longestUnowned(log),
  };
}

function overlapsOf(writings: readonly Writing[]): readonly string[] {
  const found: string[] = [];
  for (const [object, all] of Map.groupBy(writings, (writing) => writing.object)) {
    const endOf = new Map<string, number>();
    for (const { who, fromMs, toMs = fromMs } of all.toSorted((a, b) => a.fromMs - b.fromMs)) {
      for (const [other, untilMs] of endOf) {
        if (other !== who && untilMs > fromMs) found.push(`${object}: ${other} and ${who}`);
      }
      endOf.set(who, Math.max(endOf.get(who) ?? 0, toMs));
    }
  }
  return found;
}

/**
 * A write has to arrive, to be stored and to be answered while the Lease of its group names the replica that sent it. So
 * a replica that writes after its term is found even when no other has written yet.
 */
function strangersOf({ commits, writings, groups }: ServerLog): readonly string[] {
  const moments = [
    ...commits.map((commit) => ({ atMs: commit.atMs, commit })),
    ...writings.flatMap(({ who, object, fromMs, toMs }) => [
      { atMs: fromMs, act: { who, object, what: 'sent' } },
      ...(toMs === undefined ? [] : [{ atMs: toMs, act: { who, object, what: 'was answered' } }]),
    ]),
  ].sort((a, b) => a.atMs - b.atMs);
  const holders = new Map<number, string | undefined>();
  const found: string[] = [];
  for (const moment of moments) {
    let act = 'act' in moment ? moment.act : undefined;
    if ('commit' in moment) {
      const { commit } = moment;
      if (commit.kind === 'lease') holders.set(commit.group, commit.holder);
      if (commit.kind === 'mirror') {
        act = { who: commit.by, object: commit.object, what: 'has stored' };
      }
    }
    if (act === undefined) continue;
    const holder = holders.get(groups.get(act.object) ?? -1);
    if (holder !== act.who) {
      found.push(
        `${act.object}: ${act.who} ${act.what} a write at ${Math.round(moment.atMs)} ms, ` +
          `the Lease was of ${holder ?? 'none'}`,
      );
    }
  }
  return found;
}

/** What a mirror has shown of the changes of its object. */
interface Mirror {
  readonly changes: { readonly text: string; readonly atMs: number }[];
  /** Index of the change that it shows. */
  shown: number;
}

/** What the mirrors show of the changes. */
export function mirroring({
  commits,
  fromMs,
  toMs,
}: Pick<ServerLog, 'commits' | 'fromMs' | 'toMs'>): Pick<
  Verdict,
  'stepsBack' | 'missed' | 'longestBehindMs'
> {
  const mirrors = new Map<string, Mirror>();
  const stepsBack: string[] = [];
  let longestBehindMs = 0;
  const waited = ({ changes, shown }: Mirror, untilMs: number): void => {
    const first = changes[shown + 1];
    if (first === undefined) return;
    longestBehindMs = Math.max(longestBehindMs, untilMs - Math.max(first.atMs, fromMs));
  };
  for (const commit of commits) {
    if (commit.kind === 'lease') continue;
    const { object, text, atMs } = commit;
    const mirror = mirrors.get(object) ?? { changes: [], shown: -1 };
    mirrors.set(object, mirror);
    if (commit.kind === 'change') {
      mirror.changes.push({ text, atMs });
      continue;
    }
    const shows = mirror.changes.findIndex((change) => change.text === text);
    if (shows < mirror.shown) stepsBack.push(`${object}: ${commit.by} has written ${text} again`);
    if (shows > mirror.shown) waited(mirror, atMs);
    mirror.shown = shows;
  }
  const missed: string[] = [];
  for (const [object, mirror] of mirrors) {
    waited(mirror, toMs);
    const last = mirror.changes.at(-1);
    if (mirror.shown < mirror.changes.length - 1) {
      missed.push(`${object}: ${last?.text} is not shown`);
    }
  }
  return { stepsBack, missed, longestBehindMs: Math.round(longestBehindMs) };
}

function longestUnowned({ commits, groups, fromMs, toMs }: ServerLog): number {
  const since = new Map([...groups.values()].map((group) => [group, fromMs]));
  let longest = 0;
  const lasted = (group: number, untilMs: number): void => {
    longest = Math.max(longest, untilMs - (since.get(group) ?? fromMs));
  };
  for (const commit of commits) {
    if (commit.kind !== 'lease' || commit.atMs < fromMs) continue;
    if (commit.holder !== undefined) lasted(commit.group, commit.atMs);
    since.set(commit.group, commit.atMs);
  }
  for (const group of since.keys()) lasted(group, toMs);
  return Math.round(longest);
}
