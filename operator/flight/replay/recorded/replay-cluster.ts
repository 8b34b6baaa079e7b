import type { Clock } from '../../../core/clock.ts';
import type { KubernetesObject } from '../../../model/object.ts';
import type { RecordedSource } from '../../record-line.ts';

/** How the API server of a record was at the moment at which a replay needs one. */
export interface ReplayClusterState {
  /** Virtual time. */
  readonly clock: Clock;
  /** What the record has shown of kinds. */
  readonly sources: readonly RecordedSource[];
  /** Those that the operator has of its resources. */
  readonly definitions: readonly KubernetesObject[];
  /** By collection, such as `/apis/apps/v1/deployments`; with their uids and resourceVersions. */
  readonly objects: ReadonlyMap<string, readonly KubernetesObject[]>;
  /** Later than every resourceVersion of the record: what is written from now on has later ones. */
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
 * An API server that answers what is not in the record. The toolkit has none: `@chancery/testing` implements this with
 * its embedded server.
 */
export interface ReplayCluster {
  send(request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | undefined;
  }): Promise<ClusterAnswer>;
  /** Another writer's change, as the record has it. It is not in `changes`. */
  put(collection: string, object: KubernetesObject): void;
  remove(collection: string, object: KubernetesObject): void;
  /** What requests have changed since the last call, in their order. */
  changes(): readonly ClusterChange[];
  close(): Promise<void>;
}

export type StartReplayCluster = (state: ReplayClusterState) => Promise<ReplayCluster>;
