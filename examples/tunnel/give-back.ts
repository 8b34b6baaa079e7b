import type { ReconcileContext } from 'chancery';
import { services } from 'chancery/kubernetes';
import { changeAddresses } from './address.ts';
import { type Provisioner, ProvisionerError } from './provisioner/provisioner.ts';
import type { Settings } from './settings.ts';
import { type Tunnel, uidOf } from './tunnel.ts';

/**
 * Takes the address from the Service, and then gives the host back: what is still shown would lead to
 * whoever gets that address next. The status may not know the host, if nothing could be written after
 * it was made; the provisioner does.
 */
export async function giveBack(
  tunnel: Tunnel,
  context: ReconcileContext<Tunnel>,
  { provisioner, settings }: { readonly provisioner: Provisioner; readonly settings: Settings },
): Promise<void> {
  const { attempt, client, event } = context;
  const { metadata, spec, status } = tunnel;
  try {
    const host = await provisioner.find(uidOf(tunnel), context);
    const remove = [status?.hostIP, host?.ip].filter((ip) => ip !== undefined);
    const target = { name: spec.serviceRef.name, namespace: metadata.namespace };
    const service = remove.length === 0 ? undefined : await client.find(services, target);
    if (service !== undefined) await changeAddresses(client, service, { remove }, settings);
    await provisioner.remove(uidOf(tunnel), context);
    if (host !== undefined) event('Normal', 'HostRemoved', `host ${host.id} is given back`);
  } catch (error) {
    if (error instanceof ProvisionerError && attempt === 0) {
      event('Warning', 'HostNotRemoved', error.message, 'Finalize');
    }
    throw error;
  }
}
