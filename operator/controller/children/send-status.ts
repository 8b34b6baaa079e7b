import type { Client } from '../../client/client.ts';
import { isNotFound } from '../../model/not-found.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { isUidMismatch } from '../../model/refusal.ts';
import type { Resource } from '../../model/resource.ts';
import { NoStatusSubresourceError } from '../errors.ts';
import { readLive, withNewest } from './guarded-writes.ts';

/** An object whose status is written. */
export interface StatusTarget {
  readonly client: Client;
  readonly resource: Resource;
  /** The object as the attempt received it. */
  readonly object: KubernetesObject;
}

/** Number of tries while other writers change the object. */
const MAX_TRIES = 3;

/**
 * Writes the status of an object. If the object has changed since it was read, `send` is called again with
 * the newest version.
 *
 * @param send - resolves to undefined when there is nothing to write.
 * @returns undefined when nothing was written, because nothing differed or because the object is gone.
 * @throws NoStatusSubresourceError when the definition does not declare the status subresource.
 * @throws ApiError when the server refuses, or when other writers won every try.
 */
export async function sendStatus<T>(
  { client, resource, object }: StatusTarget,
  send: (current: KubernetesObject) => Promise<T | undefined>,
  maxTries: number = MAX_TRIES,
): Promise<T | undefined> {
  try {
    return await withNewest(client, resource, object, { send, maxTries });
  } catch (error) {
    if (isUidMismatch(error)) return undefined;
    if (!isNotFound(error)) throw error;
    // The API server gives the same answer for a missing object and for a missing status subresource.
    if ((await readLive(client, resource, object)) === undefined) return undefined;
    throw new NoStatusSubresourceError(resource, { cause: error });
  }
}
