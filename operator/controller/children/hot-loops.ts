import type { KubernetesObject } from '../../model/object.ts';
import { HotLoopError } from '../errors.ts';
import type { Desired } from '../reconciler.ts';
import { digestOf, shownFields } from './applied-memory.ts';
import { differingPaths } from './json-difference.ts';

/**
 * Writes that are more than this many milliseconds apart do not form a loop, because a hook may depend on the
 * time.
 */
const LOOP_MS = 10 * 60_000;

/** A detected loop is over when none of its writes was attempted for this many milliseconds. */
const FOUND_MS = 60 * 60_000;

/** A detected loop is over when the same answer comes this many times in a row. */
const STEADY_ANSWERS = 4;

/**
 * How often the same answer may be written in a loop. A loop of two alternating answers is stopped after four
 * writes.
 */
const WRITES_OF_ONE_ANSWER = 2;

/**
 * How many new answers may be written in quick succession while nothing else, such as the status, changes. If
 * a function legitimately goes through more steps, it is only delayed a little, because it returns the next
 * answer again until that answer is written.
 */
const NEW_ANSWERS = 20;

/** Writes that are more than this many milliseconds apart are not in quick succession. */
const CLOSE_MS = 2_000;

/** Number of remembered answers per object. A longer cycle of answers is not detected. */
const MAX_ANSWERS = 100;

/** Number of remembered objects. For a forgotten object, the detection starts again. */
const MAX_OBJECTS = 10_000;

/** A write that is about to be made. */
export interface NextWrite {
  /** The desired state of the object, as the function returned it. */
  readonly stated: Desired<KubernetesObject> | object;
  /** The object before the write. */
  readonly observed: object;
  /** Digest of the inputs of the function, without the object itself. Called only when needed. */
  readonly inputs: () => string;
  readonly nowMs: number;
}

interface Loop {
  readonly inputs: string;
  /** Digests of the answers that were written since the last change by another writer. */
  readonly answers: readonly string[];
  /**
   * The number of successive answers that were new, in quick succession, and written while the status of the
   * object was the same.
   */
  readonly newAnswers: number;
  readonly status: string;
  /** Digest of the answer by which the object was last created. */
  readonly createdBy?: string | undefined;
  /**
   * The last answer, and the digest of its fields in the object after the write; undefined until the object
   * is known.
   */
  readonly stated: object;
  readonly shown: string | undefined;
  readonly atMs: number;
  /** Set once the loop is detected. */
  readonly found?: Found;
}

interface Found {
  readonly paths: readonly string[];
  /** True when the answers of the loop were all new, false when they repeated. */
  readonly isNew: boolean;
  /** Digest of the answer of the last attempt, and how many times in a row it has been given since. */
  readonly last: string;
  readonly times: number;
}

/**
 * Detects functions whose answers change an object back and forth. The detection starts over when another
 * writer changes the written fields of the object, or when the inputs of the function change.
 */
export class HotLoops {
  readonly #loops = new Map<string, Loop>();

  /**
   * Call this with every answer for an existing object, whether or not it will be written.
   *
   * @throws HotLoopError while a detected loop continues, because its answers still alternate.
   */
  requireSteady(object: string, next: NextWrite): void {
    const loop = this.#loops.get(object);
    if (loop?.found === undefined) return;
    const last = digestOf(next.stated);
    const isKnown = loop.found.isNew || loop.answers.includes(last) || loop.createdBy === last;
    const isEnded = this.#current(object, next) === undefined || !isKnown;
    const times = last === loop.found.last ? loop.found.times + 1 : 1;
    if (isEnded || times >= STEADY_ANSWERS) {
      this.#loops.delete(object);
      return;
    }
    this.#set(object, { ...loop, atMs: next.nowMs, found: { ...loop.found, last, times } });
    throw new HotLoopError(object, loop.found.paths);
  }

