import { matchesSelector, messageOf, parseSelector, type Selector } from 'chancery';
import type { StoredObject } from '../cluster-access.ts';
import { badRequest } from '../failures.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { type FieldSelector, matchesFields, parseFieldSelector } from './field-selector.ts';

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
  const labels = parseLabels(query.get('labelSelector') ?? '');
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

function parseLabels(text: string): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    throw badRequest(parseProblem(text) ?? `unable to parse requirement: ${messageOf(error)}`);
  }
}

/** The server's own words where two words stand side by side: `a b` has no operator. */
function parseProblem(text: string): string | undefined {
  const found = /^\s*[^\s=!(),]+\s+([^\s=!(),]+)/.exec(text)?.[1];
  if (found === undefined || found === 'in' || found === 'notin') return undefined;
  return `unable to parse requirement: found '${found}', expected: in, notin, =, ==, !=, gt, lt`;
}
