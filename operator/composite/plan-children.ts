import { CONTROLLER_UID, DECORATED_BY } from '../controller/children/existing-child.ts';
import type { Desired } from '../controller/reconciler.ts';
import { OperatorError } from '../core/errors.ts';
import { isMapping } from '../core/mapping.ts';
import { inSlices } from '../core/time-slice.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { formatSelector, matchesSelector, type Selector } from '../model/selector.ts';
import type { DesiredChild } from './child.ts';
import { childIdentity } from './child.ts';
import type { ChildType, PlannedChild, SyncAnswer } from './engine-options.ts';

/** The rules that the children of a parent must follow. */
export interface PlanRules {
  readonly parent: KubernetesObject;
  readonly parentResource: Resource;
  readonly types: readonly ChildType[];
  /** True if children get the label `controller-uid`. */
  readonly generateSelector?: boolean;
  /** Labels that children must have. */
  readonly selector?: Selector | undefined;
  /** If set, children are attachments, and get the annotation with the name of this decorator. */
  readonly decorator?: string | undefined;
}

type Metadata = DesiredChild['object']['metadata'];

/** The words for messages about composites, and for messages about decorators. */
const WORDS = {
  composite: { of: 'composite', list: 'children', child: 'child', a: 'a child', parent: 'parent' },
  decorator: {
    ...{ of: 'decorator', list: 'attachments' },
    ...{ child: 'attachment', a: 'an attachment', parent: 'object' },
  },
} as const;

function wordsOf({ decorator }: PlanRules): (typeof WORDS)[keyof typeof WORDS] {
  return decorator === undefined ? WORDS.composite : WORDS.decorator;
}

/**
 * Checks an answer and turns its children into a plan. Everything is checked before anything is written, so
 * if there is a single mistake, nothing changes.
 *
 * @throws OperatorError `USER_CODE` that says what is invalid, and why.
 */
export async function planChildren(
  answer: SyncAnswer | undefined,
  rules: PlanRules,
): Promise<readonly PlannedChild[]> {
  const { list, child, a, parent } = wordsOf(rules);
  requireAnswer(answer, list);
  const planned = await inSlices(answer.children, (given: unknown, index) =>
    plan(given, index, rules),
  );
  const seen = new Set<string>();
  for (const { identity } of planned) {
    if (seen.has(identity)) throw unusable(`sync names ${a} twice`, { [child]: identity });
    seen.add(identity);
  }
  const { selector } = rules;
  const outside = planned.find(
    ({ object }) => selector !== undefined && !matchesSelector(selector, object.metadata.labels),
  );
  if (outside !== undefined) {
    throw unusable(`${a}'s labels must match the selector of its ${parent}`, {
      [child]: outside.identity,
      selector: formatSelector(selector ?? []),
    });
  }
  return planned;
}

function plan(given: unknown, index: number, rules: PlanRules): PlannedChild {
  const { a, of } = wordsOf(rules);
  const { resource, object } = (given ?? {}) as Partial<DesiredChild>;
  const name = object?.metadata?.name;
  if (resource === undefined || typeof name !== 'string' || name === '') {
    throw unusable(`${a} must be child(resource, { metadata: { name }, … })`, { index });
  }
  const type = rules.types.find((known) => resourceName(known.resource) === resourceName(resource));
  if (type === undefined) {
    throw unusable(`sync names ${a} of a resource that its ${of} does not declare`, {
      ...{ index, name },
      resource: resourceName(resource),
    });
  }
  const { namespace: named, ...others } = object?.metadata ?? { name };
  const namespace = namespaceOf(type.resource, { name, namespace: named }, rules);
  const metadata = claimed({ ...others, ...(namespace && { namespace }) }, type, rules);
  const desired = { ...object, metadata } as Desired<KubernetesObject>;
  return {
    resource: type.resource,
    object: desired,
    type,
    identity: childIdentity(type.resource, metadata),
  };
}

/**
 * The namespace of a child. Undefined for a cluster-scoped child: if its desired state contains a namespace,
 * the namespace is dropped, as in the API server.
 */
function namespaceOf(
  resource: Resource,
  { name, namespace: named }: { readonly name: string; readonly namespace: string | undefined },
  rules: PlanRules,
): string | undefined {
  const { child, a, parent } = wordsOf(rules);
  const own = rules.parentResource.namespaced ? rules.parent.metadata.namespace : undefined;
  const facts = { resource: resourceName(resource), name };
  if (!resource.namespaced) {
    if (own === undefined) return undefined;
    throw unusable(`a namespaced ${parent} cannot have a cluster-scoped ${child}`, facts);
  }
  const namespace = named || own;
  if (namespace === undefined) {
    throw unusable(
      `a namespaced ${child} of a cluster-scoped ${parent} must name its namespace`,
      facts,
    );
  }
  if (own === undefined || namespace === own) return namespace;
  throw unusable(`${a} must be in the namespace of its ${parent}`, {
    ...facts,
    namespace,
    parentNamespace: own,
  });
}

/**
 * `metadata` with the mark by which the engine finds its children: the label of the parent, or the annotation
 * of the decorator.
 */
function claimed(
  metadata: Metadata,
  { resource }: ChildType,
  { parent, generateSelector, decorator }: PlanRules,
): Metadata {
  if (decorator !== undefined) {
    return { ...metadata, annotations: { ...metadata.annotations, [DECORATED_BY]: decorator } };
  }
  if (generateSelector !== true) return metadata;
  const uid = parent.metadata.uid ?? '';
  const stated = metadata.labels?.[CONTROLLER_UID];
  if (stated !== undefined && stated !== uid) {
    throw unusable(
      `a child has another value of the label ${CONTROLLER_UID} than its parent's uid`,
      { child: childIdentity(resource, metadata) },
    );
  }
  return { ...metadata, labels: { ...metadata.labels, [CONTROLLER_UID]: uid } };
}

/**
 * Checks everything in an answer except the individual children, for functions that do not check types. An
 * answer without children is refused, and nothing is deleted.
 */
function requireAnswer(
  answer: SyncAnswer | undefined,
  list: string,
): asserts answer is NonNullable<typeof answer> {
  const { children, labels, annotations, status, resyncAfterMs } =
    (answer as Partial<Record<keyof SyncAnswer, unknown>> | undefined) ?? {};
  if (!Array.isArray(children)) {
    throw unusable(`sync must return an object with an array "${list}"; [] deletes all of them`, {
      got: answer === undefined ? 'nothing' : `${list}: ${kindOf(children)}`,
    });
  }
  for (const [part, texts] of Object.entries({ labels, annotations })) {
    const isUsable =
      isMapping(texts ?? {}) &&
      Object.values(texts ?? {}).every((text) => text === null || typeof text === 'string');
    if (!isUsable) throw unusable(`${part} of the answer must be texts, or null to delete one`);
  }
  if (!isMapping(status ?? {})) throw unusable('the status of the answer must be an object');
  const ms = resyncAfterMs ?? 0;
  if (typeof ms === 'number' && ms >= 0) return;
  throw unusable('a function asks to be called again after a time that is below 0 or no number', {
    resyncAfterMs: String(ms),
  });
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

function unusable(message: string, context: Record<string, string | number> = {}): OperatorError {
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', context });
}
