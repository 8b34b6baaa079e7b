import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Interceptor, isRead } from '../../client/call.ts';
import type { ReconcileMiddleware } from '../../controller/run/middleware.ts';
import type { Clock } from '../../core/clock.ts';
import { VERSION } from '../../core/version.ts';
import { resourceName } from '../../model/resource.ts';
import type { Settings } from '../settings/settings.ts';
import type { SharingStatus } from '../sharding/sharding.ts';
import type { ScopeActivity } from '../sources/scope.ts';
import { KeyMemory } from './key-memory.ts';
import { KeyView } from './key-view.ts';
import type { ObservedController } from './observed-controller.ts';
import type {
  ControllerStatus,
  ProcessStatus,
  RunnableStatus,
  ShardingStatus,
  SourceStatus,
} from './process-status.ts';
import { MinuteCounts, ReconcileHistory } from './reconcile-history.ts';
import { answersOff, StatusPage } from './status-page.ts';

/** What the view reads of the process. The view remembers everything else itself. */
type ProcessViewOptions = Omit<SnapshotOptions, 'startedAt' | 'history' | 'writes' | 'keys'>;

/**
 * Builds the status of the process. It remembers past reconciles and writes, and reads everything else on
 * demand.
 */
export class ProcessView {
  /** Counts writes. Every write must be added. */
  readonly writes: MinuteCounts;
  /** Remembers keys. Every controller must report to it. Undefined when the page is off. */
  readonly keys: KeyMemory | undefined;
  readonly #snapshot: () => ProcessStatus;
  readonly #history: ReconcileHistory;
  readonly #page: StatusPage | undefined;

  constructor(options: ProcessViewOptions) {
    const { clock, settings } = options;
    const startedAt = clock.monotonic();
    const history = new ReconcileHistory(clock);
    const writes = new MinuteCounts(clock);
    this.writes = writes;
    this.#history = history;
    this.keys = settings.statusPage ? new KeyMemory(clock) : undefined;
    const keys = new KeyView({ ...options, memory: this.keys });
    this.#snapshot = () => snapshot({ ...options, startedAt, history, writes, keys });
    this.#page = settings.statusPage
      ? new StatusPage({ clock, status: this.#snapshot, keys })
      : undefined;
  }

  get status(): ProcessStatus {
    return this.#snapshot();
  }

  /** A middleware that records every attempt. `inner` runs around the attempt. */
  around(inner: ReconcileMiddleware | undefined): ReconcileMiddleware {
    return (attempt, next) => this.#history.around(attempt, () => inner?.(attempt, next) ?? next());
  }

  /** Answers a request on the health port. Returns false when the request is not for the status page. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): boolean =>
    this.#page === undefined ? answersOff(request, response) : this.#page.answer(request, response);

  /** Ends all open streams. */
  stop(): void {
    this.#page?.stop();
  }
}

/** What the status is built from. Most members are functions that return the current value. */
export interface SnapshotOptions {
  readonly clock: Clock;
  readonly settings: Settings;
  /** `clock.monotonic()` when the process started. */
  readonly startedAt: number;
  readonly phase: () => ProcessStatus['phase'];
  readonly ready: () => boolean;
  readonly leadership: () => ProcessStatus['leadership'];
  readonly sharing: () => SharingStatus | undefined;
  readonly scopes: () => Iterable<ScopeActivity>;
  readonly controllers: () => Iterable<ObservedController>;
  readonly runnables: () => readonly RunnableStatus[];
  readonly history: ReconcileHistory;
  readonly writes: MinuteCounts;
  readonly keys: KeyView;
  /** The flight recorder of the process, if any. Default: none. */
  readonly observer?: object;
}

/** The current status, from memory. */
function snapshot(options: SnapshotOptions): ProcessStatus {
  const { clock, settings, startedAt, history, writes } = options;
  const nowMs = clock.monotonic();
  return {
    at: new Date(clock.now()).toISOString(),
    version: VERSION,
    uptimeSeconds: Math.floor((nowMs - startedAt) / 1_000),
    phase: options.phase(),
    ready: options.ready(),
    apiUrl: settings.apiUrl,
    podName: settings.podName,
    podNamespace: settings.podNamespace,
    leadership: options.leadership(),
    sharding: shardingStatus(options.sharing()),
    recording: options.observer && {
      minutes: settings.record.minutes,
      endpoint: settings.record.endpoint,
    },
    sources: Array.from(options.scopes(), (scope) => sourceStatus(scope, nowMs)),
    controllers: Array.from(options.controllers(), (each) => controllerStatus(each, history)),
    failing: options.keys.failing(),
    runnables: options.runnables(),
    recent: history.recent,
    writesPerMinute: writes.values(),
  };
}

function shardingStatus(sharing: SharingStatus | undefined): ShardingStatus | undefined {
  return (
    sharing && {
      ...sharing,
      members: sharing.members.map(({ identity, generation, isFresh, unchangedMs }) => ({
        ...{ identity, division: generation, fresh: isFresh },
        unchangedSeconds: Math.floor(unchangedMs / 1_000),
      })),
    }
  );
}

function sourceStatus({ scope, informer }: ScopeActivity, nowMs: number): SourceStatus {
  const { objects, bytes } = informer.size();
  const { resource, namespace, labelSelector, fieldSelector } = scope;
  const selector = [labelSelector, fieldSelector].filter((part) => part !== undefined).join(' ');
  const since = (at: number | undefined): number | undefined =>
    at === undefined ? undefined : Math.floor((nowMs - at) / 1_000);
  return {
    resource: resourceName(resource),
    namespace,
    selector: selector === '' ? undefined : selector,
    state: informer.state,
    health: informer.status.health,
    synced: informer.synced,
    objects,
    bytes,
    lastContactSeconds: since(informer.lastContactAt),
    lastListSeconds: since(informer.listedAt),
  };
}

function controllerStatus(
  { activity: { longestRunningMs, ...activity } }: ObservedController,
  history: ReconcileHistory,
): ControllerStatus {
  const longestRunningSeconds = Math.floor(longestRunningMs / 1_000);
  return { ...activity, longestRunningSeconds, ...history.tallyOf(activity.name) };
}

/** Counts each write and delete, whether or not it succeeds. Dry runs are not counted. */
export function countWrites(writes: MinuteCounts): Interceptor {
  return (next) => (call) => {
    if (!isRead(call) && call.options.dryRun !== true) writes.count();
    return next(call);
  };
}
