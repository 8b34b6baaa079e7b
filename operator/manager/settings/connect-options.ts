import type { Placement } from '../../access/placement.ts';
import type { ConnectOptions } from '../../client/connection.ts';
import { leaseNameOf } from '../../controller/controller.ts';
import type { Log } from '../../controller/reconciler.ts';
import { boundedText } from '../../core/text/visible-text.ts';
import type { Settings } from './settings.ts';

/**
 * Options of a manager's clients. If `strictFields` is set, as in development and in tests, a field that the
 * API server does not know is an error. Otherwise the server drops the field and sends a warning, which is
 * logged.
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

/**
 * Where the operator runs according to its settings: namespaces of sources, installed definitions, election.
 */
export function placementOf(
  { namespaces, leaderElection, sharding, installCrds }: Settings,
  /** Controllers and runnables. Those that need leadership determine the name of the Lease. */
  declared: readonly { readonly name: string; readonly needsLeaderElection?: boolean }[],
): Placement {
  const election = sharding ?? leaderElection;
  const guarded = declared.filter(({ needsLeaderElection = true }) => needsLeaderElection);
  return {
    namespaces,
    installCrds,
    ...(election && {
      leaderElection: {
        namespace: election.leaseNamespace,
        leaseName: election.leaseName ?? leaseNameOf(guarded),
        ...(sharding && { sharded: true }),
      },
    }),
  };
}
