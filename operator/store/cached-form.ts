import { deepCopy } from '../core/json/deep-json.ts';
import type { Entry } from '../model/entry.ts';
import { type Transform, transformedEntry } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { matcherOf } from '../model/selection.ts';
import type { CachedForm } from './own-writes.ts';

/** Which objects a source selects, and which data it keeps of each object. */
export interface CachedFormOptions<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly metadataOnly?: boolean;
  readonly transform: Transform<T>;
}

/**
 * Converts an answer of the API server to the entry that a source would cache, with the same fields and the
 * same transform. If the selectors do not match the object, there is no entry. The entry is a copy, because
 * the answer belongs to the caller.
 */
export function cachedForm<T extends KubernetesObject>({
  fieldSelector,
  labelSelector,
  ...source
}: CachedFormOptions<T>): (answer: T) => CachedForm<T> {
  const { metadataOnly = false, namespace, transform } = source;
  const namespaces = namespace === undefined ? undefined : [namespace];
  const match = matcherOf({ namespaces, labelSelector, fieldSelector });
  const kept = (answer: T): Entry<T> => {
    const { apiVersion, kind, metadata } = answer;
    const received = metadataOnly ? ({ apiVersion, kind, metadata } as T) : answer;
    return transformedEntry(deepCopy(received), transform);
  };
  return (answer) => {
    const found = match(answer);
    if (found === 'undecided') return undefined;
    return { entry: found === 'selected' ? kept(answer) : undefined };
  };
}
