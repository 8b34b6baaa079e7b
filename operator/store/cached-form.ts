import { deepCopy } from '../core/json/deep-json.ts';
import type { Entry } from '../model/entry.ts';
import { type Transform, transformedEntry } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { matcherOf } from '../model/selection.ts';
import type { CachedForm } from './own-writes.ts';

/** The selection of a source, and what the source keeps of each object. */
export interface CachedFormOptions<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly metadataOnly?: boolean;
  readonly transform: Transform<T>;
}

/**
 * Converts answers of the API server to what a source would cache: the same fields of each object, the same
 * transform, and only objects that the selectors match. Makes a copy, because the caller owns the answer.
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
