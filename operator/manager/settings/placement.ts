import { leaseNameOf } from '../../controller/lease-name.ts';
import type { Placement } from '../../generate/placement.ts';
import type { Settings } from './settings.ts';

/** Where the settings put sources that leave their namespace to them, and what else they bring. */
export function placementOf(
  { namespaces, leaderElection, installCrds }: Settings,
  /** Controllers and runnables: those that need leadership name the Lease. */
  declared: readonly { readonly name: string; readonly needsLeaderElection?: boolean }[],
): Placement {
  const guarded = declared.filter(({ needsLeaderElection = true }) => needsLeaderElection);
  return {
    namespaces,
    installCrds,
    ...(leaderElection && {
      leaderElection: {
        namespace: leaderElection.leaseNamespace,
        leaseName: leaderElection.leaseName ?? leaseNameOf(guarded),
      },
    }),
  };
}
