import type { KubernetesObject } from 'chancery';

/** How the API server reaches a webhook. */
interface ClientConfig {
  readonly caBundle?: string;
  readonly service?: { readonly name?: string; readonly namespace?: string };
}

/** A webhook configuration, or a definition whose versions a webhook converts. */
export interface TrustingObject extends KubernetesObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig?: ClientConfig }[];
  readonly spec?: {
    readonly conversion?: {
      readonly strategy?: string;
      readonly webhook?: { readonly clientConfig?: ClientConfig };
    };
  };
}

/** The Service of the gate. */
export interface ServicePlace {
  readonly name: string;
  readonly namespace: string;
}

/** The bundles in the object for this Service, as text; undefined for each place without one. */
export function bundlesIn(
  object: TrustingObject,
  service: ServicePlace,
): readonly (string | undefined)[] {
  const configs = [
    ...(object.webhooks ?? []).map(({ clientConfig }) => clientConfig),
    convertingConfig(object),
  ];
  return configs
    .filter((config) => config !== undefined)
    .filter((config) => isFor(config, service))
    .map(({ caBundle }) => (caBundle === undefined ? undefined : textOf(caBundle)));
}

/**
 * What is applied to give the object this bundle: these fields, and nothing else of the object. Undefined when nothing in it
 * is for this Service.
 */
export function trustPatch(
  object: TrustingObject,
  service: ServicePlace,
  bundle: string,
): KubernetesObject | undefined {
  const caBundle = Buffer.from(bundle).toString('base64');
  const { apiVersion, kind, metadata, webhooks = [] } = object;
  const { name, uid } = metadata;
  const identity = { apiVersion, kind, metadata: { name, ...(uid !== undefined && { uid }) } };
  const named = webhooks
    .filter(({ clientConfig }) => isFor(clientConfig, service))
    .map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } }));
  if (named.length > 0) return { ...identity, ...{ webhooks: named } };
  if (!isFor(convertingConfig(object), service)) return undefined;
  const conversion = { strategy: 'Webhook', webhook: { clientConfig: { caBundle } } };
  return { ...identity, ...{ spec: { conversion } } };
}

function convertingConfig({ spec }: TrustingObject): ClientConfig | undefined {
  const { strategy, webhook } = spec?.conversion ?? {};
  return strategy === 'Webhook' ? webhook?.clientConfig : undefined;
}

function isFor(config: ClientConfig | undefined, { name, namespace }: ServicePlace): boolean {
  return config?.service?.name === name && config.service.namespace === namespace;
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}
