import type { CallOptions, Client, Patch } from '../../client/client.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { isDnsSubdomain } from '../../model/dns-name.ts';
import { isNotFound } from '../../model/not-found.ts';
import type { KubernetesObject, Target } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { ApiError } from '../../model/status.ts';
import type { ReconcileContext } from '../reconciler.ts';

/** Returned when a cleanup is not finished: the number of milliseconds until the cleanup is called again. */
export type Unfinished = { readonly requeueAfterMs: number };

// biome-ignore lint/suspicious/noConfusingVoidType: a cleanup that returns nothing is the usual one
type Cleaned = Unfinished | undefined | void;

/**
 * Cleans up things that Kubernetes does not know about, before an object of the controller is removed.
 *
 * The toolkit stores the finalizer before it calls the reconciler for the first time. Once the object is
 * being deleted, it calls `finalize` instead of the reconciler. When `finalize` has returned, it removes the
 * finalizer. If `finalize` throws, it is called again without a limit, with the usual back-off, so it must be
 * idempotent. An object that leaves the selectors of its source is still finalized when it is deleted.
 */
export interface Finalizer<T extends KubernetesObject = KubernetesObject> {
  /** A qualified name, `domain/name`. Do not change it once objects have the finalizer. */
  readonly name: string;
  /**
   * Return nothing when the cleanup is complete. Return `{ requeueAfterMs }` while the cleanup continues
   * elsewhere. That does not count as a failure: `finalize` is called again after that time, and when
   * something changes. Declared as a method, so that a finalizer of Deployments is assignable to `Finalizer`.
   */
  finalize(object: T, context: ReconcileContext<T>): Cleaned | Promise<Cleaned>;
  /**
   * The finalizer is removed this many milliseconds after `deletionTimestamp`, even if the cleanup has not
   * succeeded. Things that the cleanup should have removed then remain. Default: never.
   */
  readonly forceFinalizeAfterMs?: number;
}

const NAME = /^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$/;

/**
 * Checks the name of a finalizer. The API server would refuse a wrong name with a 422, but only when the
 * first object gets the finalizer. The name of a finalizer is a DNS name of at most 253 characters, a slash,
 * and a name of at most 63 characters.
 *
 * @throws ConfigurationError `CONFIG` that says what is wrong with the name.
 */
export function requireFinalizerName(finalizer: string): void {
  const [domain = '', name, ...more] = finalizer.split('/');
  const isQualified = name !== undefined && more.length === 0;
  const isValid = isQualified && isDnsSubdomain(domain) && name.length <= 63 && NAME.test(name);
  if (isValid) return;
  const example = 'such as example.dev/cleanup';
  throw new ConfigurationError(
    isQualified
      ? `a finalizer is a DNS name of at most 253 characters, "/", and a name of at most 63, ${example}`
      : `a finalizer must be qualified, domain/name, ${example}`,
    { context: { finalizer } },
  );
}

/**
 * Number of tries while other writers change the object. Before every further try, the object is read live.
 */
const MAX_TRIES = 5;

type FinalizerClient = Pick<Client, 'find' | 'patch'>;

/**
 * Adds a finalizer to this object (same uid). No finalizer of another writer is lost, because the patch
 * applies only to the version from which it was made. If the object has changed, the patch is made again from
 * a live read, up to five tries in total.
 *
 * @returns the stored object with the finalizer; undefined when it can no longer be added, because the object
 *   is gone, being deleted, or replaced by another object with the same name.
 * @throws ApiError when the fifth try is refused because of a change, or when any try is refused for another
 *   reason; other errors of the client.
 */
export async function addFinalizer<T extends KubernetesObject>(
  client: FinalizerClient,
  resource: Resource<T>,
  object: T,
  finalizer: string,
  options: CallOptions = {},
): Promise<T | undefined> {
  let current: T | undefined = object;
  for (let tries = 1; ; tries++) {
    if (current === undefined || isOther(current, object)) return undefined;
    if (current.metadata.deletionTimestamp !== undefined) return undefined;
    if (current.metadata.finalizers?.includes(finalizer)) return current;
    try {
      return await client.patch(resource, targetOf(object), adding(current, finalizer), options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (tries >= MAX_TRIES || !isRefusedByChange(error)) throw error;
    }
    current = await client.find(resource, targetOf(object), options);
  }
}

/**
 * Removes a finalizer from this object (same uid). If it was the last finalizer of an object that is being
 * deleted, the object is then gone. Nothing is returned, because the answer would contain an object that no
 * longer exists.
 *
 * Succeeds without a write when the object is gone, when another object has its name, or when it lacks the
 * finalizer.
 *
 * @throws ApiError when the fifth try is refused because of a change, or when any try is refused for another
 *   reason; other errors of the client.
 */
export async function removeFinalizer(
  client: FinalizerClient,
  resource: Resource,
  object: KubernetesObject,
  finalizer: string,
  options: CallOptions = {},
): Promise<void> {
  let current: KubernetesObject | undefined = object;
  for (let tries = 1; ; tries++) {
    if (current === undefined || isOther(current, object)) return;
    const index = current.metadata.finalizers?.indexOf(finalizer) ?? -1;
    if (index < 0) return;
    try {
      await client.patch(resource, targetOf(object), removing(current, index, finalizer), options);
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (tries >= MAX_TRIES || !isRefusedByChange(error)) throw error;
    }
    current = await client.find(resource, targetOf(object), options);
  }
}

/**
 * The patch tests the resourceVersion, because its path depends on whether the object already has finalizers.
 */
function adding({ metadata }: KubernetesObject, finalizer: string): Patch {
  const { uid, resourceVersion, finalizers = [] } = metadata;
  const place =
    finalizers.length === 0
      ? { path: '/metadata/finalizers', value: [finalizer] }
      : { path: '/metadata/finalizers/-', value: finalizer };
  return {
    type: 'json',
    body: [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', ...place },
    ],
  };
}

/**
 * The patch tests that the finalizer is still at its index. It does not test the resourceVersion, because no
 * other change matters.
 */
function removing({ metadata }: KubernetesObject, index: number, finalizer: string): Patch {
  const path = `/metadata/finalizers/${index}`;
  return {
    type: 'json',
    body: [
      { op: 'test', path: '/metadata/uid', value: metadata.uid },
      { op: 'test', path, value: finalizer },
      { op: 'remove', path },
    ],
  };
}

function targetOf({ metadata: { namespace, name } }: KubernetesObject): Target {
  return { namespace, name };
}

function isOther(a: KubernetesObject, b: KubernetesObject): boolean {
  return a.metadata.uid !== b.metadata.uid;
}

/**
 * True if a concurrent change may have caused the refusal. A failed `test` gives a 422 without details, like
 * a patch of a missing path; a concurrent write gives a 409.
 */
function isRefusedByChange(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 409 || error.status === 422);
}

/** The name of the finalizer of a controller's objects; undefined if the controller has none. */
export function finalizerNameOf({
  finalizer,
  ownFinalizer,
}: {
  readonly finalizer?: Pick<Finalizer, 'name'>;
  readonly ownFinalizer?: string;
}): string | undefined {
  return finalizer?.name ?? ownFinalizer;
}
