import type { Clock } from '../../core/clock.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import { DEFAULT_REFLECTOR_SETTINGS } from '../../watch/reflector-options.ts';
import type { HealthCheck } from './health-server.ts';

/** A source that somebody cannot do without. */
export interface NeededSource {
  /** What it is of, for people. */
  readonly facts: object;
  readonly informer: Pick<
    SharedInformer<KubernetesObject>,
    'synced' | 'state' | 'status' | 'lastContactAt'
  >;
}

type Sources = () => Iterable<NeededSource>;

/**
 * Check `synced` of readiness: every source has its first full list. An outage later on is no failure:
 * the caches are there, and no other replica could do better.
 */
export function syncedCheck(sources: Sources): HealthCheck {
  return everySource('synced', sources, ({ informer }) => informer.synced);
}

interface SourcesCheckOptions {
  readonly clock: Clock;
  /** Seconds of the longest watch. Default 600, the reflector's. */
  readonly longestWatchSeconds?: number;
}

/**
 * Check `sources`, for who wants readiness to follow the API server: no source is stopped, forbidden or
 * not served, and the server was heard of within twice the longest watch, by default 20 minutes.
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

/** In the log at most so many sources are named. */
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
