import type { KubernetesObject } from '../../model/object.ts';

/** An Event to record. */
export interface EventNote {
  /** The object that the Event is about. */
  readonly regarding: KubernetesObject;
  /** A second object that is concerned, such as a child that was created. */
  readonly related?: KubernetesObject;
  /** `Warning` when a person should look at it. */
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, at most 128 characters: why. */
  readonly reason: string;
  /** CamelCase, at most 128 characters: what was done. */
  readonly action: string;
  /** A sentence for people; cut to 1,024 bytes. */
  readonly note: string;
  /**
   * The part that reports, in place of `chancery.dev/CONTROLLER`: at most 128 characters, as a label's key. In
   * core/v1 it is the `reportingComponent`, which `kubectl describe` shows under "From". For an operator that
   * replaces another one, whose Events people filter by this name.
   */
  readonly reporter?: string;
}

/** Records what happened to an object, for people: `kubectl describe` shows it. */
export interface EventRecorder {
  /**
   * Sends an Event in the background. Never throws and never delays the caller.
   *
   * A repetition of the same Event within 6 minutes increases the count of the first one. Events are
   * dropped when there are too many or the API server does not accept them: see `ApiEventRecorder`.
   */
  record(event: EventNote): void;
}
