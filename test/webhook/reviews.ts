import { FakeClock } from '@chancery/testing';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import type { EndpointAnswer } from '../../operator/webhook/endpoint.ts';
import type { Webhook } from '../../operator/webhook/webhook.ts';
import { validatingWebhook } from '../../operator/webhook/webhook.ts';
import { type WebhookParts, webhookEndpoint } from '../../operator/webhook/webhook-endpoint.ts';
import type { ValidatingWebhookOptions } from '../../operator/webhook/webhook-options.ts';
import { recordingLog } from '../support/recording-log.ts';

/** A ConfigMap as an API server sends it. */
export function configMapOf(data: Readonly<Record<string, string>>, more: object = {}): ConfigMap {
  const metadata = { name: 'shop', namespace: 'web', uid: 'of-the-object', ...more };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

/** A review of the creation of a ConfigMap, with other members where `request` has them. */
export function reviewOf(request: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'c0ffee',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'shop',
      namespace: 'web',
      operation: 'CREATE',
      userInfo: { username: 'ada', uid: '7', groups: ['dev'], extra: { team: ['web'] } },
      object: configMapOf({ colour: 'red' }),
      oldObject: null,
      dryRun: false,
      options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions' },
      ...request,
    },
  };
}

/** A validating webhook of ConfigMaps. */
export function configMapWebhook(options: Partial<ValidatingWebhookOptions<ConfigMap>>): Webhook {
  return validatingWebhook({
    name: 'colours.shop.example.com',
    resource: configMaps,
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    validate: () => {},
    ...options,
  });
}

interface Answered extends Omit<EndpointAnswer, 'text'> {
  readonly text: string;
  /** The `response` of the review, when the answer is one. */
  readonly response: Response;
  readonly patch: unknown;
  readonly lines: ReturnType<typeof recordingLog>['lines'];
}

interface Response extends Readonly<Record<string, unknown>> {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly message: string; readonly code: number; readonly reason: string };
  readonly warnings?: readonly string[];
}

/** Sends `review`, a value or a text, to `webhook`. */
export async function answerOf(
  webhook: Webhook,
  review: unknown,
  parts: Partial<WebhookParts> = {},
): Promise<Answered> {
  const { lines, logFor } = recordingLog();
  const endpoint = webhookEndpoint(webhook, {
    clock: new FakeClock(),
    logFor,
    storeOf: () => undefined,
    ...parts,
  });
  const sent = typeof review === 'string' ? review : JSON.stringify(review);
  const { signal } = new AbortController();
  const answer = await endpoint.answer(sent, { timeoutMs: 9_000, signal });
  const { response } = answer.status === 200 ? JSON.parse(answer.text) : { response: undefined };
  const patch = response?.patch && JSON.parse(Buffer.from(response.patch, 'base64').toString());
  return { ...answer, response, patch, lines };
}
