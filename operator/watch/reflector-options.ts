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

/** How a source lists and watches. Each has a default. */
export interface ReflectorSettings {
  /** Objects in a list page. */
  readonly pageSize: number;
  /** The server is asked to end each watch after a random time of [min, max) seconds. */
  readonly watchTimeoutSeconds: readonly [min: number, max: number];
  /** Mean time between authoritative relists, ± 20 %: 10 minutes or more; 0 turns them off. */
  readonly relistIntervalMs: number;
  /** How lists are made: see `ListMode`. */
  readonly list: ListMode;
  /**
   * `consistent`: the first list shows the newest state. `any`: it shows what the server's cache
   * holds, which is cheaper on servers before 1.31 and may be older than before a restart.
   */
  readonly initialList: 'consistent' | 'any';
  /** What becomes of the cached objects when the resource is not served any more. */
  readonly onUnserved: OnUnserved;
}

/**
 * `retain`: what was cached stays, for a server that starts may deny what it serves. `clear`: it is
 * let go, and handlers are told of deletes, once the API server has also said that the
 * CustomResourceDefinition is gone; in doubt it stays. A resource of Kubernetes itself always stays.
 * Not for a resource of an aggregated API server: it has no definition, and would pass for gone.
 */
export type OnUnserved = 'retain' | 'clear';

/**
 * The shortest mean time between authoritative relists: each lists everything. What must be known
 * sooner, such as after a restore of etcd, is asked for with `verify()`.
 */
export const MIN_RELIST_INTERVAL_MS: number = 10 * 60 * 1_000;

/**
 * - Watch timeout: client-go's 5 to 10 minutes. Behind a load balancer that cuts idle flows choose
 *   less than its limit.
 * - Relist: 30 minutes; every other means of finding a divergence acts sooner, this one is for
 *   those that no watch can show (an API server whose own watch cache lost an event).
 * - Lists are paged: what streaming saves is the server's memory, and there are servers and proxies
 *   that never end a streamed list.
 */
export const DEFAULT_REFLECTOR_SETTINGS: ReflectorSettings = Object.freeze({
  pageSize: DEFAULT_PAGE_SIZE,
  watchTimeoutSeconds: [300, 600],
  relistIntervalMs: 30 * 60 * 1_000,
  list: 'paged',
  initialList: 'consistent',
  onUnserved: 'retain',
} as const);

/** Something that a person may want to read in a log, and that changes no state. */
export type ReflectorNotice =
  /** The server shows an older state than one that it has shown: it was restored from a backup. */
  | { readonly kind: 'regression'; readonly from: string; readonly to: string }
  /** One list held these objects more than once; the last of each was taken. */
  | { readonly kind: 'duplicates'; readonly keys: readonly ObjectKey[] }
  /** A list could not be streamed, and is paged instead. */
  | { readonly kind: 'not-streamed'; readonly error: unknown }
  /** The definition of the resource is gone, and so is everything that was cached: `onUnserved`. */
  | { readonly kind: 'cleared' };

/** How a source lists and watches, and what it needs for that. */
export interface ReflectorOptions extends Partial<ReflectorSettings> {
  /** The process's time. */
  readonly clock: Clock;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Where measurements go. Default: nowhere. */
  readonly meter?: Meter;
  /** `group`, `version`, `resource` and `namespace` of the source, for its measurements. */
  readonly labels?: Labels;
  /** Shared by all sources of a process. Default: one of its own. */
  readonly limiter?: ListLimiter;
  /** Shared by all sources of a process. Default: one of its own. */
  readonly discoveryPoll?: DiscoveryPoll;
  /** Must not throw. */
  readonly onNotice?: (notice: ReflectorNotice) => void;
}

/** Options with every default filled in. */
export interface ResolvedOptions extends Required<Omit<ReflectorOptions, keyof ReflectorSettings>> {
  readonly settings: ReflectorSettings;
}

/**
 * @throws ConfigurationError `CONFIG` for a watch timeout that would never, or at once, end, and for a
 *   relist interval that is neither 0 nor 10 minutes or more.
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
 * Where a reflector puts what it learns. One call at a time; each is awaited, so that a slow sink
 * slows the socket instead of filling memory.
 */
export interface ReflectorSink<T extends KubernetesObject> extends VersionView {
  /** The entry that the sink has under a key. */
  known(key: ObjectKey): Entry<T> | undefined;
  /**
   * Takes the objects of a page before its list is complete, so that they need not all be in memory at
   * once. It answers the objects that stand for them in the list. A list may fail on a later page: then
   * it begins again with a `first` page. The pages of such a sink hold about 4 MiB each.
   *
   * Left out: the sink sees complete lists only.
   */
  readonly takePage?: TakePage<T> | undefined;
  /** The whole collection, at once: what is not in it is gone. */
  replace(list: CompleteList<T>): void | Promise<void>;
  /**
   * Changes in the order of the wire. Bookmarks are among them and mean nothing to a cache. So may be
   * a state of an object that is older than the one it has: that is to be ignored.
   *
   * A DELETED object carries the resourceVersion of its deletion and the last body that was stored:
   * its finalizers still stand there. For a source with a label selector, DELETED does not prove that
   * the object is gone: one that no longer matches comes as DELETED, with its old labels.
   */
  apply(batch: readonly WatchEvent<T>[]): void | Promise<void>;
  /** The state changed; once per change, not per attempt. */
  statusChanged(status: ReflectorStatus): void;
  /** An authoritative relist has compared; `drift` names what the watch had got wrong. */
  verified(drift: readonly ObjectKey[]): void;
}
