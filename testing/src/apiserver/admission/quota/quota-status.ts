import { isDeepStrictEqual } from 'node:util';
import { ApiError } from 'chancery/internal-objects';
import type { Cluster } from '../../cluster/cluster.ts';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { CommittedEvent, ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { hardOf, QUOTAS, quotasOf, usedOf } from './quotas.ts';
import { amountText, type Usage } from './usage.ts';

/**
 * Updates `status.hard` and `status.used` of every ResourceQuota right after each write. In a real cluster,
 * kube-apiserver does this for the writes that it admits, and kube-controller-manager for all other changes.
 *
 * @returns a function that stops the updates.
 */
export function keepQuotaStatus(
  { storage }: Pick<Cluster, 'storage'>,
  accessOf: (manager: string) => ClusterAccess,
): () => void {
  const [controller, server] = [accessOf('kube-controller-manager'), accessOf('kube-apiserver')];
  return storage.subscribe((resource: ResourceName, { type, object }: CommittedEvent) => {
    const { namespace } = object.metadata;
    if (namespace === undefined) return;
    const access = type === 'ADDED' && resource !== QUOTAS ? server : controller;
    for (const quota of quotasOf(storage, namespace)) {
      const hard = hardOf(quota);
      writeStatus(access, quota, {
        hard: texts(hard),
        used: texts(usedOf(storage, namespace, hard)),
      });
    }
  });
}

function writeStatus(access: ClusterAccess, quota: StoredObject, status: object): void {
  if (isDeepStrictEqual(quota.status, status)) return;
  try {
    access.updateStatus(QUOTAS, { ...quota, status } as StoredObject);
  } catch (error) {
    // As in a real cluster, a policy may refuse this write. The status is then outdated.
    if (!(error instanceof ApiError)) throw error;
  }
}

function texts(usage: Usage): Readonly<Record<string, string>> {
  const sorted = [...usage].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([what, amount]) => [what, amountText(amount)]));
}
