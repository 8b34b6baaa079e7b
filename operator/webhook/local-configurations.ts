import type { KubernetesObject } from '../model/object.ts';
import type { Webhook } from './webhook.ts';
import { webhookEntry } from './webhook-entry.ts';

const KINDS = {
  validating: 'ValidatingWebhookConfiguration',
  mutating: 'MutatingWebhookConfiguration',
} as const;

/** Where webhooks are served, and by whom. */
export interface LocalServing {
  /** The name of the configurations. */
  readonly name: string;
  /** That of the operator: nothing in it is asked about. */
  readonly namespace: string;
  /** Plain HTTP, such as `http://127.0.0.1:9440`. */
  readonly url: string;
}

/**
 * The webhook configurations of an operator without a gate, for an API server that calls `http`: the embedded one, in
 * tests and in `chancery dev`. No other API server takes them.
 */
export function localConfigurations(
  webhooks: readonly Webhook[],
  { name, namespace, url }: LocalServing,
): readonly KubernetesObject[] {
  return (['validating', 'mutating'] as const).flatMap((type) => {
    const own = webhooks.filter((webhook) => webhook.type === type);
    if (own.length === 0) return [];
    return [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: KINDS[type],
        metadata: { name },
        webhooks: own.map((webhook) => ({
          ...webhookEntry(webhook, namespace),
          clientConfig: { url: `${url}${webhook.path}` },
        })),
      },
    ];
  });
}
