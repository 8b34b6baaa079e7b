import type { KubernetesObject } from '../../model/object.ts';

/** An Event to record. */
export interface EventNote {
  /** The object that the Event is about. */
  readonly regarding: KubernetesObject;
  /** A second object that has to do with it, such as a child that was made. */
  readonly related?: KubernetesObject;
  /** `Warning` for what somebody should look at. */
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, at most 128 characters: why. */
  readonly reason: string;
  /** CamelCase, at most 128 characters: what was done. */
  readonly action: string;
  /** A sentence for people; cut to 1,024 bytes. */
  readonly note: string;
}

/** Tells people what happened to an object, where `kubectl describe` shows it. */
export interface EventRecorder {
  /**
   * Sends an Event in the background. Never throws and never delays the caller.
   *
   * The same Event again within 6 minutes is counted by the one that was sent: see `ApiEventRecorder`,
   * which also says what is dropped when there are too many, or nobody takes them.
   */
  record(event: EventNote): void;
}
