import {
  controllerOf,
  type OwnerReference,
  type ReconcileContext,
  type Resource,
  type Workload,
} from 'chancery';
import {
  daemonSets,
  deployments,
  type Pod,
  pods,
  replicaSets,
  statefulSets,
} from 'chancery/kubernetes';

type Access = Pick<ReconcileContext, 'client' | 'self' | 'signal'>;

/** Who brings a Pod back when it is gone, and thereby what may be done with it. */
export type PodOwner =
  /** Nobody: removing the Pod would remove it for good. */
  | { readonly type: 'none' }
  /** Its owner replaces it for its own reasons, or is going away itself. */
  | { readonly type: 'untouchable'; readonly uid: string | undefined }
  /** Replaces its Pods in order when its template changes. */
  | {
      readonly type: 'rolling';
      readonly uid: string;
      readonly resource: Resource<Workload>;
      readonly workload: Workload;
    }
  /** Replaces a Pod that was removed, and knows no order. */
  | { readonly type: 'replacing'; readonly uid: string };

/** Finds the owners of Pods, reading each workload once. Use a new one for every restart. */
export class Owners {
  readonly #access: Access;
  readonly #namespace: string;
  readonly #known = new Map<string, Promise<PodOwner>>();
  #selfUid: Promise<string | undefined> | undefined;

  constructor(namespace: string, access: Access) {
    this.#namespace = namespace;
    this.#access = access;
  }

  /** Deployment for a Pod of its ReplicaSet; otherwise the controller that the Pod names. */
  of(pod: Pod): Promise<PodOwner> {
    const reference = controllerOf(pod);
    if (reference === undefined) return Promise.resolve({ type: 'none' });
    const known = this.#known.get(reference.uid) ?? this.#resolve(reference);
    this.#known.set(reference.uid, known);
    return known;
  }

  /** True for this process's own Pod and for every Pod of the workload that it belongs to. */
  async isSelf(pod: Pod, owner: PodOwner): Promise<boolean> {
    const { self } = this.#access;
    if (self.podName === undefined) return false;
    if (self.namespace !== undefined && self.namespace !== this.#namespace) return false;
    if (pod.metadata.name === self.podName) return true;
    this.#selfUid ??= this.#ownUid({ namespace: this.#namespace, name: self.podName });
    const uid = await this.#selfUid;
    return uid !== undefined && owner.type !== 'none' && owner.uid === uid;
  }

  async #ownUid(target: { namespace: string; name: string }): Promise<string | undefined> {
    const pod = await this.#access.client.find(pods, target, { signal: this.#access.signal });
    const owner = pod && (await this.of(pod));
    return owner === undefined || owner.type === 'none' ? undefined : owner.uid;
  }

  async #resolve(reference: OwnerReference): Promise<PodOwner> {
    const { uid } = reference;
    switch (`${groupOf(reference)}/${reference.kind}`) {
      case '/Node': // a mirror Pod: the kubelet's file decides, not the API
      case 'batch/Job': // starting it again would repeat its work
        return { type: 'untouchable', uid };
      case 'apps/StatefulSet':
        return this.#rolling(statefulSets, reference);
      case 'apps/DaemonSet':
        return this.#rolling(daemonSets, reference);
      case 'apps/ReplicaSet':
        return this.#ownerOfReplicaSet(reference);
      default:
        return { type: 'replacing', uid };
    }
  }

  async #ownerOfReplicaSet(reference: OwnerReference): Promise<PodOwner> {
    const replicaSet = await this.#find(replicaSets, reference);
    if (replicaSet === undefined) return { type: 'untouchable', uid: reference.uid };
    const owner = controllerOf(replicaSet);
    const isDeployment = owner?.kind === 'Deployment' && groupOf(owner) === 'apps';
    if (owner && isDeployment) return this.#rolling(deployments, owner);
    return { type: 'replacing', uid: reference.uid };
  }

  async #rolling(resource: Resource<Workload>, reference: OwnerReference): Promise<PodOwner> {
    const { uid } = reference;
    const workload = await this.#find(resource, reference);
    if (workload === undefined || workload.metadata.deletionTimestamp !== undefined) {
      return { type: 'untouchable', uid };
    }
    if (workload.spec.updateStrategy?.type === 'OnDelete') return { type: 'replacing', uid };
    return { type: 'rolling', uid, resource, workload };
  }

  /** Undefined also for another object of the same name. */
  async #find(
    resource: Resource<Workload>,
    { name, uid }: OwnerReference,
  ): Promise<Workload | undefined> {
    const { client, signal } = this.#access;
    const found = await client.find(resource, { namespace: this.#namespace, name }, { signal });
    return found?.metadata.uid === uid ? found : undefined;
  }
}

function groupOf({ apiVersion }: OwnerReference): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
