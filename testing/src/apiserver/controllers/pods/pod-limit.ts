import type { KubernetesObject } from 'chancery';
import { controllerOf } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import { failure } from '../../failures/failure.ts';
import type { CommittedEvent, ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { jsonSize } from '../../objects/stored-size.ts';
import { PODS } from './pod-template.ts';

/** A number of Pods, and their size as JSON in bytes. */
interface Load {
  pods: number;
  bytes: number;
}

const MEBIBYTE = 1024 * 1024;

/**
 * The limit for one workload. A simulated Pod takes about a millisecond of CPU and 10 KB of memory,
 * so 2,000 Pods take seconds. Nodes of a real cluster hold 110 each.
 */
const MOST_OF_WORKLOAD: Readonly<Load> = { pods: 2_000, bytes: 16 * MEBIBYTE };

/**
 * The limit for all workloads of a server. This number of Pods, with their history, takes some hundred
 * megabytes of memory, and a controller that looks at all of them takes a hundredth of a second.
 */
const MOST_OF_SERVER: Readonly<Load> = { pods: 5_000, bytes: 32 * MEBIBYTE };

/**
 * Limits the Pods that controllers create, so that a large number in a spec cannot stop the server. Pods that
 * clients create are counted, but always accepted.
 */
export class PodLimit {
  readonly #all: Load = { pods: 0, bytes: 0 };
  /** The number and size of each controller's Pods, keyed by the uid of the controller. */
  readonly #byOwner = new Map<string, Load>();
  /** The size with which each Pod was counted. The size of a Pod grows when it gets a status. */
  readonly #sizes = new Map<string, number>();

  /**
   * Counts the existing Pods and all Pods that are created later.
   * @returns a function that stops counting.
   */
  start(access: ClusterAccess): () => void {
    const end = access.subscribe(PODS, (event) => this.#observe(event));
    for (const object of access.list(PODS)) {
      this.#observe({ type: 'ADDED', object, previous: undefined });
    }
    return end;
  }

  /**
   * Checks whether a controller may create an object.
   *
   * @throws ApiError 403 for a Pod beyond the limit, as a quota would refuse it.
   */
  admit(resource: ResourceName, object: KubernetesObject): void {
    if (resource !== PODS) return;
    const own = this.#byOwner.get(controllerOf(object)?.uid ?? '') ?? { pods: 0, bytes: 0 };
    const bytes = jsonSize(object);
    const why =
      excess(own, bytes, MOST_OF_WORKLOAD, 'one workload') ??
      excess(this.#all, bytes, MOST_OF_SERVER, 'all workloads');
    if (why === undefined) return;
    const { name, generateName = '' } = object.metadata as { name: string; generateName?: string };
    const message = `pods "${name || generateName}" is forbidden: ${why}`;
    throw failure({ code: 403, reason: 'Forbidden', message });
  }

  #observe({ type, object, previous }: CommittedEvent): void {
    if (type === 'MODIFIED' && ownerOf(object) === ownerOf(previous ?? object)) return;
    if (previous !== undefined) this.#count(previous, -1);
    if (type !== 'DELETED') this.#count(object, 1);
  }

  #count(pod: StoredObject, sign: 1 | -1): void {
    const { uid = '' } = pod.metadata;
    const bytes = this.#sizes.get(uid) ?? jsonSize(pod);
    if (sign > 0) this.#sizes.set(uid, bytes);
    else this.#sizes.delete(uid);
    const owner = ownerOf(pod);
    const own = this.#byOwner.get(owner) ?? { pods: 0, bytes: 0 };
    for (const load of [own, this.#all]) {
      load.pods += sign;
      load.bytes += sign * bytes;
    }
    if (own.pods > 0) this.#byOwner.set(owner, own);
    else this.#byOwner.delete(owner);
  }
}

function ownerOf(pod: StoredObject): string {
  return controllerOf(pod)?.uid ?? '';
}

/** The reason why no further Pod fits; undefined when one fits. */
function excess(
  { pods, bytes }: Readonly<Load>,
  more: number,
  most: Readonly<Load>,
  whose: 'one workload' | 'all workloads',
): string | undefined {
  const limit = `exceeded the limit of simulated Pods of ${whose} of the embedded API server`;
  if (pods >= most.pods) return `${limit}: ${most.pods} Pods`;
  if (bytes + more <= most.bytes) return undefined;
  return `${limit}: ${most.bytes / MEBIBYTE} MiB as JSON, which ${pods} Pods fill`;
}
