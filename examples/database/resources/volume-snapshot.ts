import { defineResource, type KubernetesObject, type Resource } from 'chancery';

/** As far as it matters here; its definition comes with the storage, or there is none. */
export interface VolumeSnapshot extends KubernetesObject {
  readonly spec: {
    readonly source: { readonly persistentVolumeClaimName: string };
  };
  readonly status?: {
    readonly readyToUse?: boolean;
    readonly error?: { readonly message?: string };
  };
}

export const volumeSnapshots: Resource<VolumeSnapshot> = defineResource<VolumeSnapshot>({
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  plural: 'volumesnapshots',
  kind: 'VolumeSnapshot',
  namespaced: true,
});
