import type { Clock } from '../../../core/clock.ts';
import type { KubernetesObject } from '../../../model/object.ts';
import type { RecordedSource } from '../../record-line.ts';

/** The state of the API server of a record, at the time when a replay needs a cluster. */
export interface ReplayClusterState {
  /** The virtual clock of the replay. */
  readonly clock: Clock;
  /** The kinds that the record has shown. */
  readonly sources: readonly RecordedSource[];
  /** The definitions of the operator's own resources. */
  readonly definitions: readonly KubernetesObject[];
  /**
   * Objects, keyed by collection, such as `/apis/apps/v1/deployments`, with their uids and resourceVersions.
   */
  readonly objects: ReadonlyMap<string, readonly KubernetesObject[]>;
  /** Later than every resourceVersion in the record. Objects that are written from now on get later ones. */
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
 * An API server that answers requests that are not in the record. The toolkit itself has none:
 * `@chancery/testing` implements this interface with its embedded server.
 */
export interface ReplayCluster {
  send(request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
  }): Promise<ClusterAnswer>;
  /** A recorded change by another writer. `changes` does not return it. */
  put(collection: string, object: KubernetesObject): void;
  remove(collection: string, object: KubernetesObject): void;
  /** The changes that requests have made since the last call, in order. */
  changes(): readonly ClusterChange[];
  close(): Promise<void>;
}

export type StartReplayCluster = (state: ReplayClusterState) => Promise<ReplayCluster>;
