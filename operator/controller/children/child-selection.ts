import { OperatorError } from '../../core/errors.ts';
import { deepCopy } from '../../core/json/deep-json.ts';
import { transformedEntry } from '../../model/entry.ts';
import { controllerOf, type KubernetesObject, objectKey } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { type Match, type Mismatch, matcherOf } from '../../model/selection.ts';
import { formatSelector } from '../../model/selector.ts';
import type { Controller } from '../controller.ts';
import { TerminalError } from '../errors.ts';
import { isSameResource, namespacesOf, type Source } from '../source.ts';
import type { OwnerOfChildren } from './apply-owned.ts';

interface Owned {
  readonly source: Source;
  readonly match: (object: KubernetesObject) => Match;
}

/**
 * Refuses children that no source in the controller's `owns` selects. The cache never contains such a child,
 * so each reconcile would create it again, and a change of the child would not wake its owner.
 *
 * Only the fields in the child itself are considered: a label that admission would add is treated as missing.
 * A child is not refused if it cannot be known whether a source selects it, for example because the selected
 * field has a default.
 */
export class ChildSelection {
  readonly #owned: readonly Owned[];
  /** Sources for which it is known that the transform keeps the owner reference of a child. */
  readonly #keepOwners = new WeakSet<Source>();

  /** @param configured - the namespaces of the settings; undefined for all namespaces. */
  constructor({ owns }: Pick<Controller, 'owns'>, configured: readonly string[] | undefined) {
    this.#owned = owns.map(({ source }) => {
      const { labelSelector, fieldSelector } = source;
      const namespaces = namespacesOf(source, configured);
      return { source, match: matcherOf({ namespaces, labelSelector, fieldSelector }) };
    });
  }

  /**
   * Call this before anything is sent.
   *
   * @param child - the complete child, with its owner reference.
   * @param existing - the known child, if any. The labels that other writers have added to it are considered
   *   as well, because an apply keeps them.
   * @throws TerminalError `USER_CODE`. The message contains the child, the source and what is missing.
   */
  require(resource: Resource, child: KubernetesObject, existing?: KubernetesObject): void {
    const selecting = this.#selecting(resource, withLabelsOf(existing, child));
    const [first] = selecting;
    if (first === undefined || selecting.some((source) => this.#keepsOwner(source, child))) return;
    throw unselected(first, child, {
      problem: 'the transform of the source drops metadata.ownerReferences',
      remedy: 'keep them: a change of a child wakes the owner that they name',
    });
  }

  /**
   * Call this with the answer to a write, because admission can remove or change a label.
   *
   * @throws TerminalError `USER_CODE`.
   */
  requireStored(resource: Resource, stored: KubernetesObject): void {
    this.#selecting(resource, stored, true);
  }

  /**
   * Runs `write`, and then checks its answer. `write` must call the function that it receives before it sends
   * anything. If the answer is the existing object itself, it is not checked, because a cache may hold
   * objects without their labels.
   */
  async around<C extends KubernetesObject>(
    resource: Resource<C>,
    write: (require: NonNullable<OwnerOfChildren['requireSelected']>) => Promise<C>,
  ): Promise<C> {
    let known: KubernetesObject | undefined;
    const written = await write((of, child, existing) => {
      known = existing;
      this.require(of, child, existing);
    });
    if (written !== known) this.requireStored(resource, written);
    return written;
  }

  /** The sources that may select an object. The result is empty when the resource is not in `owns`. */
  #selecting(resource: Resource, object: KubernetesObject, isStored = false): readonly Source[] {
    const all = this.#owned.filter(({ source }) => isSameResource(source.resource, resource));
    // A child is read from caches of whole objects, if there are any.
    const whole = all.filter(({ source }) => source.metadataOnly !== true);
    const owned = whole.length > 0 ? whole : all;
    const selecting: Source[] = [];
    let missed: { readonly source: Source; readonly mismatch: Mismatch } | undefined;
    for (const { source, match } of owned) {
      const mismatch = match(object);
      // A field of a stored object can still change: a Pod is pending before it runs.
      const mayMatch = typeof mismatch === 'string' || (isStored && mismatch.kind === 'field');
      if (mayMatch) selecting.push(source);
      else missed ??= { source, mismatch };
    }
    if (selecting.length > 0 || missed === undefined) return selecting;
    throw unselected(missed.source, object, reasonOf(missed.mismatch, object, isStored));
  }

  /**
   * True if the source's transform keeps the owner reference. One child per source is checked, because a
   * transform treats all children alike.
   */
  #keepsOwner(source: Source, child: KubernetesObject): boolean {
    const { metadataOnly, transform } = source;
    if (transform === undefined || this.#keepOwners.has(source)) return true;
    const { apiVersion, kind, metadata } = child;
    const received = metadataOnly === true ? { apiVersion, kind, metadata } : child;
    try {
      const cached = transformedEntry(deepCopy(received), transform).object;
      if (controllerOf(cached)?.uid !== controllerOf(child)?.uid) return false;
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      return true; // it expects a field that only the server sets
    }
    this.#keepOwners.add(source);
    return true;
  }
}