  /**
   * Call this before a write.
   *
   * @param object - identifies the object among all objects that the controller writes.
   * @throws HotLoopError when this answer was already written twice, or many new answers were written in a
   *   short time, and nothing but such writes has happened since.
   */
  requireProgress(object: string, next: NextWrite): void {
    const loop = this.#current(object, next);
    if (loop === undefined) return;
    const last = digestOf(next.stated);
    const writes = loop.answers.filter((each) => each === last).length;
    const isNew = newAnswers(loop, next) > NEW_ANSWERS;
    if (writes < WRITES_OF_ONE_ANSWER && !isNew) return;
    const paths = pathsOf(loop, next);
    this.#set(object, { ...loop, atMs: next.nowMs, found: { paths, isNew, last, times: 1 } });
    throw new HotLoopError(object, paths);
  }

  /**
   * Call this after a write. A write that has changed nothing does not count.
   *
   * @param after - the object after the write; undefined when it was deleted so that it is created again.
   */
  wrote(object: string, next: NextWrite, after: object | undefined): void {
    const version = after && versionOf(after);
    if (version !== undefined && version === versionOf(next.observed)) return;
    const { stated, inputs, nowMs: atMs } = next;
    const before = this.#current(object, next);
    this.#set(object, {
      inputs: inputs(),
      answers: [...(before?.answers ?? []), digestOf(stated)].slice(-MAX_ANSWERS),
      newAnswers: newAnswers(before, next),
      status: statusDigest(next),
      createdBy: before?.createdBy,
      stated,
      shown: after && digestOf(shownFields(after, stated)),
      atMs,
    });
  }

  /**
   * Call this when an object is created. It may replace an object that was deleted in order to be created
   * again.
   */
  created(object: string, stated: object, after: object): void {
    const loop = this.#loops.get(object);
    if (loop === undefined || loop.shown !== undefined) return;
    const shown = digestOf(shownFields(after, loop.stated));
    this.#set(object, { ...loop, shown, createdBy: digestOf(stated) });
  }

  /** The loop so far; undefined if another writer or an input has changed since. */
  #current(object: string, { observed, inputs, nowMs }: NextWrite): Loop | undefined {
    const loop = this.#loops.get(object);
    if (loop === undefined || isOver(loop, nowMs) || loop.inputs !== inputs()) return undefined;
    return loop.shown === digestOf(shownFields(observed, loop.stated)) ? loop : undefined;
  }

  #set(object: string, loop: Loop): void {
    this.#loops.delete(object);
    this.#loops.set(object, loop);
    for (const [oldest, known] of this.#loops) {
      if (this.#loops.size <= MAX_OBJECTS && !isOver(known, loop.atMs)) return;
      this.#loops.delete(oldest);
    }
  }
}

function versionOf(object: object): string | undefined {
  return (object as Partial<KubernetesObject>).metadata?.resourceVersion;
}

function isOver({ atMs, found }: Loop, nowMs: number): boolean {
  return nowMs - atMs > (found === undefined ? LOOP_MS : FOUND_MS);
}

/** The number of new answers including this one; 0 for an answer that was given before. */
function newAnswers(before: Loop | undefined, next: NextWrite): number {
  if (before === undefined) return 1;
  if (before.answers.includes(digestOf(next.stated))) return 0;
  const isClose = next.nowMs - before.atMs <= CLOSE_MS;
  return isClose && before.status === statusDigest(next) ? before.newAnswers + 1 : 1;
}

/** Digest of a status that other writers maintain. Empty when the function itself sets the status. */
function statusDigest({ stated, observed }: NextWrite): string {
  return 'status' in stated || !('status' in observed) ? '' : digestOf({ status: observed.status });
}

/**
 * The fields in which the last two answers differ. If those answers are equal: the fields whose values the
 * object does not keep.
 */
function pathsOf({ stated: last }: Loop, { stated, observed }: NextWrite): readonly string[] {
  const changed = differingPaths(last, stated);
  return changed.length > 0 ? changed : differingPaths(shownFields(observed, stated), stated);
}
