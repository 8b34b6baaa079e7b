import type { LabelSelector, Log } from 'chancery';
import type { ResourceReference } from '../spec.ts';
import type { AnswerPart } from './answer-part.ts';
import type { AnswerReader, KnownFields } from './answer-reader.ts';
import type { AnswerValue } from './answer-value.ts';

/** A rule of a customize hook whose resource is not resolved yet. */
export interface NamedRule extends ResourceReference {
  /** The rule as the hook wrote it, for error messages. */
  readonly part: AnswerPart;
  readonly labelSelector?: LabelSelector;
  readonly namespace?: string;
  readonly names?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
}

const ANSWER: ReadonlySet<string> = new Set(['relatedResources']);
const RULE: ReadonlySet<string> = new Set([
  'apiVersion',
  'resource',
  'labelSelector',
  'namespace',
  'names',
  'namespaceSelector',
]);
const SELECTOR: ReadonlySet<string> = new Set(['matchLabels', 'matchExpressions']);
const REQUIREMENT: ReadonlySet<string> = new Set(['key', 'operator', 'values']);

/**
 * The rules of a customize hook. A list without an object around it is accepted, because the
 * documentation of Metacontroller contains such an example.
 *
 * @throws HookError `InvalidAnswer`
 */
export function* relatedAnswer(
  reader: AnswerReader,
  answer: AnswerValue,
  log: Log,
): Generator<void, readonly NamedRule[], undefined> {
  return yield* reader.read(answer, log, function* (whole, known) {
    if (Array.isArray(whole.value)) return yield* rules(whole, known);
    known(whole, ANSWER);
    const list = whole.member('relatedResources');
    return list.isAbsent ? [] : yield* rules(list, known);
  });
}

/**
 * Maximum number of rules of one parent. Each rule needs a lookup, and keeps objects in a cache.
 */
const MAX_RULES = 1_000;

/** Number of rules that are checked in one turn of the event loop. */
const SLICE = 100;

function* rules(
  list: AnswerPart,
  known: KnownFields,
): Generator<void, readonly NamedRule[], undefined> {
  const items = list.items();
  if (items.length > MAX_RULES) list.fail(`has more than ${MAX_RULES} items`);
  const read: NamedRule[] = [];
  for (const item of items) {
    read.push(rule(item, known));
    if (read.length % SLICE === 0) yield;
  }
  return read;
}

function rule(item: AnswerPart, known: KnownFields): NamedRule {
  known(item, RULE);
  const labelSelector = selector(item.member('labelSelector'), known);
  const namespaceSelector = selector(item.member('namespaceSelector'), known);
  const namespace = item.member('namespace').optionalString();
  const names = strings(item.member('names'));
  return {
    part: item,
    apiVersion: item.member('apiVersion').filledString(),
    resource: item.member('resource').filledString(),
    ...(labelSelector && { labelSelector }),
    ...(namespaceSelector && { namespaceSelector }),
    ...(namespace !== undefined && { namespace }),
    ...(names.length > 0 && { names }),
  };
}

/**
 * A selector. An empty selector differs from a missing one: even an empty one must not be combined
 * with `names`.
 */
function selector(part: AnswerPart, known: KnownFields): LabelSelector | undefined {
  if (part.isAbsent) return undefined;
  known(part, SELECTOR);
  const matchLabels = part.member('matchLabels').stringMap();
  const expressions = part.member('matchExpressions');
  const matchExpressions = expressions.isAbsent
    ? undefined
    : expressions.items().map((item) => requirement(item, known));
  return { ...(matchLabels && { matchLabels }), ...(matchExpressions && { matchExpressions }) };
}

type LabelRequirement = NonNullable<LabelSelector['matchExpressions']>[number];

function requirement(item: AnswerPart, known: KnownFields): LabelRequirement {
  known(item, REQUIREMENT);
  return {
    key: item.member('key').filledString(),
    operator: item.member('operator').filledString(),
    values: strings(item.member('values')),
  };
}

function strings(part: AnswerPart): readonly string[] {
  return part.isAbsent ? [] : part.items().map((item) => item.string());
}
