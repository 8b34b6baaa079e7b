import type { Client } from '../../client/client.ts';
import type { Clock } from '../../core/clock.ts';
import type { Meter } from '../../core/metrics.ts';
import type { TimeSlice } from '../../core/time-slice.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { WriteJournal } from '../../model/write-journal.ts';
import type { QueueSettings } from '../../queue/work-queue.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Controller } from '../controller.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { OpenedSource } from '../finalizers/deletion-watch.ts';
import type { MetadataPages } from '../finalizers/sweep.ts';
import type { Log, Self } from '../reconciler.ts';
import type { Source } from '../source.ts';
import type { ReconcileMiddleware } from './middleware.ts';
import type { RunObserver } from './run-observer.ts';
import type { CrdWait } from './settled-sources.ts';
import type { Shards } from './term.ts';
import type { WorkOrder } from './work-order.ts';

/** Everything that is needed to run a controller, and defaults for settings that the controller omits. */
export interface RunnerOptions {
  readonly controller: Controller;
  /** The informer of a source; equal sources share one informer. */
  readonly informerFor: (source: Source) => SharedInformer<KubernetesObject>;
  readonly client: Client;
  /** Receives every write, so that reads from the stores of the process contain it. Default: no journal. */
  readonly journal?: WriteJournal;
  readonly events: EventRecorder;
  /** Divides the keys between replicas. Default: this process works on all keys. */
  readonly shards?: Shards;
  readonly clock: Clock;
  readonly self: Self;
  /** Decides which key a worker gets. Default: the order of the queue. */
  readonly workOrder?: WorkOrder | undefined;
  /** A logger bound to the given facts. */
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /**
   * Milliseconds until a log line reports the missing sources. Default 2 minutes, as in controller-runtime.
   */
  readonly cacheSyncTimeoutMs?: number;
  /**
   * `run` fails when a source is still failing or refused after this many milliseconds. Default: it waits,
   * according to `cacheSyncTimeoutMs` and `crdWait`.
   */
  readonly sourcesWithinMs?: number;
  /** What happens when the API server does not serve a source. Default `forever`. */
  readonly crdWait?: CrdWait;
  /** Runs around every attempt. Default: none. */
  readonly reconcileMiddleware?: ReconcileMiddleware;
  /** The limit for a controller that sets none itself. Default 5 minutes; 0 means no limit. */
  readonly reconcileTimeoutMs?: number;
  /** The limit for a controller that sets none itself. Default: no limit. */
  readonly maxReconcileAgeMs?: number;
  /** The period for a controller that sets none itself. Default 10 h; 0 means never. */
  readonly resyncPeriodMs?: number;
  /** The values of queue settings that the controller omits. */
  readonly queue?: QueueSettings;
  /** Lists objects for the finalizer sweep. Default: no sweep. */
  readonly metadataPages?: MetadataPages;
  /**
   * All controllers of the process. If another controller selects an object, that controller handles it.
   * Default: only this controller.
   */
  readonly controllers?: () => readonly Controller[];
  /**
   * Opens the watch of one object that has the finalizer and has left the selector. Default: no such watch.
   */
  readonly openSource?: (source: Source) => OpenedSource;
  /** The namespaces for sources with `namespace: 'configured'`. Default: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  /**
   * All controllers of a process share one time slice, so that together they allow other work on the event
   * loop. Default: each runner has a time slice for itself.
   */
  readonly timeSlice?: TimeSlice;
  /** True while each attempt logs why its key woke, and each write logs what it changed. Default: never. */
  readonly showsDebug?: () => boolean;
  /** Default: no measurements. */
  readonly meter?: Meter;
  /**
   * Returns random numbers, uniform in [0, 1), for components that have no `random`. Default `Math.random`.
   */
  readonly random?: () => number;
  /** Receives what the controller does with its keys, for a flight record. Default: no observer. */
  readonly observer?: RunObserver;
}
