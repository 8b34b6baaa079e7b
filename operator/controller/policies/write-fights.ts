import { deepJson } from '../../core/json/deep-json.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';
import { isOlder, objectKey } from '../../model/object.ts';
import { resourceName } from '../../model/resource.ts';
import { digestOf, shownFields } from '../children/applied-memory.ts';
import { differingPaths } from '../children/json-difference.ts';
import { AtomicMaps, type MapField } from '../object-shape/atomic-maps.ts';
import type { AcceptedWrite, Fight } from './key-gate.ts';
import { otherWriters } from './other-writers.ts';

/**
 * This many writes to one object within 10 minutes are a fight with another writer. Each of these writes
 * repeats an earlier one and reverts fields, so another writer must have changed the fields in between. A
 * person who edits an object by hand is slower.
 */
const FIGHT = { writes: 10, withinMs: 10 * 60_000 } as const;

/**
 * Milliseconds between two attempts of a key in a fight. They are doubled with each further write of the
 * fight.
 */
const SLOWED_MS = { first: 1_000, last: 5 * 60_000 } as const;

/**
 * A fight is over when the other writer has done nothing for this many milliseconds. Slower changes are not a
 * fight.
 */
const CALM_MS = FIGHT.withinMs / FIGHT.writes;

/** Maximum number of remembered objects. They are the last ones written, in the last 10 minutes. */
const MAX_OBJECTS = 10_000;

/**
 * Maximum number of remembered writes per object that differ in their content, and of remembered sets of
 * written fields. A reconciler may write an object in several calls.
 */
const MAX_STATEMENTS = 4;

/**
 * Minimum milliseconds between two reads of an object to find its other writers, and between two log lines.
 */
const TELL_MS = 10 * 60_000;

const DELETED = 'deleted';

interface Written {
  atMs: number;
  /** The version after the last write. `deleted`: the last write was a delete. */
  resourceVersion: string;
  /**
   * For each different content of a write, by its digest: the times when the content had to be written again.
   */
  readonly statements: Map<string, readonly number[]>;
  /**
   * For each set of fields that a write contains, by its digest: a digest of the values after the last write
   * of these fields.
   */
  readonly left: Map<string, string>;
  /** The field manager of the last write; '' if it is the name of the controller. */
  fieldManager: string;
  /** How many times the fight was slowed down. */
  turns: number;
  /** The fight that was found last. */
  fight: Fight | undefined;
  managers: readonly string[];
  readAtMs: number;
  loggedAtMs: number;
}

/** Finds objects whose fields other writers revert repeatedly. */
export class WriteFights {
  readonly #controller: string;
  /** The remembered objects, ordered by the last write. */
  readonly #written = new Map<string, Written>();

  /** @param controller - the name of the controller, which is also its field manager. */
  constructor(controller: string) {
    this.#controller = controller;
  }

  /** True when the object must be read before it is written, because the next write may reveal a fight. */
  isSuspected(object: string, nowMs: number): boolean {
    const written = this.#written.get(object);
    if (written === undefined || nowMs - written.readAtMs < TELL_MS) return false;
    return written.turns > 0 || mostIn(written, nowMs) >= FIGHT.writes - 1;
  }

