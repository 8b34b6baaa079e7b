import type { Clock } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { ApiError } from '../../model/status.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import { DEFAULT_REFLECTOR_SETTINGS } from '../../watch/reflector-options.ts';
import type { HealthCheck, StartCheck } from './health-server.ts';

/** A source that is not optional for at least one of its users. */
export interface NeededSource {
  /** The fields that identify the source in log lines. */
  readonly facts: object;
  readonly resource: Resource;
  readonly informer: Pick<
    SharedInformer<KubernetesObject>,
    'synced' | 'state' | 'status' | 'lastContactAt'
  >;
}

type Sources = () => Iterable<NeededSource>;

/**
 * Readiness check `synced`: every source has its first full list. A later outage does not fail the check,
 * because the caches are filled and another replica would not do better.
 *
 * @param converts - true for a resource whose objects this process converts. While the API server refuses the
 *   list of such a resource, or does not answer in time, the check ignores that resource: the list may need a
 *   conversion, and API servers send conversions only to a Pod that is ready.
 */
export function syncedCheck(
  sources: Sources,
  converts: (resource: Resource) => boolean = () => false,
): StartCheck {
  const isSynced = ({ informer, resource }: NeededSource): boolean =>
    informer.synced || (isRefused(informer) && converts(resource));
  return {
    ...everySource('synced', sources, isSynced),
    starting: () =>
      [...sources()].every((each) => isSynced(each) || isFirstListUnderWay(each.informer)),
  };
}

function isRefused({ status: { health, error } }: NeededSource['informer']): boolean {
  const isLate = error instanceof OperatorError && error.code === 'AMBASSADOR_TIMEOUT';
  return health === 'failing' && (error instanceof ApiError || isLate);
}

/**
 * True while the first list has not arrived and nothing has failed. A list that gets no answer fails after
 * its time limit.
 */
function isFirstListUnderWay({ status: { health } }: NeededSource['informer']): boolean {
  return health === 'starting' || health === 'healthy';
}

interface SourcesCheckOptions {
  readonly clock: Clock;
  /** Length of the longest watch in seconds. Default 600, as in the reflector. */
  readonly longestWatchSeconds?: number;
}

/**
 * Readiness check `sources`, which fails when the API server cannot be watched. It passes if no source is
 * stopped, forbidden or unserved, and every source has heard from the server within twice the longest watch
 * duration, by default 20 minutes.
 */
export function sourcesCheck(sources: Sources, options: SourcesCheckOptions): HealthCheck {
  const [, longest] = DEFAULT_REFLECTOR_SETTINGS.watchTimeoutSeconds;
  const { clock, longestWatchSeconds = longest } = options;
  const maxSilenceMs = 2 * longestWatchSeconds * 1_000;
  return everySource('sources', sources, ({ informer }) => {
    const { state, lastContactAt } = informer;
    if (state === 'stopped' || state === 'forbidden' || state === 'unserved') return false;
    return lastContactAt !== undefined && clock.monotonic() - lastContactAt <= maxSilenceMs;
  });
}

/** The maximum number of sources that one log line mentions. */
const MAX_NAMED = 5;

function everySource(
  name: string,
  sources: Sources,
  isWell: (source: NeededSource) => boolean,
): HealthCheck {
  return {
    name,
    ok: () => [...sources()].every(isWell),
    why: () => {
      const unwell = [...sources()].filter((source) => !isWell(source));
      const named = unwell.slice(0, MAX_NAMED).map(({ facts, informer: { state } }) => ({
        ...facts,
        state,
      }));
      return { count: unwell.length, sources: named };
    },
  };
}
