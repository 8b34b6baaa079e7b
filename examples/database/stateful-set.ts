import type { Desired } from 'chancery';
import type { coreV1, StatefulSet } from 'chancery/kubernetes';
import { connectionOf } from './jobs.ts';
import { labelsOf, replicaLabels, type Scene } from './scene.ts';

/** On the StatefulSet: what its image is a version of. Written together with the image, or not at all. */
export const VERSION = 'example.dev/database-version';

export const PORT = 'database';

export interface Release {
  readonly image: string;
  readonly version: string | undefined;
}

export function desiredStatefulSet(
  scene: Scene,
  { image, version }: Release,
  replicas: number,
): Desired<StatefulSet> {
  const { db, name } = scene;
  const { size, className, mountPath } = db.spec.storage;
  const container: coreV1.Container = {
    name: 'database',
    image,
    ports: [{ name: PORT, containerPort: db.spec.port }],
    envFrom: connectionOf(scene),
    volumeMounts: [{ name: 'data', mountPath }],
  };
  return {
    metadata: {
      name,
      labels: labelsOf(name),
      ...(version !== undefined && { annotations: { [VERSION]: version } }),
    },
    spec: {
      serviceName: name,
      replicas,
      selector: { matchLabels: replicaLabels(name) },
      template: {
        metadata: { labels: replicaLabels(name) },
        spec: { automountServiceAccountToken: false, containers: [container] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data', labels: labelsOf(name) },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: size } },
            ...(className !== undefined && { storageClassName: className }),
          },
        },
      ],
    },
  };
}
