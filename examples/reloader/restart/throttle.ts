/** A limit for all restarts of the process together. */
import type { RestartGate } from './gate.ts';

export interface ThrottleOptions {
  /** Restarts in a second, on the average. */
  readonly perSecond: number;
  /** Restarts that may begin at once after a quiet time. */
  readonly burst: number;
}

/** A turn that nobody has used for this long is given up: its workload is gone, or needs no restart. */
const UNUSED_TURN_MS = 60_000;

/**
 * A token bucket. A workload that asks gets the time of its turn at once, in the order of asking, and is asked to
 * come again then: however many wait, each asks twice.
 *
 * A turn belongs to its workload until `restarted`, or until a minute after its time. So a restart of several steps
 * takes one turn, and so does one that fails and is tried again within the minute.
 *
 * The bucket is in memory. A new process begins with a full one.
 */
export function throttleGate({ perSecond, burst }: ThrottleOptions): RestartGate {
  const intervalMs = 1_000 / perSecond;
  /** By uid: when the workload may restart. */
  const turns = new Map<string, number>();
  /** When the bucket is full again, as the generic cell rate algorithm counts it. */
  let fullAtMs = Number.NEGATIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;

  const turnOf = (uid: string, nowMs: number): number => {
    if (nowMs < lastMs) {
      // The clock of the machine was set back: turns would be that far away.
      turns.clear();
      fullAtMs = Number.NEGATIVE_INFINITY;
    }
    lastMs = nowMs;
    const known = turns.get(uid);
    if (known !== undefined && nowMs <= known + UNUSED_TURN_MS) return known;
    giveUpTurns(turns, nowMs);
    fullAtMs = Math.max(fullAtMs, nowMs) + intervalMs;
    const turnMs = Math.max(nowMs, fullAtMs - burst * intervalMs);
    turns.set(uid, turnMs);
    return turnMs;
  };

  return {
    isPace: true,
    leftMs({ workload }, nowMs) {
      const leftMs = turnOf(workload.metadata.uid ?? workload.metadata.name, nowMs) - nowMs;
      if (leftMs <= 0) return undefined;
      // No Event: under a limit, waiting is what a restart normally does.
      return { waitMs: Math.max(Math.ceil(leftMs), 1), reason: 'throttle' };
    },
    restarted({ workload }) {
      turns.delete(workload.metadata.uid ?? workload.metadata.name);
    },
  };
}

/** Turns are in the order of their times, so those to give up come first. */
function giveUpTurns(turns: Map<string, number>, nowMs: number): void {
  for (const [uid, turnMs] of turns) {
    if (nowMs <= turnMs + UNUSED_TURN_MS) return;
    turns.delete(uid);
  }
}
