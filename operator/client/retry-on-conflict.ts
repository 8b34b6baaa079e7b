import { NEVER_ABORTED } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';
import type { KubernetesObject, Target } from '../model/object.ts';
import { isVersionConflict } from '../model/refusal.ts';
import type { Resource } from '../model/resource.ts';
import { ApiError } from '../model/status.ts';
import type { Client, UpdateOptions, Versioned } from './client.ts';

/**
 * The options of `retryOnConflict`. A `ReconcileContext` can be passed as the options, because it has `clock`
 * and `signal`.
 */
export interface RetryOnConflictOptions {
  /** The clock of the process: `context.clock` in a reconciler. */
  readonly clock: Clock;
  /** If it aborts, the attempts stop and the call throws the reason of the signal. Default: no signal. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of attempts. Default 5, the value of client-go. */
  readonly attempts?: number;
  /**
   * Milliseconds before the second attempt. Default 10, the value of client-go. The delay is extended at
   * random by up to a tenth.
   */
  readonly delayMs?: number;
  /** Each delay is the previous delay multiplied by this factor. Default 1. */
  readonly factor?: number;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

const JITTER = 0.1;

/**
 * Calls `attempt` again as long as it fails because another writer was faster, and resolves to its result.
 * Retries only version conflicts: see `isVersionConflict`. Each call must read the object again from the
 * server, because the cache may still contain the version that caused the conflict.
 *
 * @throws the last conflict after all attempts; any other error of `attempt`, at once;
 *   `signal.reason` when aborted.
 */
export function retryOnConflict<R>(
  attempt: () => Promise<R>,
  options: RetryOnConflictOptions,
): Promise<R> {
  return retry(attempt, isVersionConflict, options);
}

/**
 * Changes an object that other programs also write. Reads it from the server, calls `change`, and updates the
 * version that was read. If another writer was faster, it begins again with reading the object.
 *
 * @param change - returns the changed object. It must be a pure function, because it may be called again. If
 *   it returns undefined or `live` itself, nothing is written.
 * @returns the resulting object.
 * @throws ApiError 404 when the object does not exist; otherwise the same errors as `retryOnConflict`.
 */
export function updateLive<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  target: Target,
  change: (live: T) => T | undefined,
  { subresource, dryRun, ...options }: RetryOnConflictOptions & Omit<UpdateOptions, 'force'>,
): Promise<T> {
  const { signal } = options;
  const { name, namespace } = target;
  const attempt = async (): Promise<T> => {
    const live = await client.get(resource, { name, namespace }, { signal });
    const wanted = change(live);
    if (wanted === undefined || wanted === live) return live;
    const { uid, resourceVersion } = live.metadata;
    const metadata = { ...wanted.metadata, uid, resourceVersion };
    const object = { ...wanted, metadata } as Versioned<T>;
    return client.update(resource, object, {
      signal,
      ...(subresource !== undefined && { subresource }),
      ...(dryRun !== undefined && { dryRun }),
    });
  };
  return retry(attempt, (error) => isVersionConflict(error) && isAbout(error, name), options);
}

/**
 * True if a conflict is about the object with this name. A conflict may also be about a quota that has
 * changed meanwhile.
 */
function isAbout(error: unknown, name: string): boolean {
  return error instanceof ApiError && error.details.name === name;
}

async function retry<R>(
  attempt: () => Promise<R>,
  isRetried: (error: unknown) => boolean,
  {
    clock,
    signal = NEVER_ABORTED,
    attempts = 5,
    delayMs = 10,
    factor = 1,
    random = Math.random,
  }: RetryOnConflictOptions,
): Promise<R> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= attempts || !isRetried(error)) throw error;
    }
    const waitMs = delayMs * factor ** (tried - 1) * (1 + JITTER * random());
    await sleep(clock, waitMs, signal);
  }
}
