import type { Cluster } from '../../cluster/cluster.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import type { WebhookAddress } from '../../webhooks/webhook-client.ts';

/** One webhook of a configuration. */
export interface Webhook {
  readonly configuration: string;
  readonly name: string;
  readonly spec: Json;
  readonly clientConfig: WebhookAddress;
  /** False for `failurePolicy: Ignore`. */
  readonly failsClosed: boolean;
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/**
 * All webhooks in the configurations of one kind. The configurations are sorted by name. The webhooks of a
 * configuration keep their order.
 */
export function webhooksOf({ storage }: Cluster, configurations: ResourceName): readonly Webhook[] {
  return storage.list(configurations).flatMap((configuration) => known(configuration));
}

/**
 * The webhooks of each configuration, keyed by the stored object. Every change of a configuration stores a
 * new object, so entries never become stale.
 */
const cached = new WeakMap<StoredObject, readonly Webhook[]>();

function known(configuration: StoredObject): readonly Webhook[] {
  const webhooks = cached.get(configuration) ?? webhooksIn(configuration);
  cached.set(configuration, webhooks);
  return webhooks;
}

function webhooksIn({ metadata, webhooks }: StoredObject): readonly Webhook[] {
  const list = Array.isArray(webhooks) ? webhooks.filter(isObject) : [];
  return list.map((spec) => ({
    configuration: metadata.name,
    name: String(spec.name),
    spec,
    clientConfig: (spec.clientConfig ?? {}) as WebhookAddress,
    failsClosed: spec.failurePolicy !== 'Ignore',
    timeoutMs: Number(spec.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
  }));
}
