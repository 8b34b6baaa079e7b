import {
  byNamespace,
  type KubernetesObject,
  matchesSelector,
  objectKey,
  type ReconcileContext,
  type Source,
  source,
} from 'chancery';
import { namespaces } from 'chancery/kubernetes';
import { annotationOf } from './contract/annotations.ts';
import type { Options } from './contract/options.ts';
import { entriesOf, isLiteral } from './contract/patterns.ts';
import { referencesOf } from './contract/references.ts';
import { type ResourceRef, refKey } from './contract/resource-type.ts';
import type { WorkloadKind } from './workloads/kind.ts';

/** The index of a workload source by the resources that may concern the workload. */
export const BY_RESOURCE = 'resource';
/** The index of a workload source by namespace. */
export const BY_NAMESPACE = 'namespace';

/** The index value of one resource. */
export function resourceValue(namespace: string, resource: ResourceRef): string {
  return `${namespace}/${refKey(resource)}`;
}

/** The index value of the workloads of a namespace with patterns for the names of a type. */
export function patternValue(namespace: string, type: ResourceRef['type']): string {
  return `${namespace}/${type}/*`;
}

/** Sources are compared by their indices, too: the controllers that read one share it by its identity. */
const SOURCES = new WeakMap<object, WeakMap<object, Source>>();

/**
 * The objects of a kind of workload, with the indices by which changes of resources find them. The same kind and the
 * same options give the same source.
 */
export function workloadSource<T extends KubernetesObject>(
  kind: WorkloadKind<T>,
  options: Pick<Options, 'annotations' | 'resourceTypes'>,
): Source<T> {
  const known = SOURCES.get(options) ?? new WeakMap<object, Source>();
  SOURCES.set(options, known);
  const made = known.get(kind) ?? (newWorkloadSource(kind, options) as Source);
  known.set(kind, made);
  return made as Source<T>;
}

function newWorkloadSource<T extends KubernetesObject>(
  kind: WorkloadKind<T>,
  options: Pick<Options, 'annotations' | 'resourceTypes'>,
): Source<T> {
  return source<T>(kind.resource, {
    indexes: {
      [BY_NAMESPACE]: byNamespace,
      [BY_RESOURCE]: (workload) => {
        const { namespace } = workload.metadata;
        return namespace === undefined ? [] : resourceValues(kind, workload, namespace, options);
      },
    },
  });
}

/**
 * References, and names of named lists. A list with a pattern is found by any change of its type: the names that
 * it means are not known before they are there.
 */
function resourceValues<T extends KubernetesObject>(
  kind: WorkloadKind<T>,
  workload: T,
  namespace: string,
  { annotations: names, resourceTypes }: Pick<Options, 'annotations' | 'resourceTypes'>,
): string[] {
  const template = kind.templateOf(workload);
  if (template === undefined) return [];
  const values = [...referencesOf(template.spec).values()].map(({ ref }) =>
    resourceValue(namespace, ref),
  );
  const places = [workload.metadata.annotations ?? {}, template.metadata?.annotations ?? {}];
  for (const type of resourceTypes) {
    const entries = places.flatMap(
      (place) => entriesOf(annotationOf(place, names.reload[type]) ?? '').entries,
    );
    if (entries.every(isLiteral)) {
      values.push(...entries.map((name) => resourceValue(namespace, { type, name })));
    } else values.push(patternValue(namespace, type));
  }
  return [...new Set(values)];
}

/** The namespaces whose workloads are restarted. */
export interface NamespaceScope {
  /** Sources that `includes` reads. */
  readonly reads: readonly Source[];
  includes(namespace: string, context: Pick<ReconcileContext, 'store'>): boolean;
}

/** `--namespaces-to-ignore` and `--namespace-selector`; a list of namespaces is a setting of the manager. */
export function namespaceScope({
  ignoredNamespaces,
  namespaceSelector,
}: Pick<Options, 'ignoredNamespaces' | 'namespaceSelector'>): NamespaceScope {
  if (namespaceSelector === undefined) {
    return { reads: [], includes: (namespace) => !ignoredNamespaces.has(namespace) };
  }
  const watched = source(namespaces, { metadataOnly: true });
  return {
    reads: [watched],
    includes(namespace, { store }) {
      if (ignoredNamespaces.has(namespace)) return false;
      const found = store(watched).get(objectKey(undefined, namespace));
      return found !== undefined && matchesSelector(namespaceSelector, found.metadata.labels);
    },
  };
}