/**
 * True when the controller has a source of the resource, or declares the right to write it. Only then
 * do the generated rights and the filter allow the child.
 */
export function declaresChild(
  { owns, watches, permissions }: Pick<Controller, 'owns' | 'watches' | 'permissions'>,
  resource: Resource,
): boolean {
  return (
    [...owns, ...watches].some(({ source }) => isSameResource(source.resource, resource)) ||
    permissions.some(
      (each) =>
        isSameResource(each.resource, resource) &&
        each.subresource === undefined &&
        (each.verbs.includes('create') || each.verbs.includes('patch')),
    )
  );
}

function withLabelsOf(
  existing: KubernetesObject | undefined,
  child: KubernetesObject,
): KubernetesObject {
  if (existing?.metadata.labels === undefined) return child;
  const labels = { ...existing.metadata.labels, ...child.metadata.labels };
  return { ...child, metadata: { ...child.metadata, labels } };
}

interface Reason {
  readonly problem: string;
  readonly remedy: string;
}

/** The error is terminal, because only another version of the operator, or other settings, can help. */
function unselected(
  { resource, labelSelector, fieldSelector }: Source,
  { metadata: { namespace, name, generateName = '' } }: KubernetesObject,
  { problem, remedy }: Reason,
): TerminalError {
  const child = objectKey(namespace, name || `${generateName}*`);
  const selector = [labelSelector, fieldSelector].filter((each) => each).join(' and ');
  const plural = resourceName(resource);
  return new TerminalError(
    `the source ${plural}${selector && ` (${selector})`} does not select the child ${plural} ${child}: ${problem}; ${remedy}`,
    { context: { resource: plural, child, ...(selector && { selector }), problem } },
  );
}

/** The reason contains labels, a namespace or a term of a selector, but no value of another field. */
function reasonOf(
  mismatch: Mismatch,
  { metadata: { labels, namespace } }: KubernetesObject,
  isStored: boolean,
): Reason {
  if (mismatch.kind === 'namespace') {
    const problem = `the source does not watch the namespace ${namespace ?? '(none)'}`;
    return { problem, remedy: 'watch it, or give the child another namespace' };
  }
  if (mismatch.kind === 'field') {
    const problem = `the child does not match ${mismatch.term}`;
    return { problem, remedy: 'state another value, or select without it' };
  }
  const { key, operator } = mismatch.requirement;
  const wanted = formatSelector([mismatch.requirement]);
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  const isMissing = value === undefined && operator !== 'absent' && operator !== 'notin';
  return {
    problem: isMissing
      ? `the label ${wanted} is missing`
      : `the label ${key}=${value} does not match ${wanted}`,
    remedy: isStored
      ? 'the API server has stored the child so: look at what changes it on its way'
      : 'state the label in the child, or select without it',
  };
}
