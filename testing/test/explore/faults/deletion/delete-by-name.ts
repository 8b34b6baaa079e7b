/**
 * A delete that names no uid removes whatever has the name by then. After rabbitmq/cluster-operator, issue 648, which was
 * mended with a precondition on the uid of the StatefulSet.
 */
import { type Controller, controller, isAlreadyExists, isControlledBy, isNotFound } from 'chancery';
import { configMaps, type StatefulSet, statefulSets } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { statefulSet } from '../../../../src/objects/workloads.ts';
import { controlledBy, find, GROUP, NAMESPACE, objectOf, remove } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const clusters = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'MessageCluster',
  spec: Type.Object({}),
});

const OWN_SERVER = statefulSet('demo-server', { namespace: NAMESPACE }) as StatefulSet;
const SERVER_OF_A_PERSON = statefulSet('demo-server', {
  namespace: NAMESPACE,
  labels: { 'managed-by': 'a-person' },
}) as StatefulSet;

type Preconditions = (server: StatefulSet) => { readonly uid?: string };

function messages(preconditionsOf: Preconditions): Controller {
  return controller({
    name: 'messages',
    for: clusters,
    owns: [statefulSets],
    permissions: [{ resource: statefulSets, verbs: ['create', 'delete'] }],
    finalizer: {
      name: `${GROUP}/server`,
      async finalize(cluster, { client, store }) {
        const server = store(statefulSets).get({ namespace: NAMESPACE, name: 'demo-server' });
        if (server === undefined || !isControlledBy(server, cluster)) return;
        const preconditions = preconditionsOf(server);
        try {
          await client.delete(statefulSets, server.metadata, { preconditions });
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      },
    },
    async reconcile(cluster, { client }) {
      const metadata = { ...OWN_SERVER.metadata, ...controlledBy(cluster) };
      try {
        await client.create(statefulSets, { ...OWN_SERVER, metadata });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    },
  });
}

export const deleteByName: Fault = {
  name: 'delete by name without a uid',
  source: 'rabbitmq/cluster-operator#648',
  scenario: {
    objects: [clusters.definition, objectOf(clusters, { name: 'demo' }, { spec: {} })],
    changes: [
      { name: 'the cluster is deleted', apply: (cluster) => remove(cluster, clusters, 'demo') },
      {
        name: 'a person puts a StatefulSet of the same name in its place',
        apply: (cluster) => {
          if (find(cluster, statefulSets, 'demo-server')) {
            remove(cluster, statefulSets, 'demo-server');
          }
          cluster.create(SERVER_OF_A_PERSON);
          cluster.create(objectOf(configMaps, { name: 'taken-over' }, {}));
        },
      },
    ],
    atRest: [
      {
        name: 'the StatefulSet of a person stays',
        check: (cluster) => {
          if (find(cluster, configMaps, 'taken-over') === undefined) return undefined;
          const labels = find(cluster, statefulSets, 'demo-server')?.metadata.labels;
          return labels?.['managed-by'] === 'a-person' ? undefined : 'it was deleted';
        },
      },
    ],
  },
  faulty: () => [messages(() => ({}))],
  corrected: () => [messages(({ metadata: { uid = '' } }) => ({ uid }))],
  breaks: 'the StatefulSet of a person stays',
  deviations: 1,
};
