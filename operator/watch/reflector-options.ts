import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { type Labels, type Meter, noMeter } from '../core/metrics.ts';
import type { Entry, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { DiscoveryPoll } from './discovery-poll.ts';
import { type CompleteList, DEFAULT_PAGE_SIZE, type TakePage } from './list.ts';
import { ListLimiter } from './policy/list-limiter.ts';
import type { ListMode } from './policy/list-mode.ts';
import type { ReflectorStatus } from './reflector-status.ts';
import type { VersionView } from './resume-point.ts';

/** How a source lists and watches. Each setting has a default. */
export interface ReflectorSettings {
  /** Number of objects per page of a list. */
  readonly pageSize: number;
  /** Each watch asks the server to end it after a random number of seconds in [min, max). */
  readonly watchTimeoutSeconds: readonly [min: number, max: number];
  /**
   * Mean milliseconds between authoritative relists; each interval is up to 20 % shorter or longer. At least
   * 10 minutes, or 0 for no relists.
   */
  readonly relistIntervalMs: number;
  /** How lists are made: see `ListMode`. */
  readonly list: ListMode;
  /**
   * `consistent`: the first list contains the newest state. `any`: the first list contains the state of the
   * server's cache. This is cheaper on servers before 1.31, but the state may be older than the state that
   * this operator saw before its restart.
   */
  readonly initialList: 'consistent' | 'any';
  /** What happens to the cached objects when the resource is no longer served. */
  readonly onUnserved: OnUnserved;
}

/**
 * `retain`: cached objects stay, because a server that is starting may claim not to serve the resource.
 * `clear`: the cache is emptied and handlers get deletes, but only after the API server has answered that the
 * CustomResourceDefinition is gone. In doubt the objects stay. Objects of a built-in resource of Kubernetes
 * always stay. Do not use `clear` for a resource of an aggregated API server: it has no definition, so it
 * would always appear to be gone.
 */
export type OnUnserved = 'retain' | 'clear';

/**
 * The shortest mean milliseconds between authoritative relists, because each relist lists everything. To
 * compare sooner, for example after a restore of etcd, call `verify()`.
 */
export const MIN_RELIST_INTERVAL_MS: number = 10 * 60 * 1_000;

/**
 * - Watch timeout: 5 to 10 minutes, as in client-go. Behind a load balancer that cuts idle connections,
 *   choose a shorter time than the load balancer's limit.
 * - Relist: 30 minutes. Every other check finds a divergence sooner. The relist finds divergences that no
 *   watch can report, for example because the watch cache of the API server has lost an event.
 * - Lists are paged. Streaming saves memory only in the server, and some servers and proxies never end a
 *   streamed list.
 */
export const DEFAULT_REFLECTOR_SETTINGS: ReflectorSettings = Object.freeze({
  pageSize: DEFAULT_PAGE_SIZE,
  watchTimeoutSeconds: [300, 600],
  relistIntervalMs: 30 * 60 * 1_000,
  list: 'paged',
  initialList: 'consistent',
  onUnserved: 'retain',
} as const);

/** An event that is worth a log line but changes no state. */
export type ReflectorNotice =
  /**
   * The server returns an older state than before, or a different state with the same resourceVersion. It was
   * restored from a backup, or another server has its address.
   */
  | { readonly kind: 'regression'; readonly from: string; readonly to: string }
  /** One list contained these objects more than once. The last occurrence of each was used. */
  | { readonly kind: 'duplicates'; readonly keys: readonly ObjectKey[] }
  /** A list could not be streamed, and is requested page by page instead. */
  | { readonly kind: 'not-streamed'; readonly error: unknown }
  /** The definition of the resource is gone, and the cache was emptied: see `onUnserved`. */
  | { readonly kind: 'cleared' };

/** How a source lists and watches, and what it needs for that. */
export interface ReflectorOptions extends Partial<ReflectorSettings> {
  /** The clock of the process. */
  readonly clock: Clock;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Receives the measurements. Default: nothing is measured. */
  readonly meter?: Meter;
  /** `group`, `version`, `resource` and `namespace` of the source, for its measurements. */
  readonly labels?: Labels;
  /** Shared by all sources of a process. Default: the source has its own. */
  readonly limiter?: ListLimiter;
  /** Shared by all sources of a process. Default: the source has its own. */
  readonly discoveryPoll?: DiscoveryPoll;
  /** Called for each notice. Must not throw. */
  readonly onNotice?: (notice: ReflectorNotice) => void;
}

/** Options with every default filled in. */
export interface ResolvedOptions extends Required<Omit<ReflectorOptions, keyof ReflectorSettings>> {
  readonly settings: ReflectorSettings;
}

/**
 * @throws ConfigurationError `CONFIG` for a watch timeout that is infinite or zero, and for a relist interval
 *   that is neither 0 nor at least 10 minutes.
 */
export function resolveOptions(options: ReflectorOptions): ResolvedOptions {
  const {
    clock,
    random = Math.random,
    meter = noMeter,
    labels = {},
    limiter,
    discoveryPoll,
    onNotice,
    ...some
  } = options;
  const settings = { ...DEFAULT_REFLECTOR_SETTINGS, ...some };
  const [min, max] = settings.watchTimeoutSeconds;
  if (!(min >= 1 && max >= min)) {
    throw new ConfigurationError('watchTimeoutSeconds must be a range of 1 second or more', {
      context: { min, max },
    });
  }
  requireRelistInterval(settings.relistIntervalMs);
  return {
    clock,
    random,
    meter,
    labels,
    limiter: limiter ?? new ListLimiter({ clock, random }),
    discoveryPoll: discoveryPoll ?? new DiscoveryPoll(clock),
    onNotice: onNotice ?? ((): void => {}),
    settings,
  };
}

function requireRelistInterval(relistIntervalMs: number): void {
  const isLongEnough = relistIntervalMs >= MIN_RELIST_INTERVAL_MS;
  if (relistIntervalMs === 0 || (isLongEnough && Number.isFinite(relistIntervalMs))) return;
  throw new ConfigurationError(
    `relistIntervalMs must be ${MIN_RELIST_INTERVAL_MS} (10 minutes) or more, or 0 for never, not ` +
      `${relistIntervalMs}: call verify() to compare sooner`,
    { context: { relistIntervalMs } },
  );
}

/**
 * Receives the state of a collection from a reflector. Calls never overlap, and each call is awaited. So if a
 * sink is slow, the socket is read more slowly, and memory does not fill.
 */
export interface ReflectorSink<T extends KubernetesObject> extends VersionView {
  /** The entry that the sink has for a key. */
  known(key: ObjectKey): Entry<T> | undefined;
  /**
   * Receives the objects of a page before the list is complete, so that not all objects need to be in memory
   * at once. Returns the objects that replace them in the list. If a later page fails, the list starts over
   * with a page for which `first` is true. Pages for such a sink have about 4 MiB each.
   *
   * If omitted, the sink gets only complete lists.
   */
  readonly takePage?: TakePage<T> | undefined;
  /** Called with the whole collection. Objects that it does not contain are gone. */
  replace(list: CompleteList<T>): void | Promise<void>;
  /**
   * Called with events in the order in which the server sent them. They include bookmarks, which a cache
   * ignores. An event may contain an older state of an object than the cached state; the sink must ignore it.
   *
   * A DELETED object has the resourceVersion of its deletion and the body that was stored last, which still
   * lists its finalizers. With a label selector, DELETED does not prove that the object is gone: the server
   * also sends DELETED, with the old labels, for an object that no longer matches.
   */
  apply(batch: readonly WatchEvent<T>[]): void | Promise<void>;
  /** Called once for each change of the state, not for each attempt. */
  statusChanged(status: ReflectorStatus): void;
  /**
   * Called when an authoritative relist has finished. `drift` has the keys of the objects whose cached state
   * was wrong.
   */
  verified(drift: readonly ObjectKey[]): void;
}
