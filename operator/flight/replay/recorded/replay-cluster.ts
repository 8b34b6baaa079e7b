import type { Clock } from '../../../core/clock.ts';
import type { KubernetesObject } from '../../../model/object.ts';
import type { RecordedSource } from '../../record-line.ts';

/** The state of the recorded API server at the time when a replay needs a cluster. */
export interface ReplayClusterState {
  /** The virtual clock of the replay. */
  readonly clock: Clock;
  /** The kinds in the record. */
  readonly sources: readonly RecordedSource[];
  /** The definitions of the operator's own resources. */
  readonly definitions: readonly KubernetesObject[];
  /**
   * Objects, keyed by collection, such as `/apis/apps/v1/deployments`, with their uids and resourceVersions.
   */
  readonly objects: ReadonlyMap<string, readonly KubernetesObject[]>;
  /**
   * A resourceVersion that is later than all resourceVersions in the record. Objects that are written from
   * now on get even later resourceVersions.
   */
  readonly resourceVersion: string;
}

export interface ClusterChange {
  readonly collection: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubernetesObject;
}

export interface ClusterAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * An API server that answers requests that are not in the record. The toolkit itself contains no API server:
 * `@chancery/testing` implements this interface with its embedded API server.
 */
export interface ReplayCluster {
  send(request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
  }): Promise<ClusterAnswer>;
  /** Applies a recorded change by another writer. `changes` does not return this change. */
  put(collection: string, object: KubernetesObject): void;
  remove(collection: string, object: KubernetesObject): void;
  /** The changes that requests have made since the last call, in order. */
  changes(): readonly ClusterChange[];
  close(): Promise<void>;
}

export type StartReplayCluster = (state: ReplayClusterState) => Promise<ReplayCluster>;
