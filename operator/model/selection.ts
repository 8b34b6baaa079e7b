import type { KubernetesObject } from './object.ts';
import { matchesSelector, parseSelector, type Requirement, type Selector } from './selector.ts';

/** The objects of a resource that a list or a watch selects. */
export interface Selection {
  /** Undefined for all namespaces, and for a cluster-scoped resource. */
  readonly namespaces?: readonly (string | undefined)[] | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** The first condition of a selection that an object does not meet. */
export type Mismatch =
  | { readonly kind: 'namespace' }
  | { readonly kind: 'label'; readonly requirement: Requirement }
  /** One term of the field selector, as a string. */
  | { readonly kind: 'field'; readonly term: string };

/**
 * `undecided`: only the API server knows if the object is selected. Either the label selector cannot be
 * parsed, or a field of the field selector has no string as its value in the object. The server may use a
 * default for such a field, or store it under another name.
 */
export type Match = 'selected' | 'undecided' | Mismatch;

/**
 * Returns a function that compares an object with a selection, like the API server does. The result is
 * `undecided` if the object does not contain enough to decide.
 */
export function matcherOf({
  namespaces,
  labelSelector = '',
  fieldSelector = '',
}: Selection): (object: KubernetesObject) => Match {
  const labels = selectorOf(labelSelector);
  const terms = fieldTerms(fieldSelector);
  return (object) => {
    const { metadata } = object;
    if (namespaces?.includes(metadata.namespace) === false) return { kind: 'namespace' };
    if (labels === undefined) return 'undecided';
    if (!matchesSelector(labels, metadata.labels)) {
      const missed = labels.find((each) => !matchesSelector([each], metadata.labels));
      return missed === undefined ? 'undecided' : { kind: 'label', requirement: missed };
    }
    let match: Match = 'selected';
    for (const term of terms) {
      const holds = termHolds(term, object);
      if (holds === false) return { kind: 'field', term };
      if (holds === undefined) match = 'undecided';
    }
    return match;
  };
}

/** The only object name that a field selector allows; undefined when it allows several names. */
export function onlyNameIn(fieldSelector = ''): string | undefined {
  for (const term of fieldTerms(fieldSelector)) {
    const { path, operator, wanted } = partsOf(term);
    if (path === 'metadata.name' && operator !== '!=') return wanted;
  }
  return undefined;
}

/** Undefined for a selector that the server will refuse. */
function selectorOf(text: string): Selector | undefined {
  try {
    return parseSelector(text);
  } catch {
    return undefined;
  }
}

function fieldTerms(fieldSelector: string): readonly string[] {
  return fieldSelector
    .split(',')
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

function partsOf(term: string): { path: string; operator: string; wanted: string } {
  const [, path = '', operator = '', wanted = ''] = /^([^=!]*)(==|!=|=)(.*)$/.exec(term) ?? [];
  return { path, operator, wanted };
}

function termHolds(term: string, object: KubernetesObject): boolean | undefined {
  const { path, operator, wanted } = partsOf(term);
  let value: unknown = object;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  if (typeof value !== 'string' || wanted.includes('\\')) return undefined;
  return operator === '!=' ? value !== wanted : value === wanted;
}
