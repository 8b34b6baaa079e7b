import type { Client } from '../../client/client.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { EventRecorder } from '../events/event-recorder.ts';

/** The right to work on keys, which lasts until it is lost or given back. */
export interface Term {
  /** The client with the controller's field manager. It refuses writes after the term. */
  readonly client: Client;
  readonly events: EventRecorder;
  /**
   * Aborts when the attempts of this term must end. If undefined, they end only when the controller stops.
   */
  readonly lost?: AbortSignal;
}

/** What the group of an object depends on. Neither value ever changes. */
export interface ShardedIdentity {
  readonly uid: string | undefined;
  readonly namespace: string | undefined;
}

/**
 * The keys of one controller, divided into groups. One replica at a time works on the keys of a group, under a term of
 * that group.
 */
export interface Shards {
  /** Undefined when the group is unknown, for example for an object without a uid. */
  groupOf(identity: ShardedIdentity): number | undefined;
  /** The term under which attempts for a group may begin; undefined while they may not begin. */
  termOf(group: number): Term | undefined;
  /**
   * Calls `opened` with the groups whose attempts may begin from now on, until the returned function is
   * called.
   */
  onOpened(opened: (groups: ReadonlySet<number>) => void): () => void;
  /** Labels by which the API server finds the children of an object's group. Undefined: there are none. */
  readonly childLabels:
    | ((owner: KubernetesObject) => Readonly<Record<string, string>> | undefined)
    | undefined;
  /**
   * Call this when an attempt for a group begins. Call the returned function when the attempt has
   * ended.
   */
  begin(group: number): () => void;
}
