import type { ConnectOptions } from '../../client/connection.ts';
import { leaseNameOf } from '../../controller/controller.ts';
import type { Log } from '../../controller/reconciler.ts';
import { boundedText } from '../../core/visible-text.ts';
import type { Placement } from '../../generate/placement.ts';
import type { Settings } from './settings.ts';

/**
 * How the clients of a manager are set up: a field that the API server does not know is an error in
 * development and in tests, elsewhere it is dropped and said; what the server warns of is logged once.
 */
export function connectOptions(
  { strictFields }: Pick<Settings, 'strictFields'>,
  log: Log,
): Pick<ConnectOptions, 'fieldValidation' | 'onWarning'> {
  return {
    fieldValidation: strictFields ? 'Strict' : 'Warn',
    onWarning: (warning) => log.warn({ warning: boundedText(warning) }, 'the API server warns'),
  };
}

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
