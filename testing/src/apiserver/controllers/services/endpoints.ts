import type { Clock, ObjectKey } from 'chancery';
import { rfc3339, splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import { jsonEquals } from '../../objects/json-value.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { watchSelf } from '../pods/dependents.ts';
import type { WorkloadController } from '../runner/workload-controller.ts';
import {
  type Backend,
  type BackendGroup,
  backendGroups,
  headlessLabel,
  isSelecting,
  podReference,
  SERVICES,
  type Service,
  watchBackends,
} from './service-backends.ts';

const ENDPOINTS: ResourceName = 'endpoints';
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Keeps the Endpoints of every Service that has a selector. */
export function endpointsController(access: ClusterAccess, clock: Clock): WorkloadController {
  return {
    watches: [...watchBackends(access), watchSelf(ENDPOINTS)],
    reconcile: (key) => reconcile(access, clock, key),
  };
}

function reconcile(access: ClusterAccess, clock: Clock, key: ObjectKey): undefined {
  const { namespace, name } = splitKey(key);
  const service = access.get(SERVICES, namespace, name) as Service | undefined;
  const found = access.get(ENDPOINTS, namespace, name);
  if (service === undefined) {
    // Endpoints without this label were created by a client and belong to the client.
    if (found?.metadata.labels?.[MANAGED_BY] !== undefined)
      access.delete(ENDPOINTS, namespace, name);
    return undefined;
  }
  if (!isSelecting(service) || service.metadata.deletionTimestamp !== undefined) return undefined;
  const labels = {
    ...service.metadata.labels,
    [MANAGED_BY]: 'endpoint-controller',
    ...headlessLabel(service),
  };
  const subsets = backendGroups(access, service).flatMap(subsetOf);
  if (found !== undefined && isUpToDate(found, subsets, labels)) return undefined;
  const annotations = { ...found?.metadata.annotations, [TRIGGER_TIME]: rfc3339(clock.now()) };
  const metadata = { ...found?.metadata, name, namespace, labels, annotations };
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata,
    ...(subsets.length === 0 ? {} : { subsets }),
  } as unknown as StoredObject;
  if (found === undefined) access.create(ENDPOINTS, endpoints);
  else access.update(ENDPOINTS, endpoints);
  return undefined;
}

function isUpToDate(found: StoredObject, subsets: readonly object[], labels: object): boolean {
  return (
    jsonEquals(found.subsets ?? [], subsets) && jsonEquals(found.metadata.labels ?? {}, labels)
  );
}

/**
 * One subset of the Endpoints. Terminating Pods are omitted unless they are ready. EndpointSlices, in
 * contrast, list every terminating Pod, with the condition `terminating`.
 */
function subsetOf({ ports, backends }: BackendGroup): readonly object[] {
  const staying = backends.filter(({ terminating, ready }) => !terminating || ready);
  if (staying.length === 0) return [];
  const ready = staying.filter((backend) => backend.ready).map(addressOf);
  const notReady = staying.filter((backend) => !backend.ready).map(addressOf);
  return [
    {
      ...(ready.length === 0 ? {} : { addresses: ready }),
      ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
      ...(ports.length === 0 ? {} : { ports: ports.map(withoutEmptyName) }),
    },
  ];
}

function withoutEmptyName({ name, ...port }: BackendGroup['ports'][number]): object {
  return name === '' ? port : { name, ...port };
}

function addressOf({ pod, ip }: Backend): object {
  return { ip, nodeName: pod.spec.nodeName, targetRef: podReference(pod) };
}
