import { matchesSelector, type Selector } from 'chancery';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { type FieldSelector, matchesFields, parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';

/** Which objects of a collection a request means. */
export interface Selection {
  readonly namespace: string | undefined;
  readonly labels: Selector;
  readonly fields: FieldSelector;
  /** True when it is everything in the namespace: then a list counts what remains. */
  readonly everything: boolean;
  matches(object: StoredObject): boolean;
}

/** @throws ApiError 400 for a selector that cannot be parsed. */
export function parseSelection(
  query: URLSearchParams,
  served: ServedResource,
  namespace: string | undefined,
): Selection {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '', served);
  return {
    namespace,
    labels,
    fields,
    everything: labels.length === 0 && fields.length === 0,
    matches: (object) =>
      matchesSelector(labels, object.metadata.labels) && matchesFields(fields, served, object),
  };
}
