import { CONTROLLER_UID } from '../controller/children/existing-child.ts';
import type { Desired } from '../controller/reconciler.ts';
import { OperatorError } from '../core/errors.ts';
import { inSlices } from '../core/time-slice.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { formatSelector, matchesSelector, type Selector } from '../model/selector.ts';
import type { DesiredChild } from './child.ts';
import type { ChildType, PlannedChild } from './engine-options.ts';
import { childIdentity } from './sync-result.ts';

/** What the children of a parent must be like. */
export interface PlanRules {
  readonly parent: KubernetesObject;
  readonly parentResource: Resource;
  readonly types: readonly ChildType[];
  /** Children get the label `controller-uid`. */
  readonly generateSelector: boolean;
  /** Labels that children must have. */
  readonly selector: Selector | undefined;
}

/**
 * Turns the children of an answer into a plan. All of them are checked before anything is done: one mistake means that
 * nothing changes.
 *
 * @throws OperatorError `USER_CODE` that names the child that cannot be used, and says why.
 */
export async function planChildren(
  children: readonly DesiredChild[],
  rules: PlanRules,
): Promise<readonly PlannedChild[]> {
  const planned = await inSlices(children, (given: unknown, index) => plan(given, index, rules));
  const seen = new Set<string>();
  for (const { identity } of planned) {
    if (seen.has(identity)) throw unusable('sync names a child twice', { child: identity });
    seen.add(identity);
  }
  const { selector } = rules;
  const outside = planned.find(
    ({ object }) => selector !== undefined && !matchesSelector(selector, object.metadata.labels),
  );
  if (outside !== undefined) {
    throw unusable("a child's labels must match the selector of its parent", {
      child: outside.identity,
      selector: formatSelector(selector ?? []),
    });
  }
  return planned;
}

function plan(given: unknown, index: number, rules: PlanRules): PlannedChild {
  const { resource, object } = (given ?? {}) as Partial<DesiredChild>;
  const name = object?.metadata?.name;
  if (resource === undefined || typeof name !== 'string' || name === '') {
    throw unusable('a child must be child(resource, { metadata: { name }, … })', { index });
  }
  const type = rules.types.find((known) => resourceName(known.resource) === resourceName(resource));
  if (type === undefined) {
    throw unusable('sync names a child of a resource that its composite does not declare', {
      index,
      resource: resourceName(resource),
      name,
    });
  }
  const namespace = namespaceOf(type.resource, object?.metadata, name, rules);
  const metadata = { ...withoutNamespace(object?.metadata), ...(namespace && { namespace }) };
  const placed = { ...object, metadata } as Desired<KubernetesObject>;
  const labelled = rules.generateSelector ? withUidLabel(placed, type.resource, rules) : placed;
  return {
    resource: type.resource,
    object: labelled,
    type,
    identity: childIdentity(type.resource, metadata),
  };
}

/** Undefined for a cluster-scoped child: a namespace that it names is dropped, as the API server does. */
function namespaceOf(
  resource: Resource,
  metadata: DesiredChild['object']['metadata'] | undefined,
  name: string,
  { parent, parentResource }: PlanRules,
): string | undefined {
  const own = parentResource.namespaced ? parent.metadata.namespace : undefined;
  const facts = { resource: resourceName(resource), name };
  if (!resource.namespaced) {
    if (own === undefined) return undefined;
    throw unusable('a namespaced parent cannot have a cluster-scoped child', facts);
  }
  const namespace = metadata?.namespace || own;
  if (namespace === undefined) {
    throw unusable('a namespaced child of a cluster-scoped parent must name its namespace', facts);
  }
  if (own !== undefined && namespace !== own) {
    throw unusable('a child must be in the namespace of its parent', {
      ...facts,
      namespace,
      parentNamespace: own,
    });
  }
  return namespace;
}

function withoutNamespace(metadata: DesiredChild['object']['metadata'] | undefined): object {
  const { namespace: _, ...others } = metadata ?? {};
  return others;
}

function withUidLabel(
  object: Desired<KubernetesObject>,
  resource: Resource,
  { parent }: PlanRules,
): Desired<KubernetesObject> {
  const uid = parent.metadata.uid ?? '';
  const { labels } = object.metadata;
  const stated = labels?.[CONTROLLER_UID];
  if (stated !== undefined && stated !== uid) {
    throw unusable(
      `a child has another value of the label ${CONTROLLER_UID} than its parent's uid`,
      {
        child: childIdentity(resource, object.metadata),
      },
    );
  }
  const all = { ...labels, [CONTROLLER_UID]: uid };
  return { ...object, metadata: { ...object.metadata, labels: all } };
}

function unusable(message: string, context: Record<string, string | number>): OperatorError {
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', context });
}
