import { OperatorError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { resourceName } from '../../model/resource.ts';
import { formatSelector, matchesSelector, type Selector } from '../../model/selector.ts';
import type { DesiredStatus } from '../reconciler.ts';
import type { ChildSource, DesiredChild } from './child.ts';

/** The desired state that `sync` returns. */
export interface SyncResult<P extends KubernetesObject> {
  /**
   * Every child that should exist, made with `child`. Existing children that are not in the list are
   * deleted; `[]` deletes all. An answer without this field is an error and changes nothing.
   */
  readonly children: readonly DesiredChild[];
  /** The parent's status, as `setStatus` takes it. Left out: the status stays as it is. */
  readonly status?: DesiredStatus<P>;
  /** Milliseconds after which `sync` is called again without a change. For results that depend on time. */
  readonly requeueAfterMs?: number;
}

/** A desired child with its update rule. */
export interface PlannedChild extends DesiredChild {
  readonly update: ChildSource['update'];
  /** Resource, namespace and name. */
  readonly identity: string;
}

/** Identifies a child among all children of a parent. */
export function childIdentity(
  resource: DesiredChild['resource'],
  metadata: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): string {
  return JSON.stringify([resourceName(resource), metadata.namespace ?? '', metadata.name ?? '']);
}

/**
 * Turns the answer of `sync` into a plan. The whole answer is checked before anything is done: one mistake
 * means that nothing changes, and an answer without `children` deletes nothing.
 *
 * @throws OperatorError `USER_CODE` that says which part of the answer is unusable, and why.
 */
export function validateSyncResult(
  answer: SyncResult<KubernetesObject> | undefined,
  parent: KubernetesObject,
  sources: readonly ChildSource[],
  selector: Selector | undefined,
): readonly PlannedChild[] {
  const children: unknown = answer?.children;
  if (!Array.isArray(children)) {
    throw unusable('sync must return an object with an array "children"; [] deletes all of them', {
      got: answer === undefined ? 'nothing' : `children: ${kindOf(children)}`,
    });
  }
  const planned = children.map((given: unknown, index) => plan(given, index, parent, sources));
  const identities = planned.map(({ identity }) => identity);
  const twice = identities.findIndex((identity, index) => identities.indexOf(identity) !== index);
  if (twice >= 0) throw unusable('sync names a child twice', { child: identities[twice] ?? '' });
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

function plan(
  given: unknown,
  index: number,
  parent: KubernetesObject,
  sources: readonly ChildSource[],
): PlannedChild {
  const { resource, object } = (given ?? {}) as Partial<DesiredChild>;
  const name = object?.metadata?.name;
  if (resource === undefined || typeof name !== 'string' || name === '') {
    throw unusable('a child must be child(resource, { metadata: { name }, … })', { index });
  }
  const rule = sources.find((known) => resourceName(known.resource) === resourceName(resource));
  if (rule === undefined) {
    throw unusable('sync names a child of a resource that its composite does not declare', {
      index,
      resource: resourceName(resource),
    });
  }
  const namespace = resource.namespaced
    ? (object?.metadata?.namespace ?? parent.metadata.namespace)
    : undefined;
  if (resource.namespaced && namespace === undefined) {
    throw unusable('a namespaced child of a cluster-scoped parent must name its namespace', {
      index,
      resource: resourceName(resource),
      name,
    });
  }
  const metadata = { ...object?.metadata, ...(namespace !== undefined && { namespace }) };
  return {
    resource: rule.resource,
    object: { ...object, metadata },
    update: rule.update,
    identity: childIdentity(rule.resource, metadata),
  };
}

function unusable(message: string, context: Record<string, string | number>): OperatorError {
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', context });
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : typeof value;
}
