import type { Clock, ObjectKey } from 'chancery';
import { objectKey, rfc3339, splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import { jsonEquals } from '../../objects/json-value.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { controllerReference } from '../pods/pod-template.ts';
import type { WorkloadController } from '../runner/workload-controller.ts';
import { TRIGGER_TIME } from './endpoints.ts';
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

const ENDPOINT_SLICES: ResourceName = 'endpointslices.discovery.k8s.io';
const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const CONTROLLER = 'endpointslice-controller.k8s.io';

/**
 * The largest number of endpoints in one slice: kube-controller-manager's
 * `--max-endpoints-per-slice`.
 */
const SLICE_LENGTH = 100;

/** The desired content of one slice. */
interface Page {
  readonly ports: readonly object[];
  readonly endpoints: readonly object[];
}

/**
 * Keeps the EndpointSlices of every Service that has a selector. They are deleted with the Service.
 */
export function endpointSliceController(access: ClusterAccess, clock: Clock): WorkloadController {
  return {
    watches: [
      ...watchBackends(access),
      {
        resource: ENDPOINT_SLICES,
        keysFor: ({ object: { metadata } }) => {
          const service = metadata.labels?.[SERVICE_NAME];
          return service === undefined ? [] : [objectKey(metadata.namespace, service)];
        },
      },
    ],
    reconcile: (key) => reconcile(access, clock, key),
  };
}

function reconcile(access: ClusterAccess, clock: Clock, key: ObjectKey): undefined {
  const { namespace, name } = splitKey(key);
  const service = access.get(SERVICES, namespace, name) as Service | undefined;
  // The garbage collector deletes the slices of a deleted Service.
  if (service === undefined || service.metadata.deletionTimestamp !== undefined) return undefined;
  const slices = access
    .list(ENDPOINT_SLICES, namespace)
    .filter(({ metadata: { labels, deletionTimestamp } }) => {
      const isOurs = labels?.[SERVICE_NAME] === name && labels?.[MANAGED_BY] === CONTROLLER;
      return isOurs && deletionTimestamp === undefined;
    });
  const pages = isSelecting(service) ? pagesOf(access, service) : [];
  const spare = new Set(slices);
  const open = pages.filter((page) => {
    const same = [...spare].find((slice) => isUpToDate(slice, page));
    if (same !== undefined) spare.delete(same);
    return same === undefined;
  });
  for (const page of open) {
    const [reused] = spare;
    if (reused !== undefined) spare.delete(reused);
    write(access, clock, service, page, reused);
  }
  for (const { metadata } of spare) access.delete(ENDPOINT_SLICES, namespace, metadata.name);
  return undefined;
}

/** The desired slices of a Service. A Service without Pods has one empty slice. */
function pagesOf(access: ClusterAccess, service: Service): readonly Page[] {
  const groups: readonly BackendGroup[] = backendGroups(access, service);
  if (groups.length === 0) return [{ ports: [], endpoints: [] }];
  return groups.flatMap(({ ports, backends }) => {
    const endpoints = backends.map(endpointOf);
    const count = Math.ceil(endpoints.length / SLICE_LENGTH);
    return Array.from({ length: count }, (_, index) => ({
      ports,
      endpoints: endpoints.slice(index * SLICE_LENGTH, (index + 1) * SLICE_LENGTH),
    }));
  });
}

function endpointOf({ pod, ip, ready, serving, terminating }: Backend): object {
  return {
    addresses: [ip],
    conditions: { ready, serving, terminating },
    nodeName: pod.spec.nodeName,
    targetRef: podReference(pod),
  };
}

function isUpToDate(slice: StoredObject, { ports, endpoints }: Page): boolean {
  return jsonEquals(slice.ports ?? [], ports) && jsonEquals(slice.endpoints ?? [], endpoints);
}

function write(
  access: ClusterAccess,
  clock: Clock,
  service: Service,
  { ports, endpoints }: Page,
  reused: StoredObject | undefined,
): void {
  const { name, namespace, labels } = service.metadata;
  const annotations = { [TRIGGER_TIME]: rfc3339(clock.now()) };
  if (reused !== undefined) {
    const metadata = { ...reused.metadata, annotations };
    access.update(ENDPOINT_SLICES, { ...reused, metadata, ports, endpoints } as StoredObject);
    return;
  }
  access.create(ENDPOINT_SLICES, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: '',
      generateName: `${name}-`,
      namespace,
      labels: {
        ...labels,
        [MANAGED_BY]: CONTROLLER,
        [SERVICE_NAME]: name,
        ...headlessLabel(service),
      },
      annotations,
      ownerReferences: [controllerReference(service)],
    },
    addressType: 'IPv4',
    ports,
    endpoints,
  } as unknown as StoredObject);
}
