/** How many Nodes may reboot at a time, and whose turn it is. */
import type { KubernetesObject } from 'chancery';
import { hasTimedOut, type State, stateOf } from './state.ts';

/** Whether a Node has one of the places, wants one, or has nothing to do with them. */
export type Place = 'held' | 'wanted' | 'none';

const HOLDING: ReadonlySet<State> = new Set([
  'BeforeReboot',
  'Withdrawn',
  'Rebooting',
  'Rebooted',
  'AfterReboot',
]);

export function placeOf(node: KubernetesObject): Place {
  const state = stateOf(node);
  if (state === 'Waiting') return 'wanted';
  return HOLDING.has(state) && !hasTimedOut(node) ? 'held' : 'none';
}

/**
 * Places that are free. A Node counts once, however many reasons there are to count it, and more Nodes than
 * places (by hand, or by a smaller setting than yesterday's) leave none, not fewer than none.
 */
export function freePlaces(nodes: readonly KubernetesObject[], maxRebooting: number): number {
  const held = nodes.filter((node) => placeOf(node) === 'held').length;
  return Math.max(0, maxRebooting - held);
}

/**
 * Who goes first, when `node` has timed out before and is to stand back; empty when it is its turn. What
 * has failed once must not take the place again and again from those that have not tried.
 *
 * @param nodes - all that hold or want a place.
 */
export function aheadOf<T extends KubernetesObject>(
  node: T,
  nodes: readonly T[],
  free: number,
): readonly T[] {
  if (!hasTimedOut(node)) return [];
  const fresh = nodes.filter((other) => placeOf(other) === 'wanted' && !hasTimedOut(other));
  return fresh.length < free ? [] : fresh;
}
