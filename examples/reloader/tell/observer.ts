import type { KubernetesObject, ReconcileContext } from 'chancery';
import type { Change } from '../record/plan-types.ts';
import type { Problem, WorkloadKindName } from '../workloads/kind.ts';

/** The workload that something happened to. */
export interface Regarding {
  readonly kind: WorkloadKindName;
  readonly namespace: string;
  readonly name: string;
  /** As the cache shows it, read-only, with `apiVersion` and `kind`. */
  readonly workload: KubernetesObject;
  /** Log, Events, clock and `dryRun` of the attempt. Not to be kept after the call. */
  readonly context: ReconcileContext;
}

/** Why a wanted resource caused no restart: the values of `skipped_total{reason}`. */
export type SkipReason = 'ignored_or_not_selected' | 'strategy_not_updated' | 'no_data_change';

/**
 * What the engine reports: metrics, alerts, Events and the webhook are observers. Each method is called at once
 * and in order. A method returns at once, and what takes longer is its own business; one that throws is logged,
 * and harms neither the restart nor the other observers. No method gets the content of a resource.
 */
export interface ReloadObserver {
  /** A source has shown an object: once for each change, before anything is looked at. First lists are adds. */
  received?(event: ReceivedEvent): void;
  /** A change of a resource was handled, with all workloads that it concerns. */
  processed?(event: Pick<ReceivedEvent, 'resourceType'>): void;
  /** A change of a resource has put a workload into a queue. @param workload - `KIND/NAMESPACE/NAME`. */
  queued?(workload: string): void;
  /** A reconcile of a workload begins, for whatever reason. @param workload - as in `queued`. */
  taken?(workload: string): void;
  /** A workload does not exist any more. @param workload - as in `queued`. */
  gone?(workload: string): void;
  /** A workload was compared with its resources. */
  scanned?(kind: WorkloadKindName): void;
  /** A workload wants one of its resources. */
  matched?(kind: WorkloadKindName): void;
  /** A workload was compared, and nothing restarts. */
  skipped?(reason: SkipReason, kind: WorkloadKindName): void;
  /** A reconcile has ended. @param durationMs - from its begin. */
  reconciled?(result: 'success' | 'error' | 'skipped', durationMs: number): void;
  /** A reconcile with a failure before: a retry begins. @param kind - undefined for a call of the webhook. */
  retried?(kind?: WorkloadKindName): void;
  /** A workload restarts. @param durationMs - from the begin of the reconcile that restarted it. */
  restarted?(about: Regarding, changes: readonly Change[], durationMs: number): void;
  /** A restart has failed, and is tried again. `error` may quote a server's text: do not pass it on as it is. */
  failed?(about: Regarding, changes: readonly Change[], error: unknown, durationMs: number): void;
  /** A restart waits for a gate. Undefined: it does not wait any more. */
  pending?(about: Regarding, reason: string | undefined, note: string | undefined): void;
  /** A configuration that cannot be used: once for each, until it changes. */
  invalid?(about: Regarding, problem: Problem): void;
  /** Another manager removes the baseline repeatedly. @param times - removals in a row. */
  reverted?(about: Regarding, times: number): void;
}

/** A change of a watched object. */
export interface ReceivedEvent {
  readonly eventType: 'add' | 'update' | 'delete';
  /** `configmaps`, `secrets`, `namespaces` or `secretproviderclasspodstatuses`. */
  readonly resourceType: string;
  readonly namespace: string;
  /** Of the resource, not of the status that told of it. */
  readonly name: string;
}

/** One observer that passes everything on to `observers`, in order. */
export function observeAll(
  observers: readonly ReloadObserver[],
  failed: (error: unknown) => void,
): Required<ReloadObserver> {
  const all =
    <K extends keyof ReloadObserver>(method: K) =>
    (...words: Parameters<NonNullable<ReloadObserver[K]>>): void => {
      for (const observer of observers) {
        try {
          (observer[method] as ((...given: typeof words) => void) | undefined)?.apply(
            observer,
            words,
          );
        } catch (error) {
          failed(error);
        }
      }
    };
  return {
    received: all('received'),
    processed: all('processed'),
    queued: all('queued'),
    taken: all('taken'),
    gone: all('gone'),
    scanned: all('scanned'),
    matched: all('matched'),
    skipped: all('skipped'),
    reconciled: all('reconciled'),
    retried: all('retried'),
    restarted: all('restarted'),
    failed: all('failed'),
    pending: all('pending'),
    invalid: all('invalid'),
    reverted: all('reverted'),
  };
}
