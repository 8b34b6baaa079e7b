/**
 * Something outside is created before the finalizer that removes it is stored. After
 * outscale/cluster-api-provider-outscale, issue 917: a cluster that is deleted during its first reconcile leaks its network.
 */
import {
  type Controller,
  controller,
  isAlreadyExists,
  isNotFound,
  type ReconcileContext,
} from 'chancery';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { find, GROUP, objectOf, remove } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const clusters = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'CloudCluster',
  spec: Type.Object({}),
});
type CloudCluster = ObjectOf<typeof clusters>;
/** Objects of this kind stand for networks of a cloud: no owner reference removes them. */
const networks = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Network',
  spec: Type.Object({}),
});

const FINALIZER = `${GROUP}/network`;
const PERMISSIONS: Controller['permissions'] = [
  { resource: networks, verbs: ['create', 'delete'] },
  { resource: clusters, verbs: ['patch'] },
];

type Step = (cluster: CloudCluster, context: ReconcileContext<CloudCluster>) => Promise<void>;

const createNetwork: Step = async ({ metadata: { name } }, { client }) => {
  try {
    await client.create(networks, objectOf(networks, { name }, { spec: {} }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
};

const deleteNetwork: Step = async ({ metadata: { name, namespace } }, { client }) => {
  try {
    await client.delete(networks, { name, namespace });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
};

const setFinalizers =
  (finalizers: readonly string[]): Step =>
  async ({ metadata }, { client }) => {
    await client.patch(clusters, metadata, { type: 'merge', body: { metadata: { finalizers } } });
  };

/** All by hand: the finalizer is stored at the end, with whatever else the reconcile has found out. */
function storedLast(): Controller {
  return controller({
    name: 'cloud-cluster',
    for: clusters,
    permissions: PERMISSIONS,
    async reconcile(cluster, context) {
      const { deletionTimestamp, finalizers = [] } = cluster.metadata;
      if (deletionTimestamp !== undefined) {
        await deleteNetwork(cluster, context);
        await setFinalizers([])(cluster, context);
        return;
      }
      await createNetwork(cluster, context);
      if (!finalizers.includes(FINALIZER)) await setFinalizers([FINALIZER])(cluster, context);
    },
  });
}

function storedFirst(): Controller {
  return controller({
    name: 'cloud-cluster',
    for: clusters,
    permissions: PERMISSIONS,
    finalizer: { name: FINALIZER, finalize: deleteNetwork },
    reconcile: createNetwork,
  });
}

export const lateFinalizer: Fault = {
  name: 'effect before its finalizer is stored',
  source: 'outscale/cluster-api-provider-outscale#917',
  scenario: {
    objects: [
      clusters.definition,
      networks.definition,
      objectOf(clusters, { name: 'demo' }, { spec: {} }),
    ],
    changes: [
      {
        name: 'the CloudCluster is deleted',
        apply: (cluster) => remove(cluster, clusters, 'demo'),
      },
    ],
    atRest: [
      {
        name: 'no Network outlives its CloudCluster',
        check: (cluster) =>
          find(cluster, networks, 'demo') !== undefined &&
          find(cluster, clusters, 'demo') === undefined
            ? 'the CloudCluster is gone, and its Network is there'
            : undefined,
      },
    ],
  },
  faulty: () => [storedLast()],
  corrected: () => [storedFirst()],
  breaks: 'no Network outlives its CloudCluster',
  deviations: 1,
};
