import { type Controller, controller, enqueueMapped, generationChanged, keyOf } from 'chancery';
import { deployments, secrets, services } from 'chancery/kubernetes';
import { bringUp } from './bring-up.ts';
import { giveBack } from './give-back.ts';
import type { Facts } from './host.ts';
import { type Outcome, outcomeOf, report } from './outcome.ts';
import { type Provisioner, ProvisionerError } from './provisioner/provisioner.ts';
import { isGenerated } from './publisher.ts';
import type { Settings } from './settings.ts';
import { GROUP, type Tunnel, tunnels, tunnelsByService } from './tunnel.ts';

export interface TunnelControllerOptions {
  readonly provisioner: Provisioner;
  readonly settings: Settings;
}

/** Brings up what a Tunnel says: token, host, client, and the address of its Service. */
export function tunnelController(options: TunnelControllerOptions): Controller<Tunnel> {
  const { settings } = options;
  return controller({
    name: 'tunnels',
    for: tunnelsByService,
    predicate: generationChanged, // its own status is no news
    owns: [deployments],
    watches: [
      enqueueMapped(services, ({ metadata }, { store }) =>
        store(tunnelsByService).byIndex('service', metadata).map(keyOf),
      ),
    ],
    permissions: [
      { resource: tunnels, verbs: ['get'] },
      { resource: services, verbs: ['get', ...(settings.externalIPs ? ['patch' as const] : [])] },
      { resource: services, subresource: 'status', verbs: ['patch'] },
      { resource: secrets, verbs: ['get', 'create'] },
    ],
    finalizer: {
      name: `${GROUP}/host`,
      finalize: (tunnel, context) => giveBack(tunnel, context, options),
    },
    queue: { backoff: { maxMs: 300_000 } }, // a host is paid for until a provider that was down takes it back
    maxConcurrentReconciles: 4, // a provider that is slow for one Tunnel must not hold up the others
    async reconcile(tunnel, context) {
      const facts: Facts = { ...factsOf(tunnel), generated: isGenerated(tunnel) };
      let outcome: Outcome | undefined;
      let failure: unknown;
      try {
        outcome = await bringUp(tunnel, facts, context, options);
      } catch (error) {
        failure = error;
        outcome = outcomeOf(error, settings.checkMs);
      }
      if (outcome === undefined) throw failure;
      await report(tunnel, facts, outcome, context);
      if (failure instanceof ProvisionerError) throw failure; // again, with back-off
      return { ...outcome.retry, requeueAfterMs: outcome.requeueAfterMs };
    },
  });
}

/** What the last pass knew, which is what is known until this one has found out more. */
function factsOf({ status = {} }: Tunnel): Facts {
  const { conditions: _, observedGeneration: __, ...facts } = status;
  return facts;
}
