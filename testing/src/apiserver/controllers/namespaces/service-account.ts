import type { ObjectKey } from 'chancery';
import { objectKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName } from '../../objects/stored-object.ts';
import type { WorkloadController } from '../runner/workload-controller.ts';

const SERVICE_ACCOUNTS: ResourceName = 'serviceaccounts';
const NAMESPACES: ResourceName = 'namespaces';

/** The ServiceAccount of every Pod whose spec does not set one. */
const DEFAULT_ACCOUNT = 'default';

/** Keeps the ServiceAccount `default` in every namespace. */
export function serviceAccountController(access: ClusterAccess): WorkloadController {
  return {
    watches: [
      {
        resource: NAMESPACES,
        keysFor: ({ object }) => [objectKey(object.metadata.name, DEFAULT_ACCOUNT)],
      },
      {
        resource: SERVICE_ACCOUNTS,
        keysFor: ({ object: { metadata } }) =>
          metadata.name === DEFAULT_ACCOUNT ? [objectKey(metadata.namespace, DEFAULT_ACCOUNT)] : [],
      },
    ],
    reconcile: (key) => reconcile(access, key),
  };
}

function reconcile(access: ClusterAccess, key: ObjectKey): undefined {
  const namespace = key.slice(0, key.indexOf('/'));
  const home = access.get(NAMESPACES, undefined, namespace);
  if (home === undefined || home.metadata.deletionTimestamp !== undefined) return undefined;
  if (access.get(SERVICE_ACCOUNTS, namespace, DEFAULT_ACCOUNT) !== undefined) return undefined;
  access.create(SERVICE_ACCOUNTS, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: DEFAULT_ACCOUNT, namespace },
  });
  return undefined;
}
