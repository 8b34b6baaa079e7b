import { rfc3339Micro } from 'chancery/low-level';
import type { ChaosPlan, ChaosStatus } from './chaos-plan.ts';

export type Eviction = NonNullable<ChaosStatus['evictions']>[number];

/** A slot that is missed by more than this is not made up for. */
const LATE_MS = 60_000;

/** When a plan may evict: everything that it knows is in the status, and outlives the process. */
export interface Schedule {
  /** Of the last interval. */
  readonly recent: readonly Eviction[];
  /** When to evict next, and no sooner. */
  readonly nextMs: number;
}

/** @param random - uniform in [0, 1). */
export function scheduleOf(
  { spec, status }: ChaosPlan,
  nowMs: number,
  random: () => number,
): Schedule {
  const intervalMs = spec.intervalSeconds * 1_000;
  const recent = (status?.evictions ?? [])
    // A clock that was set back makes the last eviction one of the future: it was just now.
    .map((each) => ({ ...each, time: rfc3339Micro(Math.min(Date.parse(each.time), nowMs)) }))
    .filter(({ time }) => nowMs - Date.parse(time) < intervalMs);
  const drawn = Date.parse(status?.nextEvictionTime ?? '');
  const isUsable = drawn >= nowMs - LATE_MS && drawn <= nowMs + farthestMs(spec);
  const nextMs = isUsable ? drawn : drawNext(spec, nowMs, random);
  return { recent, nextMs: Math.max(nextMs, freeAt(spec, recent)) };
}

/**
 * A moment that nobody can foresee: around the middle of every slot, of which an interval has as many as
 * evictions. Never at once, so that neither a new plan nor a new process is an eviction.
 */
export function drawNext(spec: ChaosPlan['spec'], nowMs: number, random: () => number): number {
  return nowMs + slotMs(spec) * (0.5 + random());
}

/** When the limit allows the next one. */
export function freeAt(
  { intervalSeconds, maxEvictions }: ChaosPlan['spec'],
  recent: readonly Eviction[],
): number {
  const first = recent.at(-maxEvictions);
  if (first === undefined || recent.length < maxEvictions) return Number.NEGATIVE_INFINITY;
  return Date.parse(first.time) + intervalSeconds * 1_000;
}

function slotMs({ intervalSeconds, maxEvictions }: ChaosPlan['spec']): number {
  return (intervalSeconds * 1_000) / Math.max(maxEvictions, 1);
}

/** Nothing is drawn beyond: a time that is was drawn for another plan, or by a clock that went wrong. */
function farthestMs(spec: ChaosPlan['spec']): number {
  return Math.max(slotMs(spec) * 1.5, spec.intervalSeconds * 1_000);
}
