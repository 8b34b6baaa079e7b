import { type Desired, isControlledBy, keyOf, type ReconcileContext } from 'chancery';
import { type StatefulSet, statefulSets } from 'chancery/kubernetes';
import { MANAGED, RESTORED_FROM } from '../labels.ts';
import type { Cluster } from '../resources.ts';
import { podTemplateOf, type Restore } from './pod-template.ts';

/** The StatefulSet of a cluster, once it is there. */
export function madeFor(
  cluster: Cluster,
  { store }: Pick<ReconcileContext, 'store'>,
): StatefulSet | undefined {
  const found = store(statefulSets).get(keyOf(cluster));
  return found !== undefined && isControlledBy(found, cluster) ? found : undefined;
}

export function statefulSetOf(
  cluster: Cluster,
  restore: Restore | undefined,
): Desired<StatefulSet> {
  const { metadata, spec } = cluster;
  const labels = { app: metadata.name };
  const origin = restore && { [RESTORED_FROM]: `${restore.claim}/${restore.backup}` };
  return {
    metadata: {
      name: metadata.name,
      labels: { ...MANAGED, ...labels },
      ...(origin && { annotations: origin }),
    },
    spec: {
      serviceName: metadata.name,
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: podTemplateOf(cluster, restore),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data', labels },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: spec.storage } },
          },
        },
      ],
    },
  };
}
