/** How many Nodes may reboot at a time, and whose turn it is. */
import { type Predicate, type Source, source } from 'chancery';
import { type Node, nodes } from 'chancery/kubernetes';
import type { Store } from 'chancery/low-level';
import type { WithMetadata } from './protocol.ts';
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

/** All that counts is in labels and annotations: of a Node's status, which is most of it, nothing is kept. */
export const nodeSource: Source<Node> = source(nodes, {
  metadataOnly: true,
  indexes: { place: (node) => [placeOf(node)] },
});

export function placeOf(node: WithMetadata): Place {
  const state = stateOf(node);
  if (state === 'Waiting') return 'wanted';
  return HOLDING.has(state) && !hasTimedOut(node) ? 'held' : 'none';
}

export function heldIn(store: Store<Node>): readonly Node[] {
  return store.byIndex('place', 'held');
}

/** By name, as the original takes them. */
export function waitingIn(store: Store<Node>): readonly Node[] {
  const found = store.byIndex('place', 'wanted');
  return found.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/**
 * Places that are free. A Node counts once, however many reasons there are to count it, and more Nodes than
 * places (by hand, or by a smaller setting than yesterday's) leave none, not fewer than none.
 */
export function freePlaces(nodes: readonly WithMetadata[], maxRebooting: number): number {
  const held = nodes.filter((node) => placeOf(node) === 'held').length;
  return Math.max(0, maxRebooting - held);
}

/** A Node gives way: it gives its place back, or does not want one any more. It may be the turn of another. */
export const givesWay: Predicate<Node> = (event) => {
  switch (event.type) {
    case 'update': {
      const [before, after] = [placeOf(event.old), placeOf(event)];
      return before !== 'none' && after !== 'held' && before !== after;
    }
    case 'delete':
      return placeOf(event) !== 'none';
    default:
      return false;
  }
};

/**
 * Whether `node`, which has timed out before, leaves the places to others: what has failed once must not
 * take them again and again from those that have not tried.
 *
 * @param waiting - all that want a place.
 */
export function standsBack(
  node: WithMetadata,
  waiting: readonly WithMetadata[],
  free: number,
): boolean {
  return hasTimedOut(node) && waiting.filter((other) => !hasTimedOut(other)).length >= free;
}
