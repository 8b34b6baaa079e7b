import type { ReconcileContext } from 'chancery';
import { deployments, services } from 'chancery/kubernetes';
import { changeAddresses } from './address.ts';
import { clientDeployment, otherPorts, tcpPorts } from './client-deployment.ts';
import { ensureHost, type Facts, type HostOptions } from './host.ts';
import { isOurLoadBalancer } from './managed.ts';
import { NotYet, type Outcome } from './outcome.ts';
import { isPublisher } from './publisher.ts';
import type { Settings } from './settings.ts';
import { tokenSecretFor } from './token.ts';
import { serviceKeyOf, type Tunnel, tunnelsByService } from './tunnel.ts';
import { problemIn, problemWith } from './validity.ts';

export interface BringUpOptions extends HostOptions {
  readonly settings: Settings;
}

/**
 * Brings a Tunnel up: token, host, client, address of the Service. Each step looks first, and may have
 * been done before.
 *
 * @throws NotYet where it has to end before.
 */
export async function bringUp(
  tunnel: Tunnel,
  facts: Facts,
  context: ReconcileContext<Tunnel>,
  options: BringUpOptions,
): Promise<Outcome> {
  const { applyOwned, client, store } = context;
  const { settings } = options;
  const { namespace } = tunnel.metadata;
  const service = await usableService(tunnel, context, settings);
  const ports = tcpPorts(service);

  const host = await ensureHost(tunnel, ports, facts, context, options);
  const tokenSecret = tokenSecretFor(tunnel);
  facts.authTokenRef = { name: tokenSecret, ...(namespace !== undefined && { namespace }) };
  if (host.ip === undefined) {
    if (host.id !== tunnel.status?.hostId && facts.hostIP !== undefined) {
      // Of a host that is no more: by now it may be anybody's.
      await changeAddresses(client, service, { remove: [facts.hostIP] }, settings);
      delete facts.hostIP;
    }
    const message = `host ${host.id} is being made`;
    return { reason: 'Provisioning', message, requeueAfterMs: settings.pollMs };
  }

  const child = clientDeployment(tunnel, { hostIP: host.ip, ports, tokenSecret }, settings);
  const deployment = await applyOwned(deployments, child);
  const { name } = deployment.metadata;
  facts.clientDeploymentRef = { name, ...(namespace !== undefined && { namespace }) };

  // Before the status says so: the address that stood there before is known from the status alone.
  const all = store(tunnelsByService).byIndex('service', serviceKeyOf(tunnel));
  const isShown = isOurLoadBalancer(service, settings) && isPublisher(tunnel, all);
  const change = isShown
    ? { add: host.ip, remove: [facts.hostIP] }
    : { remove: [facts.hostIP, host.ip] };
  await changeAddresses(client, service, change, settings);
  facts.hostIP = host.ip;

  if ((deployment.status?.availableReplicas ?? 0) === 0) {
    const message = `Deployment ${name} is not available yet`;
    return { reason: 'ClientNotReady', message, requeueAfterMs: settings.checkMs };
  }
  const left = otherPorts(service);
  const but = left.length === 0 ? '' : `; not ${left.join(', ')}, for a tunnel carries TCP`;
  const message = `${host.ip} carries ports ${ports.join(', ')}${but}`;
  return { reason: 'Connected', message, ready: true, requeueAfterMs: settings.checkMs };
}

/** The Service as it is now: something outside the cluster is made and paid for because of it. */
async function usableService(
  tunnel: Tunnel,
  { client }: ReconcileContext<Tunnel>,
  { checkMs }: Settings,
) {
  const refusal = { warning: true, requeueAfterMs: checkMs };
  const problem = problemIn(tunnel);
  if (problem !== undefined) {
    throw new NotYet({ reason: 'InvalidSpec', message: problem, ...refusal });
  }
  const { name } = tunnel.spec.serviceRef;
  const service = await client.find(services, { name, namespace: tunnel.metadata.namespace });
  if (service === undefined) {
    const message = `there is no Service ${name}`;
    throw new NotYet({ reason: 'ServiceMissing', message, ...refusal });
  }
  const unusable = problemWith(service);
  if (unusable !== undefined) {
    throw new NotYet({ reason: 'NothingToCarry', message: unusable, ...refusal });
  }
  return service;
}
