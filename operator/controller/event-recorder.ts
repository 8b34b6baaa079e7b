import type { KubernetesObject } from '../model/object.ts';

export interface EventNote {
  /** The object that the Event is about. */
  readonly regarding: KubernetesObject;
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
   * Sends an Event in the background. Never throws and never delays the caller: an Event that cannot
   * be sent is logged and dropped. The same Event within six minutes is sent once.
   */
  record(event: EventNote): void;
}
