import type { LabelSelector } from '../model/selector.ts';
import type { Webhook, WebhookRule } from './webhook.ts';
import type { MatchCondition } from './webhook-options.ts';

/**
 * An item of `webhooks` in a webhook configuration, without `clientConfig`, which depends on the
 * installation.
 */
export interface WebhookEntry {
  readonly name: string;
  readonly rules: readonly WebhookRule[];
  readonly failurePolicy: Webhook['failurePolicy'];
  readonly matchPolicy: Webhook['matchPolicy'];
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchConditions?: readonly MatchCondition[];
  readonly sideEffects: Webhook['sideEffects'];
  readonly timeoutSeconds: number;
  readonly admissionReviewVersions: readonly string[];
  readonly reinvocationPolicy?: NonNullable<Webhook['reinvocationPolicy']>;
}

/** The label that the API server gives to each namespace. */
export const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/**
 * The entry of a webhook configuration for `webhook`.
 *
 * @param namespace - the operator's namespace. Its objects are never reviewed, because its Pods, Leases and
 *   Secrets must be writable even when no replica answers reviews.
 */
export function webhookEntry(webhook: Webhook, namespace: string): WebhookEntry {
  const { objectSelector, matchConditions, reinvocationPolicy } = webhook;
  const { matchExpressions = [], ...labels } = webhook.namespaceSelector ?? {};
  const elsewhere = { key: NAMESPACE_NAME, operator: 'NotIn', values: [namespace] };
  return {
    name: webhook.name,
    rules: webhook.rules,
    failurePolicy: webhook.failurePolicy,
    matchPolicy: webhook.matchPolicy,
    namespaceSelector: { ...labels, matchExpressions: [...matchExpressions, elsewhere] },
    ...(objectSelector && { objectSelector }),
    ...(matchConditions.length > 0 && { matchConditions }),
    sideEffects: webhook.sideEffects,
    timeoutSeconds: webhook.timeoutSeconds,
    admissionReviewVersions: ['v1'],
    ...(reinvocationPolicy && { reinvocationPolicy }),
  };
}
