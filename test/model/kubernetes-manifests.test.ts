/**
 * What the types of built-in kinds take and what they refuse. The compiler is the first half of each
 * test (`@ts-expect-error` is an error where there is none), the server's own rules the second.
 */

import { startTestEnv, type TestEnv } from '@chancery/testing';
import type { Desired, DesiredStatus, KubernetesObject, Resource, Workload } from 'chancery';
import type {
  CronJob,
  Deployment,
  Ingress,
  Job,
  networkingV1,
  PodDisruptionBudget,
  Role,
  Service,
  StatefulSet,
} from 'chancery/kubernetes';
import { type coreV1, deployments } from 'chancery/kubernetes';
import { afterAll, beforeAll, expect, test } from 'vitest';

let env: TestEnv;
let namespace: string;

beforeAll(async () => {
  env = await startTestEnv({ backend: 'embedded' });
  namespace = await env.namespace();
});

afterAll(() => env.stop());

const labels = { app: 'shop' };
const container: coreV1.Container = {
  name: 'shop',
  image: 'registry.example/shop:1.4',
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  env: [
    { name: 'MODE', value: 'live' },
    { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'shop', key: 'token', optional: true } } },
    { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '64Mi' } },
  readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
  volumeMounts: [{ name: 'config', mountPath: '/etc/shop', readOnly: true }],
  securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
};
const template: coreV1.PodTemplateSpec = {
  metadata: { labels, annotations: { 'prometheus.io/scrape': 'true' } },
  spec: {
    serviceAccountName: 'shop',
    containers: [container],
    volumes: [{ name: 'config', configMap: { name: 'shop', items: [{ key: 'a', path: 'a' }] } }],
    tolerations: [{ key: 'spot', operator: 'Exists', effect: 'NoSchedule' }],
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
    ],
  },
};

test('handwritten manifests compile, and the API server accepts them', async () => {
  const deployment: Deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop', namespace, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
      template,
    },
  };
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'shop', namespace },
    spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  };
  const ingress: Ingress = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'shop', namespace },
    spec: {
      ingressClassName: 'nginx',
      tls: [{ hosts: ['shop.example'], secretName: 'shop-tls' }],
      rules: [
        {
          host: 'shop.example',
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'shop', port: { name: 'http' } } },
              },
            ],
          },
        },
      ],
    },
  };
  const jobSpec: Job['spec'] = {
    backoffLimit: 2,
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'import', image: 'shop:1' }] },
    },
  };
  const job: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'import', namespace },
    spec: jobSpec,
  };
  const cronJob: CronJob = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'import', namespace },
    spec: { schedule: '*/5 * * * *', concurrencyPolicy: 'Forbid', jobTemplate: { spec: jobSpec } },
  };
  const statefulSet: StatefulSet = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'database', namespace },
    spec: {
      serviceName: 'database',
      selector: { matchLabels: labels },
      template,
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
          },
        },
      ],
    },
  };
  const role: Role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'shop', namespace },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'watch'] }],
  };
  const budget: PodDisruptionBudget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'shop', namespace },
    spec: { minAvailable: '50%', selector: { matchLabels: labels } },
  };
  const manifests: readonly KubernetesObject[] = [
    ...[deployment, service, ingress, job, cronJob, statefulSet, role, budget],
  ];

  const created = await Promise.all(manifests.map((object) => env.create(object)));

  expect(created.map(({ kind }) => kind)).toEqual(manifests.map(({ kind }) => kind));
});

test('the types require the fields that the API requires, and the spec that contains them', async () => {
  // @ts-expect-error: a Deployment has a selector and a template
  const deployment: Deployment = { ...named('apps/v1', 'Deployment'), spec: { replicas: 1 } };
  // @ts-expect-error: a Job has a spec
  const job: Job = named('batch/v1', 'Job');
  // @ts-expect-error: a path says how it is matched
  const path: networkingV1.HTTPIngressPath = { path: '/', backend: { service: { name: 'a' } } };
  const ingress = { ...named('networking.k8s.io/v1', 'Ingress') };
  const rules = [{ http: { paths: [path] } }];

  for (const object of [deployment, job, { ...ingress, spec: { rules } }]) {
    await expect(env.create(object)).rejects.toMatchObject({ status: 422, reason: 'Invalid' });
  }
});

test('a misspelled field or value does not compile, and the server refuses it', async () => {
  const service: Service = {
    ...named('v1', 'Service'),
    // @ts-expect-error: the type is ClusterIP
    spec: { type: 'ClusterIp', ports: [{ port: 80 }] },
  };
  const deployment: Deployment = {
    ...named('apps/v1', 'Deployment'),
    spec: {
      selector: { matchLabels: labels },
      template,
      // @ts-expect-error: the strategy is RollingUpdate
      strategy: { type: 'Rolling' },
    },
  };
  // @ts-expect-error: the field is replicas
  const misspelt: Deployment['spec'] = { replica: 2, selector: {}, template };

  expect(misspelt).toHaveProperty('replica');
  for (const object of [service, deployment]) {
    await expect(env.create(object)).rejects.toMatchObject({ status: 422, reason: 'Invalid' });
  }
});

test('the type of a status accepts values that a later release may add', () => {
  const status: coreV1.PodStatus = { phase: 'Dreaming' };
  // @ts-expect-error: but no number
  const numbered: coreV1.PodStatus = { phase: 1 };

  expect([status.phase, numbered.phase]).toEqual(['Dreaming', 1]);
});

test('every kind of workload is assignable to Workload', () => {
  const common: Resource<Workload> = deployments;
  const desired: Desired<Deployment> = {
    metadata: { name: 'shop' },
    spec: { selector: { matchLabels: labels }, template },
  };
  const reported: DesiredStatus<Deployment> = { readyReplicas: 1 };

  expect([common.kind, desired.metadata.name, reported.readyReplicas]).toEqual([
    'Deployment',
    'shop',
    1,
  ]);
});

function named(apiVersion: string, kind: string): KubernetesObject {
  return { apiVersion, kind, metadata: { name: 'refused', namespace } };
}
