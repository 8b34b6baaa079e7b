/**
 * An object that refers to a Secret reads it once, and nothing tells it when the Secret comes. After
 * chaos-mesh/chaos-mesh, issue 4375: a RemoteCluster does not react to the Secret that it names.
 */
import {
  type Controller,
  controller,
  enqueueMapped,
  generationChanged,
  isAlreadyExists,
} from 'chancery';
import { secrets } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { find, GROUP, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const clusters = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'RemoteCluster',
  spec: Type.Object({}),
  status: Type.Object({ phase: Type.Enum(['Waiting', 'Connected']) }),
});

/** Gives each RemoteCluster its Secret, whose name is that of the RemoteCluster. */
function issuer(): Controller {
  return controller({
    name: 'issuer',
    for: clusters,
    permissions: [{ resource: secrets, verbs: ['create'] }],
    predicate: generationChanged,
    async reconcile({ metadata: { name } }, { client }) {
      const secret = objectOf(secrets, { name }, { data: { token: 'c2VjcmV0' } });
      await client.create(secrets, secret).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    },
  });
}

function connector(watches: Controller['watches']): Controller {
  return controller({
    name: 'connector',
    for: clusters,
    watches,
    predicate: generationChanged,
    permissions: [{ resource: secrets, verbs: ['get'] }],
    async reconcile({ metadata }, { client, setStatus }) {
      const secret = await client.find(secrets, metadata);
      await setStatus({ phase: secret === undefined ? 'Waiting' : 'Connected' });
    },
  });
}

export const unwatchedReference: Fault = {
  name: 'missed wake of a reference',
  source: 'chaos-mesh/chaos-mesh#4375',
  scenario: {
    objects: [clusters.definition, objectOf(clusters, { name: 'demo' }, { spec: {} })],
    atRest: [
      {
        name: 'a RemoteCluster with a Secret is connected',
        check: (cluster) => {
          if (find(cluster, secrets, 'demo') === undefined) return undefined;
          const phase = find(cluster, clusters, 'demo')?.status?.phase;
          return phase === 'Connected' ? undefined : `the Secret is there, and it is ${phase}`;
        },
      },
    ],
  },
  faulty: () => [issuer(), connector([])],
  corrected: () => [issuer(), connector([enqueueMapped(secrets, ({ metadata }) => [metadata])])],
  breaks: 'a RemoteCluster with a Secret is connected',
  deviations: 1,
};
