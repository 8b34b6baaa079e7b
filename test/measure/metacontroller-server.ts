/**
 * The embedded API server of `metacontroller.ts`, in a process of its own. Its first message says what to create. Each
 * further one changes a parent, if it names one, and is answered with the changes of children since the one before.
 */
import { ApiServer } from '@chancery/testing';
import type { KubernetesObject } from '../../operator/model/object.ts';
import {
  compositeControllers,
  controllerRevisions,
  decoratorControllers,
} from '../../packages/metacontroller/src/definitions/resources.ts';

/** What the server shall have. */
export interface Planting {
  readonly hooks: string;
  readonly parents: number;
  readonly children: number;
  /** Of the content of each child. */
  readonly bytes: number;
  /** How children are updated. */
  readonly method: 'InPlace' | 'RollingInPlace';
}

/** Where the server is. */
export interface Planted {
  readonly url: string;
}

/** A change of `spec` of a parent. Without one only what happened is asked for. */
export interface Change {
  readonly parent?: number;
  readonly spec?: Readonly<Record<string, string>>;
}

/** What has happened to the children since the last message. */
export interface Grown {
  /** That are there now. */
  readonly children: number;
  /** Parents whose status is of their generation, and says that all children were seen. */
  readonly settled: number;
  readonly created: number;
  readonly changed: number;
  /** From the last change of a parent to the first and the last change of a child. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
}

type Row = KubernetesObject & {
  readonly status?: { readonly planted?: boolean; readonly observedGeneration?: number };
};

const NAMESPACES = 10;
const GROUP = 'measured.example';

const server = await ApiServer.start({ workloads: false });
let planted = 0;
let changedAt = performance.now();
let seen = { created: 0, changed: 0, firstSeconds: 0, lastSeconds: 0 };
server.subscribe((resource, { type, object }) => {
  if (resource !== 'configmaps' || object.metadata.namespace?.startsWith('team-') !== true) return;
  const seconds = (performance.now() - changedAt) / 1_000;
  if (type === 'ADDED') seen.created++;
  if (type !== 'MODIFIED') return;
  if (seen.changed++ === 0) seen.firstSeconds = seconds;
  seen.lastSeconds = seconds;
});

process.on('message', (message: Planting | Change) => {
  process.send?.('hooks' in message ? plant(message) : changed(message));
});

function plant({ hooks, parents, children, bytes, method }: Planting): Planted {
  for (let at = 0; at < NAMESPACES; at++) {
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `team-${at}` } });
  }
  for (const { definition } of [compositeControllers, decoratorControllers, controllerRevisions]) {
    server.create(definition as KubernetesObject);
  }
  server.create(ROWS);
  server.create(controller(hooks, method));
  const spec = { children, bytes, version: 'v0' };
  for (let at = 0; at < parents; at++) {
    const row = { apiVersion: `${GROUP}/v1`, kind: 'Row', metadata: placeOf(at), spec };
    server.create(row as KubernetesObject);
  }
  planted = parents;
  return { url: server.url };
}

function changed({ parent, spec }: Change): Grown {
  const rows = server.list(`${GROUP}/v1`, 'Row') as readonly Row[];
  const settled = rows.filter(
    ({ metadata, status }) =>
      status?.observedGeneration === metadata.generation && status?.planted !== false,
  ).length;
  const children = server
    .list('v1', 'ConfigMap')
    .filter(({ metadata }) => metadata.labels?.['controller-uid'] !== undefined).length;
  const grown: Grown = { children, settled, ...seen };
  seen = { created: 0, changed: 0, firstSeconds: 0, lastSeconds: 0 };
  if (parent !== undefined) {
    const { namespace, name } = placeOf(parent % planted);
    changedAt = performance.now();
    server.patch(`${GROUP}/v1`, 'Row', namespace, name, { spec });
  }
  return grown;
}

function placeOf(at: number): { readonly namespace: string; readonly name: string } {
  return { namespace: `team-${at % NAMESPACES}`, name: `row-${at}` };
}

function controller(hooks: string, method: Planting['method']): KubernetesObject {
  return {
    apiVersion: 'metacontroller.k8s.io/v1alpha1',
    kind: 'CompositeController',
    metadata: { name: 'rows' },
    spec: {
      generateSelector: true,
      parentResource: {
        apiVersion: `${GROUP}/v1`,
        resource: 'rows',
        revisionHistory: { fieldPaths: ['spec.version'] },
      },
      childResources: [{ apiVersion: 'v1', resource: 'configmaps', updateStrategy: { method } }],
      hooks: {
        sync: {
          version: 'v2',
          webhook: { url: `${hooks}/${method === 'InPlace' ? 'row' : 'train'}` },
        },
      },
    },
  } as KubernetesObject;
}

/** The definition of the parents. */
const ROWS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `rows.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { kind: 'Row', listKind: 'RowList', plural: 'rows', singular: 'row' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
} as KubernetesObject;
