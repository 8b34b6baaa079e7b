import type { KubernetesObject } from '../model/object.ts';
import type { Webhook } from './webhook.ts';
import { type WebhookEntry, webhookEntry } from './webhook-entry.ts';

const KINDS = {
  validating: 'ValidatingWebhookConfiguration',
  mutating: 'MutatingWebhookConfiguration',
} as const;

/** What the place of an operator decides about its webhook configurations. */
interface Installation {
  readonly metadata: KubernetesObject['metadata'];
  entryOf(webhook: Webhook): WebhookEntry;
  /** How the API server calls `webhook`. */
  clientConfigOf(webhook: Webhook): object;
}

/**
 * The ValidatingWebhookConfiguration and the MutatingWebhookConfiguration with these webhooks. A configuration that
 * would have no webhook is left out.
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
 * Stands for the namespace of the operator, in which nothing is asked about. A local operator has none, and must be
 * asked about the objects beside which a Pod of it would be.
 */
const LOCAL_NAMESPACE = 'kube-system';

/** Where a local operator answers. */
interface LocalServing {
  /** The name of the configurations. */
  readonly name: string;
  /** Plain HTTP, such as `http://127.0.0.1:9440`. */
  readonly url: string;
}

/**
 * The webhook configurations of an operator without a gate, for an API server that calls `http`: the embedded one, in
 * tests and in `chancery dev`. No other API server takes them.
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
