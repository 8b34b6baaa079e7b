import type { KeyState } from '../../controller/run/key-state.ts';
import { durationWords } from '../../core/text/duration-words.ts';
import type { ObjectKey } from '../../model/object.ts';
import type { KeyStatus, KeyWait, LastAttempt } from './key-answer.ts';
import type { RememberedAttempt, RememberedKey } from './key-memory.ts';
import { blockerOf, type Surroundings, waitsOf } from './key-waits.ts';
import type { ObservedController } from './observed-controller.ts';

/** What is known about a key, before it is turned into sentences. */
export interface KnownKey {
  readonly controller: ObservedController;
  readonly key: ObjectKey;
  readonly state: KeyState;
  /** The attempts that are remembered for the key; undefined if there are none. */
  readonly remembered: RememberedKey | undefined;
}

/** False when the controller does not know the key, or has forgotten it. */
export function isKnown({ state, remembered }: KnownKey): boolean {
  const { object, failures } = state;
  return object === 'cached' || state.state !== 'idle' || failures > 0 || remembered !== undefined;
}

/** @param nowMs - wall time, in milliseconds since 1970. */
export function keyStatus(known: KnownKey, around: Surroundings, nowMs: number): KeyStatus {
  const { controller, key, state, remembered } = known;
  const blocker = blockerOf(controller, state, around);
  const isDue = state.state !== 'idle' && state.state !== 'working';
  const waits = isDue ? waitsOf(controller, state, remembered) : [];
  const last = remembered?.last;
  return {
    controller: controller.activity.name,
    key,
    verdict: blocker === undefined ? verdictOf(known) : 'blocked',
    summary: blocker?.why ?? summaryOf(known, waits),
    object: state.object,
    state: state.state,
    priority: state.priority,
    failures: state.failures,
    failingSince: timeOf(remembered?.failingSinceMs),
    next: blocker === undefined ? nextOf(state, waits, nowMs) : undefined,
    waits: blocker === undefined ? waits : [blocker, ...waits],
    wokenBy: state.wokenBy,
    running:
      state.state === 'working'
        ? {
            forMs: Math.round(state.forMs),
            reconcileId: remembered?.running?.reconcileId,
            wokenBy: remembered?.running?.wokenBy,
          }
        : undefined,
    last: last && lastAttempt(last),
  };
}

function verdictOf({ state, remembered }: KnownKey): KeyStatus['verdict'] {
  const hasFailed = state.failures > 0 || remembered?.last?.outcome === 'terminal';
  if (state.state === 'working') return 'working';
  if (hasFailed) return 'failing';
  return state.state === 'idle' ? 'done' : 'waiting';
}

function summaryOf({ state, remembered }: KnownKey, waits: readonly KeyWait[]): string {
  const { failures, isEnqueuedAgain, dueInMs } = state;
  const [first] = waits;
  const times = failures === 1 ? 'once' : `${failures} times in a row`;
  // The sentence about the back-off already contains the failures.
  const failed = failures > 0 && first?.by !== 'back-off' ? `failed ${times}, ` : '';
  const why = first?.why ?? 'nothing holds it back';
  switch (state.state) {
    case 'working': {
      const again = isEnqueuedAgain ? ', and has been enqueued again' : '';
      return `${failed}has been worked on for ${durationWords(state.forMs)}${again}`;
    }
    case 'ready':
      return `${failed}waits for a worker: ${why}`;
    case 'parked':
      return `${failed}waits: ${why}`;
    case 'delayed':
      return `${failed}next attempt in ${durationWords(dueInMs ?? 0)}: ${why}`;
    case 'idle':
      return idleWords(state, remembered?.last);
  }
}

function idleWords({ object }: KeyState, last: RememberedAttempt | undefined): string {
  if (last?.outcome === 'terminal') return 'failed, and only a change can help: nothing is due';
  if (object === 'absent') return 'the object is gone, and nothing is due';
  if (last === undefined) return 'nothing is due; its last attempt is not remembered';
  if (last.outcome === 'success' || last.outcome === 'requeue_after') {
    return 'its last attempt succeeded, and nothing is due';
  }
  return `its last attempt ended with ${last.outcome}, and nothing is due`;
}

function nextOf(
  { state, dueInMs }: KeyState,
  waits: readonly KeyWait[],
  nowMs: number,
): KeyStatus['next'] {
  if (state !== 'delayed' || dueInMs === undefined) return undefined;
  const inMs = Math.round(dueInMs);
  const at = new Date(nowMs + inMs).toISOString();
  return { inMs, at, why: waits[0]?.why ?? 'nothing holds it back' };
}

function lastAttempt({ endedMs, ...attempt }: RememberedAttempt): LastAttempt {
  return { at: new Date(endedMs).toISOString(), ...attempt };
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
