import { createHash } from 'node:crypto';
import { messageOf, type ReconcileContext, type RefusedResult, retryRefused } from 'chancery';
import {
  type ConfigMap,
  configMaps,
  type Deployment,
  deployments,
  type Service,
} from 'chancery/kubernetes';
import type { Config } from './config.ts';
import { injectedData, servicesNamedBy } from './injected-data.ts';

type Context = ReconcileContext<Service>;

/** Deployments that are to be rolled when a ConfigMap changes, by name, with commas between them. */
const UPDATE_ON_CHANGE = 'configmap.fabric8.io/update-on-change';

/**
 * Tells the ConfigMaps of the namespace what they want to know, and rolls who reads the Service's own.
 * Resolves to when to try again where one was refused.
 */
export async function inject(
  service: Service,
  url: string | undefined,
  config: Config,
  context: Context,
): Promise<RefusedResult | undefined> {
  const { name, namespace = '' } = service.metadata;
  let refused: RefusedResult | undefined;
  for (const configMap of context.store(configMaps).list({ namespace })) {
    if (!servicesNamedBy(configMap).includes(name)) continue;
    const wanted = injectedData(configMap, service, url, config);
    if (Object.keys(wanted).length === 0) continue;
    const { data, retry } = await write(configMap, wanted, context);
    refused ??= retry;
    if (configMap.metadata.name === name) await roll(name, data, namespace, context);
  }
  return refused;
}

/** Only the keys that differ are sent; with the uid, so that another ConfigMap of that name is not meant. */
async function write(
  configMap: ConfigMap,
  wanted: Readonly<Record<string, string>>,
  { client, events }: Context,
): Promise<Written> {
  const { metadata, data = {} } = configMap;
  const different = Object.entries(wanted).filter(([key, value]) => data[key] !== value);
  if (different.length === 0) return { data };
  const body = { metadata: { uid: metadata.uid }, data: Object.fromEntries(different) };
  try {
    await client.patch(configMaps, metadata, { type: 'merge', body });
    return { data: { ...data, ...wanted } };
  } catch (error) {
    const retry = retryRefused(error); // an immutable one, for example
    const reason = 'InjectionRejected';
    const note = messageOf(error);
    events.record({ regarding: configMap, type: 'Warning', reason, action: 'Inject', note });
    return { data, retry };
  }
}

interface Written {
  readonly data: Readonly<Record<string, string>>;
  readonly retry?: RefusedResult;
}

async function roll(
  configMap: string,
  data: Readonly<Record<string, string>>,
  namespace: string,
  { store, client }: Context,
): Promise<void> {
  const env = { name: environmentNameOf(configMap), value: digestOf(data) };
  for (const deployment of store(deployments).list({ namespace })) {
    if (!configMapsOf(deployment).includes(configMap)) continue;
    const { containers = [] } = deployment.spec?.template.spec ?? {};
    const late = containers.filter(
      (container) =>
        container.env?.some(({ name, value }) => name === env.name && value === env.value) !== true,
    );
    if (late.length === 0) continue;
    const spec = { containers: late.map(({ name }) => ({ name, env: [env] })) };
    const body = { metadata: { uid: deployment.metadata.uid }, spec: { template: { spec } } };
    await client.patch(deployments, deployment.metadata, { type: 'strategic', body });
  }
}

export function configMapsOf({ metadata }: Pick<Deployment, 'metadata'>): readonly string[] {
  const text = metadata.annotations?.[UPDATE_ON_CHANGE] ?? '';
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function environmentNameOf(configMap: string): string {
  const words = configMap.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return `FABRIC8_${words.replace(/^_/, '')}_CONFIGMAP`;
}

/** The same for the same data, in whatever order; and short, where the original put all of the text. */
function digestOf(data: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
