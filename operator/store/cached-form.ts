import { deepCopy } from '../core/deep-json.ts';
import type { Entry } from '../model/entry.ts';
import { type Transform, transformedEntry } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { matchesSelector, parseSelector, type Selector } from '../model/selector.ts';
import type { CachedForm } from './own-writes.ts';

/** The selection of a source, and the part of each object that it keeps. */
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
 * Converts answers of the API server to the form that a source would cache: the same parts, the
 * same transform, and only objects that its selectors match. Makes a copy, because the caller owns
 * the answer.
 */
export function cachedForm<T extends KubernetesObject>({
  fieldSelector,
  labelSelector = '',
  ...source
}: CachedFormOptions<T>): (answer: T) => CachedForm<T> {
  const { metadataOnly = false, namespace, transform } = source;
  const labels = selectorOf(labelSelector);
  const fields = (fieldSelector ?? '').split(',').filter((term) => term.trim() !== '');
  const kept = (answer: T): Entry<T> => {
    const { apiVersion, kind, metadata } = answer;
    const received = metadataOnly ? ({ apiVersion, kind, metadata } as T) : answer;
    return transformedEntry(deepCopy(received), transform);
  };
  return (answer) => {
    const { metadata } = answer;
    if (namespace !== undefined && metadata.namespace !== namespace) return { entry: undefined };
    if (labels === undefined) return undefined;
    if (!matchesSelector(labels, metadata.labels)) return { entry: undefined };
    const selected = fields.map((term) => holds(term, answer));
    if (selected.includes(false)) return { entry: undefined };
    if (selected.includes(undefined)) return undefined;
    return { entry: kept(answer) };
  };
}

/** Undefined for a selector that the server will refuse: nobody knows what it selects. */
function selectorOf(text: string): Selector | undefined {
  try {
    return parseSelector(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether one term of a field selector matches; undefined where the answer does not show it. Some
 * fields have defaults or names that only the server knows. So only a string at the path is
 * compared; anything else is undecided.
 */
function holds(term: string, answer: KubernetesObject): boolean | undefined {
  const [, path = '', operator = '', wanted = ''] =
    /^([^=!]*)(==|!=|=)(.*)$/.exec(term.trim()) ?? [];
  let value: unknown = answer;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  if (typeof value !== 'string' || wanted.includes('\\')) return undefined;
  return operator === '!=' ? value !== wanted : value === wanted;
}
