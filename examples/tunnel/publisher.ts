import { controllerOf } from 'chancery';
import { isService, type Tunnel, uidOf } from './tunnel.ts';

/**
 * Whether it is this Tunnel whose address its Service shows. Of several the one that was made for the
 * Service does, or else the oldest: they would take the address from each other for ever.
 *
 * @param all - the Tunnels for its Service.
 */
export function isPublisher(tunnel: Tunnel, all: readonly Tunnel[]): boolean {
  const [first] = all
    .filter(({ spec }) => spec.updateServiceIP === true)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((candidate) => ({ uid: uidOf(candidate), rank: rankOf(candidate) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return first?.uid === uidOf(tunnel);
}

/** True when it was made for its Service, and not by hand. */
export const isGenerated = (tunnel: Tunnel): boolean => isService(controllerOf(tunnel));

function rankOf(tunnel: Tunnel): string {
  return `${isGenerated(tunnel) ? 0 : 1} ${tunnel.metadata.creationTimestamp} ${uidOf(tunnel)}`;
}
