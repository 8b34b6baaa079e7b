import {
  controllerOf,
  formatSelector,
  type LabelSelector,
  type OwnerReference,
  type ReconcileContext,
  type Resource,
  selectorFromObject,
  type Workload,
} from 'chancery';
import { daemonSets, type Pod, pods, replicaSets, statefulSets } from 'chancery/kubernetes';
import { isReady, isTerminating } from '../pod-state.ts';

type Access = Pick<ReconcileContext, 'client' | 'signal'>;

/** Owners that say how many Pods they want. */
const COUNTED: readonly Resource<Workload>[] = [replicaSets, statefulSets, daemonSets];

/** Tells whether an owner of Pods can spare one. */
export class Availability {
  readonly #namespace: string;
  readonly #readyAtStart: Readonly<Record<string, number>>;
  readonly #live: readonly Pod[];
  readonly #access: Access;

  /**
   * @param readyAtStart - Ready Pods by the uid of their owner when the restart began.
   * @param live - the selected Pods as they are now.
   */
  constructor(
    namespace: string,
    readyAtStart: Readonly<Record<string, number>>,
    live: readonly Pod[],
    access: Access,
  ) {
    this.#namespace = namespace;
    this.#readyAtStart = readyAtStart;
    this.#live = live;
    this.#access = access;
  }

  /**
   * True when the owner of `pod` has all the Ready Pods that it wants. For an owner that does not say
   * how many: when it has as many as at the start.
   */
  async isComplete(pod: Pod): Promise<boolean> {
    const owner = controllerOf(pod);
    if (owner === undefined) return true;
    const resource = COUNTED.find(
      ({ kind }) => owner.apiVersion.startsWith('apps/') && owner.kind === kind,
    );
    if (resource === undefined) {
      return this.#readyOf(owner, this.#live) >= (this.#readyAtStart[owner.uid] ?? 0);
    }
    const { client, signal } = this.#access;
    const target = { namespace: this.#namespace, name: owner.name };
    const workload = await client.find(resource, target, { signal });
    if (workload?.metadata.uid !== owner.uid) return true; // its owner is gone, and so will it be
    const ready = this.#readyOf(owner, await this.#podsOf(workload.spec.selector));
    return ready >= wantedOf(workload);
  }

  #readyOf(owner: OwnerReference, candidates: readonly Pod[]): number {
    return candidates.filter(
      (pod) => controllerOf(pod)?.uid === owner.uid && isReady(pod) && !isTerminating(pod),
    ).length;
  }

  /** All Pods of an owner: a watcher may select some of them only. */
  #podsOf(selector: LabelSelector | undefined): Promise<readonly Pod[]> {
    const { client, signal } = this.#access;
    const labelSelector = formatSelector(selectorFromObject(selector ?? {}));
    return client.list(pods, { namespace: this.#namespace, labelSelector, signal });
  }
}

/** A DaemonSet counts nodes and has no `replicas`. */
function wantedOf({ spec, status }: Workload): number {
  const { desiredNumberScheduled } = (status ?? {}) as { desiredNumberScheduled?: number };
  return spec.replicas ?? desiredNumberScheduled ?? 1;
}
