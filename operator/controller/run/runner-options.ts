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
import type { MetadataPages } from '../finalizers/sweep.ts';
import type { Log, Self } from '../reconciler.ts';
import type { Source } from '../source.ts';
import type { ReconcileMiddleware } from './middleware.ts';
import type { CrdWait } from './settled-sources.ts';

/** What a controller is run with, and the defaults of what it does not say itself. */
export interface RunnerOptions {
  readonly controller: Controller;
  /** The informer behind a source; the same one for equal sources. */
  readonly informerFor: (source: Source) => SharedInformer<KubernetesObject>;
  readonly client: Client;
  /** Receives every write, so that the stores of the process show it. Default: no journal. */
  readonly journal?: WriteJournal;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly self: Self;
  /** A logger bound to the given facts. */
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /** Default 2 minutes, controller-runtime's; then one line says which sources are missing. */
  readonly cacheSyncTimeoutMs?: number;
  /**
   * The run fails when a source still fails, or is refused, after so many milliseconds. Default: it is
   * waited for, as `cacheSyncTimeoutMs` and `crdWait` say.
   */
  readonly sourcesWithinMs?: number;
  /** About a source that the API server does not serve. Default `forever`. */
  readonly crdWait?: CrdWait;
  /** Something around every attempt. Default: nothing. */
  readonly reconcileMiddleware?: ReconcileMiddleware;
  /** For a controller that does not say it itself. Default 5 minutes; 0 is no limit. */
  readonly reconcileTimeoutMs?: number;
  /** For a controller that does not say it itself. Default: none does. */
  readonly maxReconcileAgeMs?: number;
  /** For a controller that does not say it itself. Default 10 h; 0 is never. */
  readonly resyncPeriodMs?: number;
  /** What a controller does not say itself. */
  readonly queue?: QueueSettings;
  /** For objects that carry a finalizer and are not selected. Default: they are not looked for. */
  readonly metadataPages?: MetadataPages;
  /**
   * Shared by all controllers of a process: together, too, they leave the event loop to others. Default:
   * one of its own.
   */
  readonly timeSlice?: TimeSlice;
  /** Default: nothing is measured. */
  readonly meter?: Meter;
}
