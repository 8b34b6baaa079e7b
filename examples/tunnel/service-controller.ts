import {
  AlreadyOwnedError,
  AWAIT_CHANGE,
  type Channel,
  type Controller,
  controller,
  controllerOf,
  isConflict,
  isNotFound,
  keyOf,
  type ReconcileContext,
  type Service,
  services,
  splitKey,
} from 'chancery';
import { isManaged, MANAGE } from './managed.ts';
import type { Settings } from './settings.ts';
import { type Tunnel, tunnels } from './tunnel.ts';

/** The name that the original gives to what it makes. */
export const tunnelNameFor = (service: string): string => `${service}-tunnel`;

export interface ServiceControllerOptions {
  readonly settings: Settings;
  /** Told of the Tunnels that a change of a Service is about. */
  readonly changed: Channel;
}

/** Gives each Service that is ours a Tunnel of its own, and takes it away when it is not any more. */
export function serviceController({
  settings,
  changed,
}: ServiceControllerOptions): Controller<Service> {
  return controller({
    name: 'tunnel-services',
    for: services,
    owns: [tunnels],
    permissions: [{ resource: tunnels, verbs: ['delete'] }],
    async reconcile(key, service, context) {
      // A mapping sees the Service alone; here is a cache in which to look who refers to it.
      const { namespace = '', name } = splitKey(key);
      const all = context.store(tunnels).list({ namespace });
      changed.send(all.filter(({ spec }) => spec.serviceRef.name === name).map(keyOf));

      if (service === undefined || service.metadata.deletionTimestamp !== undefined) {
        return AWAIT_CHANGE; // its Tunnel goes with it, by the owner reference
      }
      const managed = isManaged(service, settings);
      if (managed === 'unreadable') {
        const note = `${MANAGE} is neither true nor false: nothing is changed`;
        context.event('Warning', 'InvalidAnnotation', note);
      } else if (managed) {
        await provide(service, all, context);
      } else {
        const { uid } = service.metadata;
        for (const tunnel of all) {
          if (controllerOf(tunnel)?.uid === uid) await withdraw(tunnel, context);
        }
      }
      return AWAIT_CHANGE;
    },
  });
}

async function provide(
  { metadata: { name, namespace } }: Service,
  all: readonly Tunnel[],
  { applyOwned, event }: ReconcileContext<Service>,
): Promise<void> {
  const tunnelName = tunnelNameFor(name);
  const serviceRef = { name, ...(namespace !== undefined && { namespace }) };
  try {
    await applyOwned(tunnels, {
      metadata: { name: tunnelName },
      spec: { serviceRef, updateServiceIP: true },
    });
  } catch (error) {
    if (!(error instanceof AlreadyOwnedError)) throw error;
    // Of an earlier Service of this name: it is on its way out, and the key comes back when it is gone.
    if (error.controller?.kind === 'Service' && error.controller.name === name) return;
    const known = all.find(({ metadata }) => metadata.name === tunnelName);
    if (known?.spec.serviceRef.name === name) return; // somebody made it by hand, for this Service
    event('Warning', 'NotOwned', `Tunnel ${tunnelName} belongs to somebody else: it is left alone`);
  }
}

async function withdraw(
  { metadata: { name, namespace, uid, deletionTimestamp } }: Tunnel,
  { client, event }: ReconcileContext<Service>,
): Promise<void> {
  if (deletionTimestamp !== undefined || uid === undefined) return;
  try {
    await client.delete(tunnels, { name, namespace }, { preconditions: { uid } });
    event('Normal', 'TunnelDeleted', `Tunnel ${name} is deleted: the Service asks for none`);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error; // gone, or another one by now
  }
}
