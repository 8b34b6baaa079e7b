import { objectKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { isSelected } from '../../objects/stored-selector.ts';
import { isFinished, isReady, type Pod } from '../pods/pod.ts';
import { PODS } from '../pods/pod-template.ts';
import type { WatchedResource } from '../runner/workload-controller.ts';

export const SERVICES: ResourceName = 'services';

/** A port of a Service's spec. */
interface ServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly appProtocol?: string;
}

export interface Service extends StoredObject {
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly ServicePort[];
    readonly publishNotReadyAddresses?: boolean;
  };
}

/** The port of a Pod that receives the connections to a port of a Service. */
export interface BackendPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** A Pod that receives connections to a Service. */
export interface Backend {
  readonly pod: Pod;
  readonly ip: string;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
}

/**
 * The Pods of a Service that receive its connections on the same port numbers. The Pods of a Service can form
 * several groups, because a named port may have a different number in each Pod.
 */
export interface BackendGroup {
  readonly ports: readonly BackendPort[];
  readonly backends: readonly Backend[];
}

/** Watches Services, and Pods that a Service selects or has selected before. */
export function watchBackends(access: ClusterAccess): readonly WatchedResource[] {
  return [
    {
      resource: SERVICES,
      keysFor: ({ object }) => [objectKey(object.metadata.namespace, object.metadata.name)],
    },
    {
      resource: PODS,
      keysFor: ({ object, previous }) =>
        (access.list(SERVICES, object.metadata.namespace) as readonly Service[])
          .filter((service) => selects(service, object) || (previous && selects(service, previous)))
          .map(({ metadata }) => objectKey(metadata.namespace, metadata.name)),
    },
  ];
}

/** True for a Service with a selector. Only for such a Service does the controller look for Pods. */
export function isSelecting({ spec }: Service): boolean {
  return spec.type !== 'ExternalName' && Object.keys(spec.selector ?? {}).length > 0;
}

function selects(service: Service, object: StoredObject): boolean {
  return isSelecting(service) && isSelected({ matchLabels: service.spec.selector ?? {} }, object);
}

/** Groups the Pods of a Service that have an address by their target ports. Pods are sorted by name. */
export function backendGroups(access: ClusterAccess, service: Service): readonly BackendGroup[] {
  const groups = new Map<string, { ports: readonly BackendPort[]; backends: Backend[] }>();
  for (const pod of access.list(PODS, service.metadata.namespace) as readonly Pod[]) {
    const { podIP } = (pod.status ?? {}) as { readonly podIP?: string };
    if (!selects(service, pod) || isFinished(pod) || !podIP) continue;
    const ports = portsOf(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, backends: [] };
    group.backends.push(backendOf(service, pod, podIP));
    groups.set(key, group);
  }
  return [...groups.values()];
}

function backendOf({ spec }: Service, pod: Pod, ip: string): Backend {
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = spec.publishNotReadyAddresses === true || (serving && !terminating);
  return { pod, ip, ready, serving, terminating };
}

function portsOf({ spec }: Service, pod: Pod): readonly BackendPort[] {
  return (spec.ports ?? []).flatMap(({ name = '', protocol = 'TCP', port, ...rest }) => {
    const number = portNumber(rest.targetPort ?? port, protocol, pod);
    if (number === undefined) return [];
    const { appProtocol } = rest;
    return [
      { name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) },
    ];
  });
}

function portNumber(target: number | string, protocol: string, { spec }: Pod): number | undefined {
  if (typeof target === 'number') return target;
  interface ContainerPort {
    readonly name?: string;
    readonly containerPort: number;
    readonly protocol?: string;
  }
  const ports = spec.containers.flatMap(
    (container) =>
      ((container as { ports?: readonly ContainerPort[] }).ports ?? []) as readonly ContainerPort[],
  );
  return ports.find(({ name, protocol: own = 'TCP' }) => name === target && own === protocol)
    ?.containerPort;
}

/** The reference from an endpoint to its Pod. */
export function podReference({ metadata: { name, namespace, uid } }: Pod): object {
  return { kind: 'Pod', namespace, name, uid };
}

/** The label that marks the Endpoints and slices of a headless Service. */
export function headlessLabel({ spec }: Service): Readonly<Record<string, string>> {
  return spec.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {};
}
