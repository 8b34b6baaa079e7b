import { NEVER_ABORTED } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';
import type { KubernetesObject } from '../model/object.ts';
import { isVersionConflict } from '../model/refusal.ts';
import type { Resource } from '../model/resource.ts';
import { ApiError } from '../model/status.ts';
import type { Client, Target, UpdateOptions, Versioned } from './client.ts';

/** A `ReconcileContext` has what is needed. */
export interface RetryOnConflictOptions {
  /** The process's time: `context.clock` in a reconciler. */
  readonly clock: Clock;
  /** Ends the attempts: it throws the reason of the signal. Default: nothing does. */
  readonly signal?: AbortSignal | undefined;
  /** Default 5, client-go's. */
  readonly attempts?: number;
  /** Before the second attempt. Default 10 ms, client-go's; stretched by up to a tenth. */
  readonly delayMs?: number;
  /** Each delay is so many times the one before. Default 1. */
  readonly factor?: number;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

const JITTER = 0.1;

/**
 * What `attempt` resolves to, which is called again when another writer was faster. Only that is
 * retried: see `isVersionConflict`. Each call must read the object anew, live: the cache may still
 * show the version that lost.
 *
 * @throws the last conflict after so many attempts; whatever else `attempt` throws, at once;
 *   `signal.reason` when aborted.
 */
export function retryOnConflict<R>(
  attempt: () => Promise<R>,
  options: RetryOnConflictOptions,
): Promise<R> {
  return retry(attempt, isVersionConflict, options);
}

/**
 * Changes an object that others write as well: reads it live, lets `change` say what it should be, and
 * writes that over the version that was read; again from the read when another writer was faster.
 *
 * @param change - pure: it may be called again. Undefined, or `live` itself: nothing is written.
 * @returns the object as it is then.
 * @throws ApiError 404 when there is none; else as `retryOnConflict`.
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

/** A quota that changed meanwhile is a conflict as well, of another object. */
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
