import type { Clock, Condition } from 'chancery';
import { isNotFound, type ObjectKey, objectKey, resourceName } from 'chancery';
import type { ClusterAccess, ResourceName, StoredObject } from '../../cluster-access.ts';
import { PODS } from '../pods/pod-template.ts';
import type { WorkloadController } from '../runner/workload-controller.ts';
import { type Content, endingConditions } from './namespace-conditions.ts';

const NAMESPACES: ResourceName = 'namespaces';

/** Holds a namespace in `spec.finalizers` until it is empty. */
const CONTENT_FINALIZER = 'kubernetes';

interface Namespace extends StoredObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Empties a namespace that is being deleted, and lets it go when nothing is left in it. */
export function namespaceController(access: ClusterAccess, clock: Clock): WorkloadController {
  return {
    watches: [],
    keysForAny(resource, { type, object }): readonly ObjectKey[] {
      if (resource === NAMESPACES && type !== 'DELETED')
        return [objectKey(undefined, object.metadata.name)];
      const { namespace } = object.metadata;
      return namespace !== undefined && isTerminating(access, namespace)
        ? [objectKey(undefined, namespace)]
        : [];
    },
    reconcile: (key) => reconcile(access, clock, key),
  };
}

function isTerminating(access: ClusterAccess, name: string): boolean {
  return access.get(NAMESPACES, undefined, name)?.metadata.deletionTimestamp !== undefined;
}

function reconcile(access: ClusterAccess, clock: Clock, name: string): undefined {
  const namespace = access.get(NAMESPACES, undefined, name) as Namespace | undefined;
  if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
  const left = sweep(access, name);
  report(access, clock, namespace, left);
  if (left.length === 0) release(access, name);
  return undefined;
}

/** Deletes what is in the namespace: first the Pods, then what they may need. @returns what is left. */
function sweep(access: ClusterAccess, namespace: string): readonly Content[] {
  const pods = empty(access, namespace, [PODS]);
  if (pods.length > 0) return pods;
  const resources = access.resources().filter((resource) => resource.namespaced);
  return empty(access, namespace, resources.map(resourceName));
}

function empty(
  access: ClusterAccess,
  namespace: string,
  resources: readonly ResourceName[],
): readonly Content[] {
  for (const resource of resources) {
    for (const { metadata } of access.list(resource, namespace)) {
      if (metadata.deletionTimestamp !== undefined) continue;
      try {
        access.delete(resource, namespace, metadata.name, { propagationPolicy: 'Background' });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }
  return resources.flatMap((resource) =>
    access.list(resource, namespace).map((object) => ({ resource, object })),
  );
}

/** Says what the namespace waits for. */
function report(
  access: ClusterAccess,
  clock: Clock,
  namespace: Namespace,
  left: readonly Content[],
): void {
  const current = access.get(NAMESPACES, undefined, namespace.metadata.name);
  if (current === undefined) return;
  const conditions = endingConditions(namespace.status?.conditions ?? [], left, clock.now());
  const status = { ...(current.status as object | undefined), conditions };
  access.updateStatus(NAMESPACES, { ...current, status } as StoredObject);
}

/** Takes the server's own finalizer off; another one in the spec still holds the namespace. */
function release(access: ClusterAccess, name: string): void {
  const namespace = access.get(NAMESPACES, undefined, name) as Namespace | undefined;
  const finalizers = namespace?.spec?.finalizers ?? [];
  if (namespace === undefined || !finalizers.includes(CONTENT_FINALIZER)) return;
  const left = finalizers.filter((one) => one !== CONTENT_FINALIZER);
  access.update(NAMESPACES, { ...namespace, spec: { finalizers: left } } as StoredObject);
}
