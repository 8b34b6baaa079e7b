import type { KubernetesObject } from 'chancery';
import type { JsonPatchOperation } from 'chancery/internal';

/** The address and the trusted bundle of a webhook. */
interface ClientConfig {
  readonly caBundle?: string;
  readonly service?: { readonly name?: string; readonly namespace?: string };
}

/** A webhook configuration, or a definition whose versions are converted by a webhook. */
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

/**
 * The bundles of an object: one for each of its webhooks, or for its conversion, if it calls this
 * Service. An item is undefined where a bundle is missing.
 */
export function bundlesIn(
  object: TrustingObject,
  service: ServicePlace,
): readonly (string | undefined)[] {
  return configsFor(object, service).map(({ config: { caBundle } }) =>
    caBundle === undefined ? undefined : textOf(caBundle),
  );
}

/**
 * The JSON patch that writes the bundle wherever the object calls this Service. The patch changes
 * no other field, and is empty when the object already contains the bundle. Each change tests the
 * Service at its path, because the configuration may have changed in the meantime.
 *
 * With a JSON patch, this program owns only the bundle. With server-side apply, it would also own
 * the webhooks. Their installer could then not apply the configuration without a conflict.
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

/** The paths of all `clientConfig` fields in the object that refer to this Service. */
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
