/** A webhook of several subjects, as hooks declare them: which requests it is asked about, in front of the embedded API server. */
import { startOperator, startTestEnv, type TestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { gateConfigurations } from '../../operator/generate/webhook/configurations.ts';
import { configMaps, namespaces, pods } from '../../operator/kubernetes.ts';
import { deny } from '../../operator/webhook/decision.ts';
import type { AdmissionOperation } from '../../operator/webhook/review/admission-request.ts';
import { declareWebhook } from '../../operator/webhook/webhook.ts';
import { answerOf, reviewOf } from './reviews.ts';

const ALL: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE'];

/** Says what it was asked about, and denies it. */
const everything = declareWebhook({
  type: 'validating',
  name: 'everything.shop.example.com',
  subjects: [
    { resource: pods, subresource: undefined, operations: ALL },
    { resource: pods, subresource: 'exec', operations: ['CONNECT'] },
    { resource: configMaps, subresource: undefined, operations: ['CREATE'] },
    { resource: configMaps, subresource: undefined, operations: ['UPDATE'] },
    { resource: namespaces, subresource: undefined, operations: ['UPDATE', 'DELETE'] },
  ],
  handle: ({ operation, resource, subresource }) =>
    deny(`asked: ${[operation, resource.plural, subresource].filter(Boolean).join(' ')}`),
});

/** The API server asks the webhook of the operator `shop`, which watches its own namespace. */
async function startShop(): Promise<{ readonly env: TestEnv; readonly namespace: string }> {
  const env = await startTestEnv();
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  const operator = startOperator({ url: env.url, controllers: [], webhooks: [everything] });
  onTestFinished(() => operator.stop());
  await operator.untilReady();
  const options = { webhooks: [everything], certificates: 'cert-manager', image: 'a:1' } as const;
  const scope = { name: 'shop', namespace, namespaces: [namespace] };
  const url = `${operator.webhookAddress}${everything.path}`;
  for (const configuration of gateConfigurations(options, scope, {})) {
    const { webhooks } = configuration as unknown as { readonly webhooks: readonly object[] };
    const called = webhooks.map((each) => ({ ...each, clientConfig: { url } }));
    await env.create({ ...configuration, ...{ webhooks: called } });
  }
  return { env, namespace };
}

test('a webhook for everything is called for every resource except the operator’s own Pods and namespace', async () => {
  const { env, namespace } = await startShop();
  const created = (kind: string, name: string, spec?: object) =>
    env.create({ apiVersion: 'v1', kind, metadata: { name, namespace }, ...{ spec } });
  const containers = [{ name: 'a', image: 'a:1' }];
  for (const name of ['shop', 'other']) await created('ServiceAccount', name);

  await created('Pod', 'own', { serviceAccountName: 'shop', containers });
  await env.patch('v1', 'Namespace', undefined, namespace, { metadata: { labels: { a: 'b' } } });

  const other = created('Pod', 'other', { serviceAccountName: 'other', containers });
  await expect(other).rejects.toThrow('asked: CREATE pods');
  await expect(created('ConfigMap', 'a')).rejects.toThrow('asked: CREATE configmaps');
});

test.each([
  [
    'another resource',
    { resource: { group: '', version: 'v1', resource: 'secrets' } },
    'request.resource must be pods of version v1 or configmaps of version v1 or namespaces of version v1',
  ],
  [
    'another subresource',
    { resource: { group: '', version: 'v1', resource: 'pods' }, subResource: 'status' },
    'request.subResource must be empty or "exec"',
  ],
  ['another operation', { operation: 'DELETE' }, 'request.operation must be CREATE or UPDATE'],
])('a review of %s is refused by a webhook for several resources', async (_, request, problem) => {
  await expect(answerOf(everything, reviewOf(request))).rejects.toThrow(problem);
});

test('a review for a webhook with several resources contains the resource and subresource of its request', async () => {
  const exec = reviewOf({
    resource: { group: '', version: 'v1', resource: 'pods' },
    subResource: 'exec',
    operation: 'CONNECT',
    object: { kind: 'PodExecOptions' },
  });

  const { response } = await answerOf(everything, exec);
  const other = await answerOf(everything, reviewOf());

  expect(response.status?.message).toBe('asked: CONNECT pods exec');
  expect(other.response.status?.message).toBe('asked: CREATE configmaps');
  expect(everything.rules).toHaveLength(5);
});
