import {
  AlreadyOwnedError,
  type Controller,
  childName,
  controller,
  keyOf,
  type ReconcileContext,
} from 'chancery';
import { type Service, services } from 'chancery/kubernetes';
import { isManaged, MANAGE } from './managed.ts';
import type { Settings } from './settings.ts';
import { isService, tunnels, tunnelsByService } from './tunnel.ts';

/** The name that the original gives to what it makes. */
export const tunnelNameFor = (service: string): string => childName(service, { suffix: 'tunnel' });

/** Gives each Service that is ours a Tunnel of its own, and takes it away when it is not any more. */
export function serviceController(settings: Settings): Controller<Service> {
  return controller({
    name: 'tunnel-services',
    for: services,
    owns: [tunnelsByService],
    permissions: [{ resource: tunnels, verbs: ['delete'] }],
    async reconcile(service, context) {
      if (service.metadata.deletionTimestamp !== undefined) {
        return; // its Tunnel goes with it, by the owner reference
      }
      const managed = isManaged(service, settings);
      if (managed === 'unreadable') {
        const note = `${MANAGE} is neither true nor false: nothing is changed`;
        context.event('Warning', 'InvalidAnnotation', note);
      } else if (managed) await provide(service, context);
      else await withdraw(service, context);
    },
  });
}

async function provide(
  service: Service,
  { applyOwned, event, store }: ReconcileContext<Service>,
): Promise<void> {
  const { name, namespace } = service.metadata;
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
    if (isService(error.controller) && error.controller.name === name) return;
    const ofIt = store(tunnelsByService).byIndex('service', keyOf(service));
    if (ofIt.some(({ metadata }) => metadata.name === tunnelName)) return; // made by hand, for it
    event('Warning', 'NotOwned', `Tunnel ${tunnelName} belongs to somebody else: it is left alone`);
  }
}

async function withdraw(
  { metadata }: Service,
  { deleteOwned, event }: ReconcileContext<Service>,
): Promise<void> {
  const name = tunnelNameFor(metadata.name);
  if (await deleteOwned(tunnels, { name })) {
    event('Normal', 'TunnelDeleted', `Tunnel ${name} is deleted: the Service asks for none`);
  }
}
