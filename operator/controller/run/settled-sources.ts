import { linkedAbort } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { messageOf, OperatorError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { apiVersionOf, resourceName } from '../../model/resource.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Log } from '../reconciler.ts';
import type { Source } from '../source.ts';

/**
 * How a starting controller handles a source that the API server does not serve, because its
 * CustomResourceDefinition is not installed (yet).
 *
 * - `forever`: it waits.
 * - `timeout`: it waits as long as for any first list, then startup fails.
 * - `optional`: it starts without the source, as if the source were declared `optional`, and uses the objects
 *   once the resource is served.
 */
export type CrdWait = 'forever' | 'timeout' | 'optional';

interface SettledSourcesOptions {
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeoutMs: number;
  /** If true, it is an error if any source is failing or refused after `timeoutMs`. Default false. */
  readonly failsLate?: boolean;
  /** Default `forever`. */
  readonly crdWait?: CrdWait;
}

/**
 * Resolves when every source has its first list and its indices, or is absent and allowed to be absent.
 *
 * Waits without a limit: a restarted process would find the same cluster, and the readiness probe reports the
 * missing sources. After `timeoutMs` one log line reports the missing sources and the reasons.
 *
 * @throws OperatorError `UNSERVED` with `crdWait: 'timeout'`, when the time is over and the server answers
 *   that it does not serve a source. If a source fails in another way, the wait continues. `NOT_SYNCED` with
 *   `failsLate`, when the time is over and a source is failing or refused. While the first list of a source
 *   is running, the wait continues.
 * @throws `signal.reason` when `signal` aborts before that.
 */
export async function settledSources(
  {
    informers,
    clock,
    log,
    timeoutMs,
    failsLate = false,
    crdWait = 'forever',
  }: SettledSourcesOptions,
  signal: AbortSignal,
): Promise<void> {
  using failure = linkedAbort(signal);
  const missing = (): (readonly [Source, SharedInformer<KubernetesObject>])[] =>
    [...informers].filter(([source, informer]) => !isSettled(source, informer, crdWait));
  const failIfMissing = (): void => {
    if (failsLate) {
      const failing = missing().filter(([, { status }]) => status.error !== undefined);
      if (failing.length > 0) failure.abort(failingSources(failing, timeoutMs));
      return;
    }
    const unserved = missing().filter(([, { status }]) => status.health === 'unserved');
    if (unserved.length > 0) failure.abort(unservedSources(unserved));
  };
  const endings: (() => void)[] = [];
  const cancelTimeout = clock.schedule(timeoutMs, () => {
    const sources = missing().map(([source, informer]) => describe(source, informer));
    if (failsLate || crdWait === 'timeout') {
      for (const informer of informers.values()) {
        endings.push(informer.onStateChange(failIfMissing));
      }
      failIfMissing();
      if (failure.signal.aborted) return;
    }
    log.error({ sources, timeoutMs }, 'sources are not synced, the controller waits for them');
  });
  try {
    for (const [source, informer] of informers) {
      await informer.until(() => isSettled(source, informer, crdWait), failure.signal);
    }
  } finally {
    cancelTimeout();
    for (const end of endings) end();
  }
}

function isSettled(
  source: Source,
  informer: SharedInformer<KubernetesObject>,
  crdWait: CrdWait,
): boolean {
  const { synced, status } = informer;
  // If other controllers already use the source, its indices may still be building, and mappings need them at
  // once.
  if (synced) return Object.keys(source.indexes ?? {}).every((name) => informer.hasIndex(name));
  if (status.health === 'unserved') return source.optional || crdWait === 'optional';
  return source.optional && status.health === 'forbidden';
}

function unservedSources(
  missing: readonly (readonly [Source, SharedInformer<KubernetesObject>])[],
): OperatorError {
  const kinds = missing.map(([{ resource }]) => `${resource.kind} (${apiVersionOf(resource)})`);
  const names = missing.map(([{ resource }]) => resourceName(resource));
  return new OperatorError(
    `the API server does not serve ${[...new Set(kinds)].join(', ')}: install the ` +
      'CustomResourceDefinition, or wait for it with CHANCERY_CRD_WAIT=forever',
    {
      code: 'UNSERVED',
      layer: 'api-server',
      cause: missing[0]?.[1].status.error,
      context: { resources: [...new Set(names)].join(',') },
    },
  );
}

/**
 * The error with each failing source and its error message. A message comes from a list request and contains
 * no data of an object.
 */
function failingSources(
  failing: readonly (readonly [Source, SharedInformer<KubernetesObject>])[],
  timeoutMs: number,
): OperatorError {
  const texts = failing.map(([{ resource }, { status }]) => {
    return `${resourceName(resource)}: ${messageOf(status.error)}`;
  });
  const error = failing[0]?.[1].status.error;
  return new OperatorError(
    `no first list within ${timeoutMs / 1_000} s of ${[...new Set(texts)].join('; ')}`,
    {
      code: 'NOT_SYNCED',
      layer: error instanceof OperatorError ? error.layer : 'api-server',
      cause: error,
    },
  );
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
