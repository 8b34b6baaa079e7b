import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import { resourceName } from '../../model/resource.ts';
import type { WorkQueue } from '../../queue/work-queue.ts';
import type { SharedInformer } from '../../store/shared-informer.ts';
import type { Controller } from '../controller.ts';
import type { KeyGate, PolicyWait } from '../policies/key-gate.ts';
import type { Source } from '../source.ts';
import type { ShardedKeys } from './sharded-keys.ts';
import type { WakeCauses, WokenBy } from './wakes/wake-causes.ts';

/**
 * The current state of one key in a controller, for display. Plain data, without any content of Kubernetes
 * objects.
 */
export interface KeyState {
  /** `unknown`: the cache of the reconciled objects has not received its first list. */
  readonly object: 'cached' | 'absent' | 'unknown';
  /** `idle`: nothing is due. `parked`: a policy delays the key without a time limit. */
  readonly state: 'idle' | 'ready' | 'delayed' | 'working' | 'parked';
  /** The priority of a key that is waiting or being reconciled. */
  readonly priority: number | undefined;
  /** Milliseconds since the key became ready or working; 0 in any other state. */
  readonly forMs: number;
  /** Milliseconds until a delayed key is due. */
  readonly dueInMs: number | undefined;
  /** True if the key is being reconciled and was enqueued again, so that another attempt follows. */
  readonly isEnqueuedAgain: boolean;
  /** Number of failures in a row. */
  readonly failures: number;
  /** The policies that delay the key, the longest delay first. Empty for an idle key. */
  readonly waits: readonly PolicyWait[];
  /** What has enqueued the key since its last attempt began. Undefined when no cause is remembered. */
  readonly wokenBy: WokenBy | undefined;
  /** The group of the key. Undefined unless replicas share the keys, or if the group is not known here. */
  readonly group: { readonly group: number; readonly isHere: boolean } | undefined;
}

/** A source of a controller that has not received its first list, or whose last requests failed. */
export interface TroubledSource {
  /** For example `deployments.apps`. */
  readonly resource: string;
  readonly synced: boolean;
  /** The health of the source, see `ReflectorStatus.health`. */
  readonly health: string;
}

interface KeyStateParts {
  readonly controller: Controller;
  readonly informers: ReadonlyMap<Source, SharedInformer<KubernetesObject>>;
  readonly queue: WorkQueue<ObjectKey>;
  readonly gate: KeyGate;
  readonly wakes: WakeCauses;
  /** Undefined unless keys are sharded. */
  readonly keys: ShardedKeys | undefined;
}

export function keyState(parts: KeyStateParts, key: ObjectKey): KeyState {
  const { controller, informers, queue, gate, wakes, keys } = parts;
  const place = queue.placeOf(key);
  const parkedPriority = gate.parkedPriority(key);
  const state = place?.state ?? (parkedPriority === undefined ? 'idle' : 'parked');
  const informer = informers.get(controller.for);
  const absent = informer?.synced === true ? 'absent' : 'unknown';
  return {
    object: informer?.cached(key) === undefined ? absent : 'cached',
    state,
    priority: place?.priority ?? parkedPriority,
    forMs: place?.forMs ?? 0,
    dueInMs: place?.dueInMs,
    isEnqueuedAgain: place?.isAddedAgain ?? false,
    failures: queue.failures(key),
    waits: state === 'idle' || state === 'working' ? [] : gate.waitsOf(key),
    wokenBy: wakes.of(key),
    group: keys?.placeOf(key),
  };
}

/** The sources of a controller that have not received their first list, or whose last requests failed. */
export function troubledSources(informers: KeyStateParts['informers']): readonly TroubledSource[] {
  return Array.from(informers, ([{ resource }, { synced, status }]) => ({
    resource: resourceName(resource),
    synced,
    health: status.health,
  })).filter(({ synced, health }) => !synced || health !== 'healthy');
}