  /** Records a write that has changed something. Returns the fight that this write continues, if any. */
  wrote(write: AcceptedWrite, nowMs: number): Fight | undefined {
    const object = nameOfWritten(write);
    const written = this.#recent(object, nowMs);
    const { resourceVersion: lastVersion } = written;
    if (write.live !== undefined) {
      written.readAtMs = nowMs;
      const { fieldManager: now = '' } = write;
      const own = [this.#controller, written.fieldManager, now];
      // A write that only hands over the ownership of fields does not revert fields of other writers.
      const answer = write.stated === undefined ? undefined : write.answer;
      written.managers = otherWriters(write.live, answer, own);
    }
    written.fieldManager = write.fieldManager ?? written.fieldManager;
    written.resourceVersion = write.isDelete
      ? DELETED
      : (write.answer?.metadata.resourceVersion ?? lastVersion);
    // After a delete there is no delay, because the child is created again at once.
    if (write.isDelete) return written.fight && { ...written.fight, intervalMs: 0, isDue: false };
    if (write.stated === undefined || write.answer === undefined) return undefined;
    const stated = statedFields(write.stated as Mapping);
    const digest = digestOf(withoutTimes(stated));
    const known = written.statements.get(digest);
    const atomic = new AtomicMaps();
    atomic.learn(write.answer, stated);
    const maps = atomic.root;
    const left = leave(written, stated, { answer: write.answer, maps });
    const last = { lastVersion, left };
    const paths = known === undefined ? [] : changedBack(write, stated, { ...last, maps });
    const times = [...(known ?? []), ...(paths.length > 0 ? [nowMs] : [])];
    written.statements.delete(digest);
    written.statements.set(
      digest,
      times.filter((at) => nowMs - at < FIGHT.withinMs),
    );
    limit(written.statements);
    const writes = written.statements.get(digest)?.length ?? 0;
    if (paths.length === 0 || (written.turns === 0 && writes < FIGHT.writes)) return undefined;
    const intervalMs = Math.min(SLOWED_MS.first * 2 ** written.turns++, SLOWED_MS.last);
    const isDue = nowMs - written.loggedAtMs >= TELL_MS;
    if (isDue) written.loggedAtMs = nowMs;
    const { managers } = written;
    written.fight = { object, paths, managers, writes, intervalMs, isDue, isPast: false };
    return written.fight;
  }

  /** Call this when an attempt has found nothing to write. */
  paused(object: string, nowMs: number): void {
    const { atMs = nowMs } = this.#written.get(object) ?? {};
    if (nowMs - atMs >= CALM_MS) this.#written.delete(object);
  }

  /** The record of an object. If the last write was 10 minutes ago, a new record replaces the old one. */
  #recent(object: string, nowMs: number): Written {
    const known = this.#written.get(object);
    this.#written.delete(object);
    const isRecent = known !== undefined && nowMs - known.atMs < FIGHT.withinMs;
    const written = isRecent ? known : newRecord();
    written.atMs = nowMs;
    this.#written.set(object, written);
    for (const [oldest, { atMs }] of this.#written) {
      if (this.#written.size <= MAX_OBJECTS && nowMs - atMs < FIGHT.withinMs) break;
      this.#written.delete(oldest);
    }
    return written;
  }
}

/** Identifies an object among all objects that a controller writes. */
export function nameOfWritten({
  resource,
  namespace,
  name,
}: Pick<AcceptedWrite, 'resource' | 'namespace' | 'name'>): string {
  return `${resourceName(resource)} ${objectKey(namespace, name)}`;
}

function newRecord(): Written {
  return {
    atMs: 0,
    resourceVersion: '',
    statements: new Map(),
    left: new Map(),
    fieldManager: '',
    turns: 0,
    fight: undefined,
    managers: [],
    readAtMs: Number.NEGATIVE_INFINITY,
    loggedAtMs: Number.NEGATIVE_INFINITY,
  };
}

/** Forgets the oldest entry of the map when there is one too many. */
function limit(remembered: Map<string, unknown>): void {
  const [oldest] = remembered.size > MAX_STATEMENTS ? remembered.keys() : [];
  if (oldest !== undefined) remembered.delete(oldest);
}

/**
 * Records the values that fields have after a write. Returns a digest of the values that the same fields had
 * after their previous write.
 */
function leave(
  { left }: Written,
  stated: Mapping,
  { answer, maps }: { readonly answer: unknown; readonly maps: MapField },
): string | undefined {
  const fields = digestOf(deepJson(stated, (_key, part) => (isMapping(part) ? part : null)));
  const before = left.get(fields);
  left.delete(fields);
  left.set(fields, digestOf(shownFields(answer, stated, maps)));
  limit(left);
  return before;
}

function mostIn({ statements }: Written, nowMs: number): number {
  const counts = Array.from(
    statements.values(),
    (times) => times.filter((at) => nowMs - at < FIGHT.withinMs).length,
  );
  return Math.max(0, ...counts);
}

/**
 * The fields that the write has changed, provided that another writer has changed them since the last write.
 * If a reconciler writes one value and then another, it changes its own value, which is not a fight. If this
 * controller has deleted the child to create it again, all written fields are returned.
 *
 * @param last - the version after the last write, and a digest of the values of these fields at that version.
 *   `maps`: the atomic maps. A key that another writer has added to an atomic map is also treated as written
 *   back.
 */
function changedBack(
  { before: [before], answer }: AcceptedWrite,
  stated: Mapping,
  last: {
    readonly lastVersion: string;
    readonly left: string | undefined;
    readonly maps: MapField;
  },
): readonly string[] {
  const members = Object.keys(stated).slice(0, 5);
  if (last.lastVersion === DELETED) return members;
  const { resourceVersion: version = '' } = before?.metadata ?? {};
  // A cache that lags behind still has fields which this controller itself has changed since.
  const isSeen = version === last.lastVersion || isOlder(version, last.lastVersion);
  if (before === undefined || isSeen) return [];
  const { maps } = last;
  const [had, has] = [shownFields(before, stated, maps), shownFields(answer, stated, maps)];
  const shown = digestOf(had);
  if (shown === last.left || shown === digestOf(has)) return [];
  try {
    return differingPaths(had, has);
  } catch {
    return members; // nested too deeply for a path
  }
}

/**
 * The members of metadata that count as content of a write. All other members identify the object, or follow
 * from the write.
 */
const STATED_METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** The content of a write, without the identity of the object. */
function statedFields({ apiVersion: _, kind: __, metadata, ...fields }: Mapping): Mapping {
  const stated = Object.entries(isMapping(metadata) ? metadata : {}).filter(([name]) =>
    STATED_METADATA.includes(name),
  );
  return stated.length === 0 ? fields : { ...fields, metadata: Object.fromEntries(stated) };
}

/**
 * A copy of `stated` without the times of conditions, because a time changes when another writer has changed
 * the condition.
 */
function withoutTimes(stated: Mapping): Mapping {
  const { status } = stated;
  if (!isMapping(status) || !Array.isArray(status.conditions)) return stated;
  const conditions = status.conditions.map((condition: unknown) => {
    if (!isMapping(condition)) return condition;
    const { lastTransitionTime: _, ...others } = condition;
    return others;
  });
  return { ...stated, status: { ...status, conditions } };
}
