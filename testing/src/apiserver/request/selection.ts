import type { Selector } from 'chancery';
import {
  ConfigurationError,
  matchesSelector,
  messageOf,
  parseSelector,
} from 'chancery/internal-objects';
import type { FeatureGates } from '../behaviour/feature-gates.ts';
import { badRequest } from '../failures/failure.ts';
import { int64Problem } from '../objects/go-integers.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { labelKey, labelValue } from '../validation/fields/formats.ts';
import { selectorProblem } from './selector-problem.ts';
import { parseShardSelector, type ShardSelector } from './shard-selector.ts';

/** The objects of a collection that a request selects. */
export interface Selection {
  readonly namespace: string | undefined;
  readonly labels: Selector;
  readonly fields: FieldSelector;
  /** Undefined if the request has no shard selector, or the server ignores it. */
  readonly shards: ShardSelector | undefined;
  /**
   * True for a request without label and field selectors. A list then reports the number of remaining
   * objects. Like in 1.36, it does not matter whether the request has a shard selector (`Empty` in
   * k8s.io/apiserver pkg/storage/selection_predicate.go).
   */
  readonly everything: boolean;
  matches(object: StoredObject): boolean;
}

/**
 * @throws ApiError 400 for a label or field selector that cannot be parsed, and 500 for a shard selector that
 * cannot be parsed.
 */
export function parseSelection(
  query: URLSearchParams,
  served: ServedResource,
  namespace: string | undefined,
  { ShardedListAndWatch }: FeatureGates,
): Selection {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '', served);
  // An empty parameter counts as absent. A parameter that contains only white space is an invalid selector.
  const ranges = (ShardedListAndWatch && query.get('shardSelector')) || undefined;
  const shards = ranges === undefined ? undefined : parseShardSelector(ranges);
  return {
    namespace,
    labels,
    fields,
    shards,
    everything: labels.length === 0 && fields.length === 0,
    matches: (object) =>
      matchesSelector(labels, object.metadata.labels) &&
      matchesFields(fields, served, object) &&
      (shards?.matches(object) ?? true),
  };
}

/**
 * Parses a label selector.
 *
 * @throws ApiError 400, with the server's message for invalid keys and values (`NewRequirement` and
 * `parseKeyAndInferOperator` in k8s.io/apimachinery pkg/labels/selector.go).
 */
function parseLabelSelector(text: string): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    const problem = requirementProblem(error);
    throw badRequest(
      problem === undefined
        ? (selectorProblem(text) ?? messageOf(error))
        : `unable to parse requirement: ${problem}`,
    );
  }
}

function requirementProblem(error: unknown): string | undefined {
  if (!(error instanceof ConfigurationError)) return undefined;
  const { key, operator, values } = error.context;
  if (typeof key !== 'string' || typeof values !== 'string') return undefined;
  const wrongKey = labelKey(key);
  // The server passes no path to the parser, and a nil path is printed as `<nil>`.
  if (wrongKey.length > 0) return invalid('<nil>', key, wrongKey.join('; '));
  const compares = operator === 'above' || operator === 'below';
  // The server stores the values as a set, and prints them sorted.
  const sorted = [...new Set(values.split(','))].sort();
  const problems = [
    ...sorted.flatMap((value, at) => (compares ? integerProblems(value, at) : [])),
    ...sorted.flatMap((value, at) => {
      const wrong = labelValue(value);
      return wrong.length > 0 ? [invalid(`values[${at}][${key}]`, value, wrong.join('; '))] : [];
    }),
  ];
  return problems.length > 1 ? `[${problems.join(', ')}]` : problems[0];
}

function integerProblems(value: string, at: number): string[] {
  if (int64Problem(value) === undefined) return [];
  const why = "for 'Gt', 'Lt' operators, the value must be an integer";
  return [invalid(`values[${at}]`, value, why)];
}

function invalid(path: string, value: string, why: string): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${why}`;
}

interface Term {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

type FieldSelector = readonly Term[];

/**
 * Parses a field selector: `a=b`, `a==b` and `a!=b`, joined by commas.
 *
 * @throws ApiError 400 for a field that is not selectable.
 */
function parseFieldSelector(text: string, served: ServedResource): FieldSelector {
  const known = Object.keys(selectableFields(served, EMPTY));
  const terms: Term[] = [];
  for (const part of text.split(/(?<!\\),/).filter((term) => term !== '')) {
    const match = /^([^=!]*)(!=|==|=)(.*)$/.exec(part);
    if (match === null) {
      throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    }
    const [, field = '', operator, value = ''] = match;
    if (!known.includes(field)) throw badRequest(unknownField(field, served));
    terms.push({ field, equal: operator !== '!=', value: value.replace(/\\([\\,=])/g, '$1') });
  }
  return terms;
}

function unknownField(field: string, served: ServedResource): string {
  const named = Object.keys(served.strategy.selectableFields(EMPTY));
  if (served.custom) return `field label not supported: ${field}`;
  if (named.length > 0) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function matchesFields(
  selector: FieldSelector,
  served: ServedResource,
  object: StoredObject,
): boolean {
  if (selector.length === 0) return true;
  const fields = selectableFields(served, object);
  return selector.every(({ field, equal, value }) => ((fields[field] ?? '') === value) === equal);
}

const EMPTY: StoredObject = { apiVersion: '', kind: '', metadata: { name: '' } };

function selectableFields(
  served: ServedResource,
  object: StoredObject,
): Readonly<Record<string, string>> {
  return {
    'metadata.name': object.metadata.name ?? '',
    ...(served.namespaced || served.custom
      ? { 'metadata.namespace': object.metadata.namespace ?? '' }
      : {}),
    ...served.strategy.selectableFields(object),
  };
}
