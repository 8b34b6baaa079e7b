import { controllerOf } from 'chancery';
import { type Tunnel, uidOf } from './tunnel.ts';

/**
 * Whether it is this Tunnel whose address its Service shows. Of several for one Service it is the one
 * that was made for it, or else the oldest: they would take the address from each other for ever.
 */
export function isPublisher(tunnel: Tunnel, all: readonly Tunnel[]): boolean {
  const { name } = tunnel.spec.serviceRef;
  const [first] = all
    .filter(({ spec }) => spec.serviceRef.name === name && spec.updateServiceIP === true)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((candidate) => ({ uid: uidOf(candidate), rank: rankOf(candidate) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return first?.uid === uidOf(tunnel);
}

function rankOf(tunnel: Tunnel): string {
  const isGenerated = controllerOf(tunnel)?.kind === 'Service';
  return `${isGenerated ? 0 : 1} ${tunnel.metadata.creationTimestamp} ${uidOf(tunnel)}`;
}
