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
  /** Mean milliseconds between authoritative relists, ± 20 %: at least 10 minutes, or 0 for none. */
  readonly relistIntervalMs: number;
  /** How lists are made: see `ListMode`. */
  readonly list: ListMode;
  /**
   * `consistent`: the first list shows the newest state. `any`: it shows the server's cache, which is cheaper
   * on servers before 1.31, but may be older than what was seen before a restart.
   */
  readonly initialList: 'consistent' | 'any';
  /** What happens to the cached objects when the resource is no longer served. */
  readonly onUnserved: OnUnserved;
}

/**
 * `retain`: cached objects stay, because a server that is starting may claim not to serve the resource.
 * `clear`: the cache is emptied and handlers get deletes, once the API server has also said that the
 * CustomResourceDefinition is gone; in doubt the objects stay. Objects of a built-in resource of Kubernetes
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
 *   choose less than the load balancer's limit.
 * - Relist: 30 minutes. Every other check finds a divergence sooner. The relist is for divergences that no
 *   watch can show, such as an API server whose own watch cache lost an event.
 * - Lists are paged. Streaming saves memory of the server only, and some servers and proxies never end a
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
   * The server shows an older state than before, or a different one at the same resourceVersion: it was
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
  /** Takes the measurements. Default: nothing is measured. */
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
 * Takes the state of a collection from a reflector. Calls never overlap, and each is awaited, so a slow sink
 * slows down the socket instead of filling memory.
 */
export interface ReflectorSink<T extends KubernetesObject> extends VersionView {
  /** The sink's entry for a key. */
  known(key: ObjectKey): Entry<T> | undefined;
  /**
   * Takes the objects of a page before the list is complete, so that not all objects need to be in memory at
   * once. Returns the objects that replace them in the list. If a later page fails, the list restarts with a
   * `first` page. Pages for such a sink have about 4 MiB each.
   *
   * If omitted, the sink gets only complete lists.
   */
  readonly takePage?: TakePage<T> | undefined;
  /** Called with the whole collection. Objects that it does not contain are gone. */
  replace(list: CompleteList<T>): void | Promise<void>;
  /**
   * Called with changes in wire order. They include bookmarks, which a cache ignores. They may include a
   * state of an object that is older than the cached one; the sink must ignore it.
   *
   * A DELETED object has the resourceVersion of its deletion and the body that was stored last, which still
   * lists its finalizers. With a label selector, DELETED does not prove that the object is gone: an object
   * that no longer matches comes as DELETED, with its old labels.
   */
  apply(batch: readonly WatchEvent<T>[]): void | Promise<void>;
  /** Called when the state has changed; once per change, not once per attempt. */
  statusChanged(status: ReflectorStatus): void;
  /**
   * Called when an authoritative relist has finished. `drift` has the keys for which the watch had shown a
   * wrong state.
   */
  verified(drift: readonly ObjectKey[]): void;
}
