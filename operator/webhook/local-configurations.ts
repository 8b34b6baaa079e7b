import type { KubernetesObject } from '../model/object.ts';
import type { Webhook } from './webhook.ts';
import { webhookEntry } from './webhook-entry.ts';

const KINDS = {
  validating: 'ValidatingWebhookConfiguration',
  mutating: 'MutatingWebhookConfiguration',
} as const;

/**
 * Stands for the namespace of the operator, in which nothing is asked about. A local operator has none, and must be
 * asked about the objects beside which a Pod of it would be.
 */
const NAMESPACE = 'kube-system';

/** Where webhooks are served, and by whom. */
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
  return (['validating', 'mutating'] as const).flatMap((type) => {
    const own = webhooks.filter((webhook) => webhook.type === type);
    if (own.length === 0) return [];
    return [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: KINDS[type],
        metadata: { name },
        webhooks: own.map((webhook) => ({
          ...webhookEntry(webhook, NAMESPACE),
          clientConfig: { url: `${url}${webhook.path}` },
        })),
      },
    ];
  });
}
