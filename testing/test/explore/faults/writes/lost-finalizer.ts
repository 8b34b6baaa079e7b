/**
 * A merge patch sends the whole list of finalizers as it was read, and takes away one that came since. After
 * kubermatic/kubermatic, issue 6759, and tigera/operator, pull request 4492.
 */
import {
  type Controller,
  controller,
  generationChanged,
  labelChanged,
  type ReconcileContext,
  updateLive,
} from 'chancery';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { find, GROUP, objectOf, patch } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const clusters = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'UserCluster',
  spec: Type.Object({}),
});
type UserCluster = ObjectOf<typeof clusters>;

const DNS = `${GROUP}/dns`;
const BACKUP = `${GROUP}/backup`;

type Add = (
  cluster: UserCluster,
  finalizer: string,
  context: ReconcileContext<UserCluster>,
) => Promise<unknown>;

/** Two controllers, each with a finalizer. The first acts on the spec, the second on a label. */
function userClusters(add: Add): readonly Controller[] {
  const permissions: Controller['permissions'] = [
    { resource: clusters, verbs: ['get', 'update', 'patch'] },
  ];
  const dns = controller({
    ...{ name: 'dns', for: clusters, permissions, predicate: generationChanged },
    async reconcile(cluster, context) {
      if (!cluster.metadata.finalizers?.includes(DNS)) await add(cluster, DNS, context);
    },
  });
  const backup = controller({
    ...{ name: 'backup', for: clusters, permissions, predicate: labelChanged },
    async reconcile(cluster, context) {
      const { finalizers, labels } = cluster.metadata;
      if (labels?.backup !== 'on' || finalizers?.includes(BACKUP)) return;
      await add(cluster, BACKUP, context);
    },
  });
  return [dns, backup];
}

const byMergePatch: Add = ({ metadata }, finalizer, { client }) => {
  const finalizers = [...(metadata.finalizers ?? []), finalizer];
  return client.patch(clusters, metadata, { type: 'merge', body: { metadata: { finalizers } } });
};

const byGuardedUpdate: Add = (cluster, finalizer, { client, clock, signal }) =>
  updateLive(
    client,
    clusters,
    cluster.metadata,
    (live) => {
      const { finalizers = [] } = live.metadata;
      // The answer to the write that added it may have been lost.
      if (finalizers.includes(finalizer)) return live;
      return { ...live, metadata: { ...live.metadata, finalizers: [...finalizers, finalizer] } };
    },
    { clock, signal },
  );

export const lostFinalizer: Fault = {
  name: 'lost update of finalizers',
  source: 'kubermatic/kubermatic#6759',
  scenario: {
    objects: [clusters.definition, objectOf(clusters, { name: 'demo' }, { spec: {} })],
    changes: [
      {
        name: 'backups of the UserCluster are switched on',
        apply: (cluster) =>
          patch(cluster, clusters, 'demo', { metadata: { labels: { backup: 'on' } } }),
      },
    ],
    atRest: [
      {
        name: 'each controller has its finalizer',
        check: (cluster) => {
          const { finalizers = [], labels } = find(cluster, clusters, 'demo')?.metadata ?? {};
          const wanted = labels?.backup === 'on' ? [DNS, BACKUP] : [DNS];
          const lost = wanted.filter((finalizer) => !finalizers.includes(finalizer));
          return lost.length === 0 ? undefined : `${lost.join(' and ')} is lost`;
        },
      },
    ],
  },
  faulty: () => userClusters(byMergePatch),
  corrected: () => userClusters(byGuardedUpdate),
  breaks: 'each controller has its finalizer',
  deviations: 1,
};
