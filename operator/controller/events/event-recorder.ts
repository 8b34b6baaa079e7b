import type { KubernetesObject } from '../../model/object.ts';

/** An Event to record. */
export interface EventNote {
  /** The object that the Event is about. */
  readonly regarding: KubernetesObject;
  /** A second object that is involved, such as a created child. */
  readonly related?: KubernetesObject;
  /** `Warning` when a person should look at it. */
  readonly type: 'Normal' | 'Warning';
  /** Why the event happened, in CamelCase, at most 128 characters. */
  readonly reason: string;
  /** What was done, in CamelCase, at most 128 characters. */
  readonly action: string;
  /** A human-readable sentence; cut to 1,024 bytes. */
  readonly note: string;
  /**
   * The `reportingController` of the Event, at most 128 characters, written like a label key. Default:
   * `chancery.dev/CONTROLLER`. In core/v1 it is the `reportingComponent`, which `kubectl describe` shows
   * under "From". Set it if your operator replaces another operator, and people filter Events by the name of
   * that operator.
   */
  readonly reporter?: string;
}

/** Records what happened to an object, so that people can read it in `kubectl describe`. */
export interface EventRecorder {
  /**
   * Sends an Event in the background. Never throws and never delays the caller.
   *
   * A repetition of the same Event within 6 minutes increases the count of the first Event. Events are
   * dropped when there are too many or the API server does not accept them: see `ApiEventRecorder`.
   */
  record(event: EventNote): void;
}
