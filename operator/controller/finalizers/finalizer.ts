import type { CallOptions, Client, Patch, Target } from '../../client/client.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { isDnsSubdomain } from '../../model/dns-name.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { ApiError, isNotFound } from '../../model/status.ts';
import type { ReconcileContext } from '../reconciler.ts';

/** A cleanup that goes on: when to look again. */
export type Unfinished = { readonly requeueAfterMs: number };

/**
 * Cleaning up what Kubernetes does not know of, before an object of the controller goes.
 *
 * The toolkit adds the finalizer and sees it stored before the reconciler is called for the first
 * time; calls `finalize` instead of the reconciler once the object is being deleted; and removes the
 * finalizer when that has returned. `finalize` is called again, for ever and with the usual back-off,
 * until it returns, so it must be idempotent.
 */
export interface Finalizer<T extends KubernetesObject = KubernetesObject> {
  /** Qualified, `domain/name`. Never changed once objects carry it. */
  readonly name: string;
  /**
   * Returns when nothing is left. `{ requeueAfterMs }` instead says that the cleanup goes on elsewhere,
   * which is no failure: it is called again after so long, and when something changes. A method, so
   * that a finalizer of Deployments is a Finalizer.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a cleanup that returns nothing is the usual one
  finalize(object: T, context: ReconcileContext<T>): Promise<Unfinished | undefined | void>;
  /**
   * Gives up so long after `deletionTimestamp`, and removes the finalizer although the cleanup has not
   * succeeded: what it should have removed leaks. Default: never.
   */
  readonly forceFinalizeAfterMs?: number;
}

const NAME = /^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$/;

/**
 * Refuses what the API server would refuse with a 422 once the first object comes: a finalizer is
 * qualified, a DNS name of at most 253 characters, a slash, and a name of at most 63.
 *
 * @throws ConfigurationError `CONFIG` that says what is wrong.
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

/** Writes that are refused because the object has changed are tried so often, each after a live read. */
const MAX_TRIES = 5;

type FinalizerClient = Pick<Client, 'find' | 'patch'>;

/**
 * Adds a finalizer to the very object that `object` is a copy of. Nobody else's finalizer is lost,
 * whatever is written meanwhile: the patch holds only for the version that it was made from, and is
 * made again from a live read up to five times.
 *
 * @returns the object as it is stored, with the finalizer; undefined when that cannot be any more,
 *   because the object is gone, being deleted, or another one of the same name.
 * @throws ApiError of the fifth refusal, or of any that is not about a change; else as the client does.
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
 * Removes a finalizer from the very object that `object` is a copy of; when it was the last of an object
 * that is being deleted, the object is gone with that. The answer of that request shows an object that
 * does not exist any more, so nothing is returned.
 *
 * Nothing to do is success: the object is gone, another one has its name, or the finalizer is not there.
 *
 * @throws ApiError of the fifth refusal, or of any that is not about a change; else as the client does.
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

/** With the version, because others' finalizers come and go: `-` alone would be enough for one. */
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

/** Without the version: while the finalizer is where it was, no other change matters. */
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

/** A failed test is a 422 without details, like a patch of what is not there; a lost race is a 409. */
function isRefusedByChange(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 409 || error.status === 422);
}
