import type { Client } from '../client/client.ts';
import type { Clock } from '../core/clock.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import type { Store } from '../store/store.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Source } from './source.ts';

/** What the controller does after a successful reconcile. */
export type Result =
  /**
   * Reconcile this key again after so long, or earlier when something changes. `priority` is a whole
   * number, higher first; default -100, behind everything that somebody changed.
   */
  | { readonly requeueAfterMs: number; readonly priority?: number }
  /** Wait for the next event. Safe because every relist that finds a difference enqueues the key. */
  | { readonly requeueAfterMs?: undefined };

export const AWAIT_CHANGE: Result = Object.freeze({});

/** A logger that is bound to one piece of work. Messages are constant; facts are fields. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Who this process is in the cluster, from the Downward API. Unknown parts are undefined. */
export interface Self {
  readonly namespace: string | undefined;
  readonly podName: string | undefined;
}

export interface ReconcileContext {
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
  /** Bound to the controller, the key and a fresh `reconcileId`. */
  readonly log: Log;
  /** Failures in a row of this key before this attempt. */
  readonly attempt: number;
  /**
   * Of this attempt: 0 after a change; -100 after a first list, a resync or a poll, and for what a
   * relist has found changed.
   */
  readonly priority: number;
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly self: Self;
  /**
   * The cache of one of the controller's own sources.
   *
   * @throws ConfigurationError `CONFIG` when the controller does not declare `source`.
   */
  store<T extends KubernetesObject>(source: Source<T>): Store<T>;
}

/**
 * Makes the world match one object. Level-triggered: it is told which object, never what happened.
 *
 * Must be idempotent. Throw to retry with back-off; return to say when to look again. Two calls for
 * one key never overlap.
 *
 * @param object - the cached object, or undefined when it no longer exists. Shared: do not change it.
 */
export type Reconciler<T extends KubernetesObject> = (
  key: ObjectKey,
  object: T | undefined,
  context: ReconcileContext,
) => Promise<Result>;
