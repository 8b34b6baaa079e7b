/** Objects of several kinds, patched in each way. */
import { type Answer, startCluster, type TestCluster } from '../../support/cluster.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';

const KEPT = {
  labels: { team: 'blue' },
  annotations: { note: 'n' },
  finalizers: ['a.example/hold'],
};

/** A kind, and the path of the object of that kind that `withObjects` has created. */
interface Sample {
  readonly path: string;
  readonly object: object;
}

function namespaced(group: string, plural: string, object: object): Sample {
  const path = `${group}/namespaces/default/${plural}/it`;
  return { path, object: { metadata: { name: 'it', ...KEPT }, ...object } };
}

function ofCluster(group: string, plural: string, object: object): Sample {
  return {
    path: `${group}/${plural}/it`,
    object: { metadata: { name: 'it', ...KEPT }, ...object },
  };
}

const TEMPLATE = {
  metadata: { labels: { app: 'x' } },
  spec: {
    containers: [
      { name: 'main', image: 'web:1', ports: [{ containerPort: 8080 }] },
      { name: 'side', image: 'log:1' },
    ],
  },
};

export const SAMPLES = {
  Secret: namespaced('/api/v1', 'secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    data: { key: 'AAA=' },
  }),
  StatefulSet: namespaced('/apis/apps/v1', 'statefulsets', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    spec: { selector: { matchLabels: { app: 'x' } }, serviceName: 's', template: TEMPLATE },
  }),
  ReplicaSet: namespaced('/apis/apps/v1', 'replicasets', {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    spec: { replicas: 2, selector: { matchLabels: { app: 'x' } }, template: TEMPLATE },
  }),
  RuntimeClass: ofCluster('/apis/node.k8s.io/v1', 'runtimeclasses', {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    handler: 'h',
  }),
  PriorityClass: ofCluster('/apis/scheduling.k8s.io/v1', 'priorityclasses', {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    value: 7,
  }),
  Box: namespaced('/apis/a.example/v1', 'boxes', {
    apiVersion: 'a.example/v1',
    kind: 'Box',
    spec: { size: 3 },
  }),
} as const;

export type SampleKind = keyof typeof SAMPLES;

const BOXES = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boxes.a.example' },
  spec: {
    group: 'a.example',
    scope: 'Namespaced',
    names: { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer' } } },
              status: { type: 'object', properties: { size: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};

export interface PatchedWorld {
  readonly cluster: TestCluster;
  /** @param where - what follows the path of the object: `/status`, `?dryRun=All`. */
  patch(kind: SampleKind, type: string, body: unknown, where?: string): Promise<Answer>;
}

/** A server with one object of each kind. */
export async function withObjects(): Promise<PatchedWorld> {
  const cluster = await startCluster();
  await cluster.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', BOXES);
  for (const { path, object } of Object.values(SAMPLES)) {
    await cluster.send('POST', path.slice(0, path.lastIndexOf('/')), object);
  }
  return {
    cluster,
    patch: (kind, type, body, where = '') =>
      cluster.send('PATCH', SAMPLES[kind].path + where, body, { 'content-type': type }),
  };
}
