import type { Clock, Condition, ObjectKey } from 'chancery';
import { isNotFound, objectKey, resourceName } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { PODS } from '../pods/pod-template.ts';
import { Slice } from '../runner/slice.ts';
import type { Again, WorkloadController } from '../runner/workload-controller.ts';
import { type Content, endingConditions } from './namespace-conditions.ts';

const NAMESPACES: ResourceName = 'namespaces';

/** The entry in `spec.finalizers` that prevents the removal of a namespace until it is empty. */
const CONTENT_FINALIZER = 'kubernetes';

interface Namespace extends StoredObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Empties a namespace that is being deleted, and releases it when it is empty. */
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

function reconcile(access: ClusterAccess, clock: Clock, name: string): Again {
  const namespace = access.get(NAMESPACES, undefined, name) as Namespace | undefined;
  if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
  const slice = new Slice(clock);
  const left = sweep(access, name, slice);
  if (left === 'more') return 'more';
  report(access, clock, namespace, left);
  if (left.length === 0) release(access, name);
  return undefined;
}

/**
 * Deletes the objects in the namespace: first the Pods, then the objects that Pods may need.
 * @returns the objects that are left.
 */
function sweep(
  access: ClusterAccess,
  namespace: string,
  slice: Slice,
): readonly Content[] | 'more' {
  const pods = empty(access, namespace, [PODS], slice);
  if (pods === 'more' || pods.length > 0) return pods;
  const resources = access.resources().filter((resource) => resource.namespaced);
  return empty(access, namespace, resources.map(resourceName), slice);
}

function empty(
  access: ClusterAccess,
  namespace: string,
  resources: readonly ResourceName[],
  slice: Slice,
): readonly Content[] | 'more' {
  const contents = (): readonly Content[] =>
    resources.flatMap((resource) =>
      access.list(resource, namespace).map((object) => ({ resource, object })),
    );
  const staying = contents().filter(
    ({ object }) => object.metadata.deletionTimestamp === undefined,
  );
  const isDone = slice.forEach(staying, ({ resource, object }) => {
    try {
      access.delete(resource, namespace, object.metadata.name, { propagationPolicy: 'Background' });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  });
  return isDone ? contents() : 'more';
}

/** Reports the objects that the namespace waits for. */
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

/**
 * Removes the server's finalizer from `spec.finalizers`. If this list contains another finalizer, the
 * namespace still exists afterwards.
 */
function release(access: ClusterAccess, name: string): void {
  const namespace = access.get(NAMESPACES, undefined, name) as Namespace | undefined;
  const finalizers = namespace?.spec?.finalizers ?? [];
  if (namespace === undefined || !finalizers.includes(CONTENT_FINALIZER)) return;
  const left = finalizers.filter((one) => one !== CONTENT_FINALIZER);
  access.update(NAMESPACES, { ...namespace, spec: { finalizers: left } } as StoredObject);
}
