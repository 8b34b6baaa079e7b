import { type Client, controller, enqueueMapped, keyOf, type Outcome } from 'chancery';
import {
  configMaps,
  deployments,
  ingresses,
  nodes,
  type Service,
  services,
} from 'chancery/kubernetes';
import { type Config, configFor, isConfigMap } from './config.ts';
import { exposureOf, NO_NODE_ADDRESS } from './exposure.ts';
import { configMapsOf, inject } from './inject.ts';
import { servicesNamedBy } from './injected-data.ts';
import { giveBack, report } from './report.ts';
import { ingressKeyOf, ingressNameOf, isToBeExposed, servicesByIngress } from './service-wish.ts';

/** A Service's own part: its type, the annotations that tell of it, and who wants to know its URL. */
export const serviceController = controller({
  name: 'exposecontroller',
  for: servicesByIngress,
  watches: [
    enqueueMapped(ingresses, ({ metadata }, { store }) =>
      store(servicesByIngress).byIndex('ingress', metadata).map(keyOf),
    ),
    enqueueMapped(configMaps, (configMap, { store }) => {
      const { name, namespace } = configMap.metadata;
      if (isConfigMap(name)) return store(servicesByIngress).list().map(keyOf);
      return servicesNamedBy(configMap).map((each) => ({ namespace, name: each }));
    }),
    enqueueMapped(deployments, (deployment) =>
      configMapsOf(deployment).map((name) => ({
        namespace: deployment.metadata.namespace,
        name,
      })),
    ),
  ],
  permissions: [
    { resource: services, verbs: ['patch'] },
    { resource: configMaps, verbs: ['patch'] },
    { resource: deployments, verbs: ['patch'] },
    { resource: nodes, verbs: ['list'] }, // NodePort without node-ip
  ],

  async reconcile(service, context): Promise<Outcome> {
    if (service.metadata.deletionTimestamp !== undefined) {
      return; // its Ingress names it as an owner, and goes with it
    }
    const { namespace = '' } = service.metadata;
    const { client, store, self } = context;
    const config = configFor([namespace, self.namespace], store(configMaps));
    if (config === undefined || 'problem' in config) return;
    if (!isToBeExposed(service, config) || isCleanedUp(service, config)) {
      await giveBack(service, context);
      return;
    }
    const ingress = store(ingresses).get(ingressKeyOf(service));
    const nodeIp = config.exposer === 'NodePort' ? await nodeAddress(config, client) : undefined;
    const exposure = exposureOf(service, config, { ingress, nodeIp });
    if (exposure === undefined) return; // its Ingress is on its way, and wakes it
    if (exposure.type === 'NodePort' && (service.spec?.externalIPs ?? []).length > 0) {
      const body = { metadata: { uid: service.metadata.uid }, spec: { externalIPs: null } };
      await client.patch(services, service.metadata, { type: 'merge', body });
    }
    await report(service, exposure, context);
    const refused = await inject(service, exposure.url, config, context);
    const looksAgain = exposure.problem?.reason === NO_NODE_ADDRESS;
    return looksAgain ? { ...refused, ...LOOK_FOR_NODES } : refused;
  },
});

/** Nodes change all the time, and are not watched for the one that may come. */
const LOOK_FOR_NODES = { requeueAfterMs: 60_000 };

function isCleanedUp(service: Service, { cleanup, cleanupFilter }: Config): boolean {
  return cleanup && ingressNameOf(service).includes(cleanupFilter);
}

/** A node port is open on every node: with several, a person has to say which address is meant. */
async function nodeAddress({ nodeIp }: Config, client: Client): Promise<string | undefined> {
  if (nodeIp !== undefined) return nodeIp;
  const [node, ...others] = await client.list(nodes);
  if (node === undefined || others.length > 0) return undefined;
  const { addresses = [] } = node.status ?? {};
  const external = node.metadata.annotations?.['fabric8.io/externalIP'];
  const of = (wanted: string) => addresses.find(({ type }) => type === wanted)?.address;
  return external ?? of('ExternalIP') ?? of('InternalIP');
}
