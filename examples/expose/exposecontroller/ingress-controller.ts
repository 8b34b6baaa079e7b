import {
  controller,
  enqueueMapped,
  type GoneContext,
  isAlreadyExists,
  isNotFound,
  keyOf,
  messageOf,
  type ObjectKey,
  type Outcome,
  retryRefused,
  splitKey,
} from 'chancery';
import { configMaps, type Ingress, ingresses } from 'chancery/kubernetes';
import { configFor, isConfigMap } from './config.ts';
import { planIngress } from './ingress-plan.ts';
import {
  bareIngress,
  type Contribution,
  isAsWanted,
  isGenerated,
  mergedIngress,
} from './merged-ingress.ts';
import { ingressKeyOf, isToBeExposed, servicesByIngress } from './service-wish.ts';

type Context = Pick<GoneContext, 'client' | 'events' | 'self' | 'store'>;

/**
 * One Ingress for all Services that name it. The key is that of the Ingress, whether it exists or not:
 * a Service maps to the name that it contributes to, with its old state and with its new one.
 */
export const ingressController = controller({
  name: 'exposecontroller-ingress',
  for: ingresses,
  watches: [
    enqueueMapped(servicesByIngress, (service) => [ingressKeyOf(service)]),
    // The configuration concerns every Ingress, be it there or not.
    enqueueMapped(configMaps, ({ metadata }, { store }) =>
      isConfigMap(metadata.name)
        ? [
            ...store(ingresses).list().map(keyOf),
            ...store(servicesByIngress).list().map(ingressKeyOf),
          ]
        : [],
    ),
  ],
  permissions: [{ resource: ingresses, verbs: ['create', 'patch', 'delete'] }],

  reconcile: (live, context) => merge(context.key, live, context),
  gone: (key, context) => merge(key, undefined, context),
});

/** Makes the Ingress at `key` what its Services ask for. */
async function merge(
  key: ObjectKey,
  live: Ingress | undefined,
  context: Context,
): Promise<Outcome> {
  const { namespace = '', name } = splitKey(key);
  if (live !== undefined && (!isGenerated(live) || isGoing(live))) return;
  const config = configFor([namespace, context.self.namespace], context.store(configMaps));
  if (config === undefined || 'problem' in config) return;
  if (config.cleanup) {
    if (live !== undefined && name.includes(config.cleanupFilter)) await remove(live, context);
    return;
  }
  if (config.exposer !== 'Ingress') {
    if (live !== undefined) await remove(live, context);
    return;
  }
  const asking = context
    .store(servicesByIngress)
    .byIndex('ingress', key)
    .filter((service) => isToBeExposed(service, config))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((service) => ({ service, ...planIngress(service, config) }));
  // A Service that asks for something impossible keeps its Ingress until the request is corrected.
  if (asking.some(({ refusal }) => refusal !== undefined)) return;
  const contributions = asking.filter((each): each is Contribution => each.plan !== undefined);
  if (contributions.length > 0) {
    return write(mergedIngress(namespace, name, contributions), live, contributions, context);
  }
  if (live !== undefined) await remove(live, context);
}

async function write(
  wanted: Ingress,
  live: Ingress | undefined,
  contributions: readonly Contribution[],
  { client, events }: Context,
): Promise<Outcome> {
  if (live !== undefined && isAsWanted(live, wanted)) return;
  try {
    // A POST takes over nothing of what somebody has made under this name this very moment.
    const { metadata } = live ?? (await client.create(ingresses, bareIngress(wanted)));
    const { uid = '' } = metadata;
    const body = { ...wanted, metadata: { ...wanted.metadata, uid } };
    await client.applyExisting(ingresses, body, { force: true });
    return;
  } catch (error) {
    if (isAlreadyExists(error)) return; // its arrival brings us back
    const next = retryRefused(error);
    for (const { service: regarding } of contributions) {
      const reason = 'IngressRejected';
      events.record({
        regarding,
        type: 'Warning',
        reason,
        action: 'Expose',
        note: messageOf(error),
      });
    }
    return next;
  }
}

async function remove(live: Ingress, { client }: Context): Promise<void> {
  const { uid = '' } = live.metadata;
  try {
    await client.delete(ingresses, live.metadata, { preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function isGoing({ metadata }: Ingress): boolean {
  return metadata.deletionTimestamp !== undefined;
}
