import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import { resourceName } from '../model/resource.ts';
import type { SharedInformer } from '../store/shared-informer.ts';
import type { Log } from './reconciler.ts';
import type { Source } from './source.ts';

export interface SettledSourcesOptions {
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeoutMs: number;
}

/**
 * Resolves when every source has its first list, or is optional and absent.
 *
 * Waits for as long as it takes: a process that exits would only meet the same cluster again, and its
 * readiness says what is missing. After `timeoutMs` one line names the missing sources and why.
 *
 * @throws `signal.reason` when aborted first.
 */
export async function settledSources(
  { informers, clock, log, timeoutMs }: SettledSourcesOptions,
  signal: AbortSignal,
): Promise<void> {
  const cancelTimeout = clock.schedule(timeoutMs, () => {
    const missing = [...informers].filter(([source, informer]) => !isSettled(source, informer));
    const sources = missing.map(([source, informer]) => describe(source, informer));
    log.error({ sources, timeoutMs }, 'sources are not synced, the controller waits for them');
  });
  try {
    for (const [source, informer] of informers) {
      await informer.until(() => isSettled(source, informer), signal);
    }
  } finally {
    cancelTimeout();
  }
}

function isSettled(source: Source, { synced, status }: SharedInformer<KubernetesObject>): boolean {
  const isAbsent = status.health === 'unserved' || status.health === 'forbidden';
  return synced || (source.optional && isAbsent);
}

function describe(
  { resource, namespace }: Source,
  { status }: SharedInformer<KubernetesObject>,
): object {
  const { health, reason, error } = status;
  return {
    resource: resourceName(resource),
    namespace: typeof namespace === 'string' ? namespace : namespace.name,
    health,
    reason,
    error: error === undefined ? undefined : messageOf(error),
  };
}
