/** Overlays in which one Pod that is away keeps everybody from writing, or a webhook is never called. */
import { type Manifests, plain } from '../good.ts';
import type { Canary } from './canary.ts';

const CONFIGURATION = 'ValidatingWebhookConfiguration/op webhooks[a.b.example].failurePolicy';

const NEW_PODS = {
  ...{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] },
  operations: ['CREATE'],
};

const NOT_DEMO = {
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['demo'] }],
};

/** With a webhook that this Pod serves. */
function asked(webhook: object, replicas: number): Manifests {
  return plain()
    .set('Deployment.spec.replicas', replicas)
    .add({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'op-gate', namespace: 'demo' },
      spec: { selector: { app: 'op' } },
    })
    .add({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'op' },
      webhooks: [
        {
          name: 'a.b.example',
          clientConfig: { service: { name: 'op-gate', namespace: 'demo', path: '/validate/a' } },
          ...webhook,
        },
      ],
    });
}

function withoutBudget(manifests: Manifests): Manifests {
  const at = manifests.objects.findIndex(({ kind }) => kind === 'PodDisruptionBudget');
  manifests.objects.splice(at, 1);
  return manifests;
}

export const CLOSED_WEBHOOKS: readonly Canary[] = [
  {
    rule: 'closed-webhooks',
    does: 'has one replica for a webhook with failurePolicy Fail',
    at: CONFIGURATION,
    says: 'with one replica',
    broken: () => asked({ failurePolicy: 'Fail' }, 1),
  },
  {
    rule: 'closed-webhooks',
    does: 'has one replica for a webhook without a failurePolicy',
    at: CONFIGURATION,
    says: 'with one replica',
    broken: () => asked({}, 1),
  },
  {
    rule: 'closed-webhooks',
    does: 'has no PodDisruptionBudget for a webhook with failurePolicy Fail',
    at: CONFIGURATION,
    says: 'no PodDisruptionBudget',
    broken: () => withoutBudget(asked({ failurePolicy: 'Fail' }, 2)),
  },
  {
    rule: 'closed-webhooks',
    does: 'has a webhook without a failurePolicy for Pods of kube-system',
    at: CONFIGURATION,
    level: 'warning',
    says: 'the Pods of kube-system',
    broken: () => asked({ rules: [NEW_PODS], namespaceSelector: NOT_DEMO }, 2),
  },
  {
    rule: 'closed-webhooks',
    does: 'has no PodDisruptionBudget for a conversion webhook',
    at: 'CustomResourceDefinition/sites.example.dev spec.conversion',
    level: 'warning',
    says: 'no PodDisruptionBudget',
    broken: () =>
      withoutBudget(asked({ failurePolicy: 'Ignore' }, 2)).add({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'sites.example.dev' },
        spec: {
          conversion: {
            strategy: 'Webhook',
            webhook: { clientConfig: { service: { name: 'op-gate', namespace: 'demo' } } },
          },
        },
      }),
  },
  {
    rule: 'webhook-selectors',
    does: 'has a namespaceSelector that requires two different names',
    at: 'ValidatingWebhookConfiguration/op webhooks[a.b.example].namespaceSelector',
    says: 'selects no namespace: no value of the label kubernetes.io/metadata.name',
    broken: () =>
      asked(
        {
          failurePolicy: 'Ignore',
          namespaceSelector: {
            matchLabels: { 'kubernetes.io/metadata.name': 'web' },
            matchExpressions: [
              { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['demo'] },
            ],
          },
        },
        2,
      ),
  },
  {
    rule: 'webhook-selectors',
    does: 'has an objectSelector that requires a label to exist and not to exist',
    at: 'ValidatingWebhookConfiguration/op webhooks[a.b.example].objectSelector',
    says: 'selects no object: no value of the label tier',
    broken: () =>
      asked(
        {
          failurePolicy: 'Ignore',
          objectSelector: {
            matchExpressions: [
              { key: 'tier', operator: 'Exists' },
              { key: 'tier', operator: 'DoesNotExist' },
            ],
          },
        },
        2,
      ),
  },
];
