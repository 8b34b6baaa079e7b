import type { KubernetesObject } from 'chancery';
import type { JsonPatchOperation } from 'chancery/internal';

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
  return configsFor(object, service).map(({ config: { caBundle } }) =>
    caBundle === undefined ? undefined : textOf(caBundle),
  );
}

/**
 * What gives the object this bundle, wherever it calls this Service: these fields change, and nothing else of the object.
 * Empty when nothing in it does. Each change names what it was made for, because a configuration can have changed since.
 *
 * A JSON patch owns the bundle and no more. A server-side apply would own the webhook beside its installer, who could then
 * not apply the configuration without it.
 */
export function trustPatch(
  object: TrustingObject,
  service: ServicePlace,
  bundle: string,
): readonly JsonPatchOperation[] {
  const value = Buffer.from(bundle).toString('base64');
  const changes = configsFor(object, service).flatMap(({ path, config }): JsonPatchOperation[] => [
    { op: 'test', path: `${path}/service/name`, value: config.service?.name },
    { op: 'test', path: `${path}/service/namespace`, value: config.service?.namespace },
    { op: 'add', path: `${path}/caBundle`, value },
  ]);
  if (changes.length === 0) return [];
  return [{ op: 'test', path: '/metadata/uid', value: object.metadata.uid }, ...changes];
}

/** Where the object calls this Service. */
function configsFor(
  object: TrustingObject,
  service: ServicePlace,
): readonly { readonly path: string; readonly config: ClientConfig }[] {
  const all = [
    ...(object.webhooks ?? []).map(({ clientConfig: config }, at) => ({
      path: `/webhooks/${at}/clientConfig`,
      config,
    })),
    { path: '/spec/conversion/webhook/clientConfig', config: convertingConfig(object) },
  ];
  return all.flatMap(({ path, config }) =>
    config !== undefined && isFor(config, service) ? [{ path, config }] : [],
  );
}

function convertingConfig({ spec }: TrustingObject): ClientConfig | undefined {
  const { strategy, webhook } = spec?.conversion ?? {};
  return strategy === 'Webhook' ? webhook?.clientConfig : undefined;
}

function isFor({ service }: ClientConfig, { name, namespace }: ServicePlace): boolean {
  return service?.name === name && service.namespace === namespace;
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}
