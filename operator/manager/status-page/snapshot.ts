import type { ControllerActivity } from '../../controller/run/runner.ts';
import type { Clock } from '../../core/clock.ts';
import { VERSION } from '../../core/version.ts';
import { resourceName } from '../../model/resource.ts';
import type { Settings } from '../settings/settings.ts';
import type { ScopeActivity } from '../sources/informers.ts';
import type { MinuteCounts } from './minute-counts.ts';
import type { ControllerStatus, ProcessStatus, SourceStatus } from './process-status.ts';
import type { ReconcileHistory } from './reconcile-history.ts';

/** What a process knows of itself, each part where it is kept. */
export interface SnapshotOptions {
  readonly clock: Clock;
  readonly settings: Settings;
  /** `clock.monotonic()` when the process began. */
  readonly startedAt: number;
  readonly phase: () => ProcessStatus['phase'];
  readonly ready: () => boolean;
  readonly leadership: () => ProcessStatus['leadership'];
  readonly scopes: () => Iterable<ScopeActivity>;
  readonly controllers: () => Iterable<ControllerActivity>;
  readonly history: ReconcileHistory;
  readonly writes: MinuteCounts;
}

/** A look at the process, from memory. */
export function snapshot(options: SnapshotOptions): ProcessStatus {
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
    sources: Array.from(options.scopes(), (scope) => sourceStatus(scope, nowMs)),
    controllers: Array.from(options.controllers(), (each) => controllerStatus(each, history)),
    recent: history.recent,
    writesPerMinute: writes.values(),
  };
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
  { longestRunningMs, ...activity }: ControllerActivity,
  history: ReconcileHistory,
): ControllerStatus {
  const longestRunningSeconds = Math.floor(longestRunningMs / 1_000);
  return { ...activity, longestRunningSeconds, ...history.tallyOf(activity.name) };
}
