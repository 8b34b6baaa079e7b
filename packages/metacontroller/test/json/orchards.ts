/** Invented objects, as an API server sends them: the fields of Go structs in their order, not sorted. */
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { defineResource } from '../../../../operator/model/resource.ts';

export const TYPES = {
  configMaps: defineResource({
    group: '',
    version: 'v1',
    plural: 'configmaps',
    kind: 'ConfigMap',
    namespaced: true,
  }),
  deployments: defineResource({
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    kind: 'Deployment',
    namespaced: true,
  }),
  jobs: defineResource({
    group: 'batch',
    version: 'v1',
    plural: 'jobs',
    kind: 'Job',
    namespaced: true,
  }),
  clusterRoles: defineResource({
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural: 'clusterroles',
    kind: 'ClusterRole',
    namespaced: false,
  }),
};

const UID = '22222222-0000-4000-8000-000000000002';

/** What the server stores of the CompositeController; its author wrote other orders and no versions. */
export function orchards(version: 'v1' | 'v2'): KubernetesObject {
  return {
    apiVersion: 'metacontroller.k8s.io/v1alpha1',
    kind: 'CompositeController',
    metadata: {
      name: 'orchards',
      uid: '11111111-0000-4000-8000-000000000001',
      resourceVersion: '410',
      generation: 1,
      creationTimestamp: '2026-01-10T08:00:00Z',
    },
    spec: {
      generateSelector: true,
      hooks: { sync: { webhook: { url: 'http://127.0.0.1:8088/sync' }, version } },
      childResources: [
        { resource: 'configmaps', apiVersion: 'v1', updateStrategy: { method: 'InPlace' } },
        { resource: 'deployments', apiVersion: 'apps/v1' },
        { resource: 'jobs', apiVersion: 'batch/v1' },
      ],
      parentResource: { resource: 'orchards', apiVersion: 'fruit.example/v1' },
    },
  } as KubernetesObject;
}

export const parent: KubernetesObject = {
  apiVersion: 'fruit.example/v1',
  kind: 'Orchard',
  metadata: {
    name: 'north',
    namespace: 'farm',
    uid: UID,
    resourceVersion: '520',
    generation: 3,
    creationTimestamp: '2026-01-10T08:01:00Z',
  },
  spec: { trees: 2 },
  status: { ready: 1, observedGeneration: 2 },
} as KubernetesObject;

/** Its text has every character that Go escapes, and numbers in several forms. */
export const clusterParent: KubernetesObject = {
  apiVersion: 'fruit.example/v1',
  kind: 'Region',
  metadata: {
    name: 'valley',
    uid: UID,
    resourceVersion: '521',
    generation: 3,
    creationTimestamp: '2026-01-10T08:01:00Z',
    annotations: { note: 'a < b && c > d\u2028\u2029é "q" \\ \t\u0001\u007f/' },
  },
  spec: { hectares: 1.5, seeds: 1e21, yield: 1e-7, trees: 10_000_000, 10: 'x', 9: 'y', none: null },
} as KubernetesObject;

const OWNED = {
  labels: { 'controller-uid': UID },
  ownerReferences: [
    {
      apiVersion: 'fruit.example/v1',
      kind: 'Orchard',
      name: 'north',
      uid: UID,
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
};

export const plan: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'north-plan',
    namespace: 'farm',
    uid: '33333333-0000-4000-8000-000000000003',
    resourceVersion: '515',
    creationTimestamp: '2026-01-10T08:01:02Z',
    ...OWNED,
    annotations: {
      'metacontroller.k8s.io/last-applied-configuration': `{"apiVersion":"v1","data":{"trees":"1"},"kind":"ConfigMap","metadata":{"labels":{"controller-uid":"${UID}"},"name":"north-plan","namespace":"farm"}}`,
    },
  },
  data: { trees: '1' },
} as KubernetesObject;

export const press: KubernetesObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'north-press',
    namespace: 'farm',
    uid: '44444444-0000-4000-8000-000000000004',
    resourceVersion: '519',
    generation: 1,
    creationTimestamp: '2026-01-10T08:01:02Z',
    ...OWNED,
  },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'press' } },
    template: {
      metadata: { labels: { app: 'press' } },
      spec: { containers: [{ name: 'press', image: 'registry.example/press:1' }] },
    },
  },
  status: { observedGeneration: 1, availableReplicas: 1 },
} as KubernetesObject;

/** In another namespace than the parent. */
export const foreign: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'prices', namespace: 'market', uid: '5', resourceVersion: '7' },
  data: { apple: '2' },
} as KubernetesObject;

export const role: KubernetesObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'picker', uid: '6', resourceVersion: '8' },
  rules: [],
} as KubernetesObject;

/** What the server stores of a DecoratorController that uses every field of the contract. */
export const signs: KubernetesObject = {
  kind: 'DecoratorController',
  apiVersion: 'metacontroller.k8s.io/v1alpha1',
  metadata: {
    annotations: { b: '2', a: '1' },
    name: 'signs',
    uid: '7',
    managedFields: [
      {
        time: '2026-01-10T08:00:00Z',
        operation: 'Apply',
        manager: 'kubectl',
        fieldsV1: { 'f:spec': { 'f:resources': {} } },
        fieldsType: 'FieldsV1',
        apiVersion: 'metacontroller.k8s.io/v1alpha1',
      },
    ],
    finalizers: [],
  },
  spec: {
    resyncPeriodSeconds: 60,
    endpointConfigs: [
      {
        clientTLS: { certKey: 'tls.crt', secretRef: { namespace: 'farm', name: 'tls' } },
        host: 'signs.farm',
        basicAuth: {
          secretRef: { namespace: 'farm', name: 'login' },
          passwordKey: 'password',
          usernameKey: 'username',
        },
      },
    ],
    attachments: [
      { updateStrategy: { method: 'Recreate' }, resource: 'configmaps', apiVersion: 'v1' },
    ],
    hooks: {
      sync: {
        version: 'v2',
        webhook: {
          authorization: {
            secretRef: { key: 'token', name: 'auth', namespace: 'farm' },
            type: 'Bearer',
          },
          caBundle: { configMapRef: { key: 'ca.crt', namespace: 'farm', name: 'ca' } },
          responseUnMarshallMode: 'loose',
          service: { port: 80, protocol: 'http', namespace: 'farm', name: 'signs' },
          path: '/sync',
          etag: { enabled: false, cacheCleanupSeconds: 0 },
          timeout: '90s',
        },
      },
      customize: { version: 'v1', webhook: { url: 'http://signs/customize' } },
    },
    resources: [
      {
        annotationSelector: {
          matchExpressions: [{ operator: 'Exists', key: 'sign' }],
          matchAnnotations: { z: '1', a: '2' },
        },
        ignoreStatusChanges: false,
        labelSelector: {},
        resource: 'deployments',
        apiVersion: 'apps/v1',
      },
    ],
    unknown: 'Go drops it',
  },
} as KubernetesObject;
