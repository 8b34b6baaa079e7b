import type { KubernetesObject } from '../model/object.ts';
import type { Webhook } from './webhook.ts';
import { type WebhookEntry, webhookEntry } from './webhook-entry.ts';

const KINDS = {
  validating: 'ValidatingWebhookConfiguration',
  mutating: 'MutatingWebhookConfiguration',
} as const;

/** The values in webhook configurations that depend on where the operator runs. */
interface Installation {
  readonly metadata: KubernetesObject['metadata'];
  entryOf(webhook: Webhook): WebhookEntry;
  /** Returns the `clientConfig` by which the API server reaches `webhook`. */
  clientConfigOf(webhook: Webhook): object;
}

/**
 * The ValidatingWebhookConfiguration and the MutatingWebhookConfiguration for these webhooks. A configuration
 * without webhooks is omitted.
 */
export function webhookConfigurations(
  webhooks: readonly Webhook[],
  { metadata, entryOf, clientConfigOf }: Installation,
): readonly KubernetesObject[] {
  return (['validating', 'mutating'] as const).flatMap((type) => {
    const entries = webhooks
      .filter((webhook) => webhook.type === type)
      .map((webhook) => {
        const { name, ...entry } = entryOf(webhook);
        return { name, clientConfig: clientConfigOf(webhook), ...entry };
      });
    if (entries.length === 0) return [];
    const apiVersion = 'admissionregistration.k8s.io/v1';
    return [{ apiVersion, kind: KINDS[type], metadata, webhooks: entries }];
  });
}

/**
 * The namespace whose objects are not reviewed if the operator runs locally. In a cluster, this would be the
 * operator's own namespace. A local operator has none, and must also review objects in the namespace where
 * its Pod would be.
 */
const LOCAL_NAMESPACE = 'kube-system';

/** The address of a local operator. */
interface LocalServing {
  /** The name of the configurations. */
  readonly name: string;
  /** The URL of the operator with plain HTTP, such as `http://127.0.0.1:9440`. */
  readonly url: string;
}

/**
 * The webhook configurations of an operator without a gate, for an API server that accepts URLs with `http`.
 * Only the embedded API server accepts them, in tests and in `chancery dev`.
 */
export function localConfigurations(
  webhooks: readonly Webhook[],
  { name, url }: LocalServing,
): readonly KubernetesObject[] {
  return webhookConfigurations(webhooks, {
    metadata: { name },
    entryOf: (webhook) => webhookEntry(webhook, LOCAL_NAMESPACE),
    clientConfigOf: ({ path }) => ({ url: `${url}${path}` }),
  });
}
