import { type Placement, POD_NAMESPACE } from '../placement.ts';
import type { ManifestsOptions } from './manifests-options.ts';

/** The Lease of an operator of this name: not that of another one in the same namespace. */
export function leaseName(name: string): string {
  return `${name}-leader`;
}

/** The election's part of a placement. */
export function electionOf({
  name,
  leaderElection,
}: ManifestsOptions): Pick<Placement, 'leaderElection'> {
  if (!leaderElection) return {};
  return { leaderElection: { namespace: POD_NAMESPACE, leaseName: leaseName(name) } };
}
