import { type Condition, READY, RECONCILING, STALLED } from './condition.ts';
import { legacyStatus } from './kstatus-built-in.ts';
import type { KubernetesObject } from './object.ts';

/** How far an object is, whatever its kind, as `kstatus` of kubernetes-sigs/cli-utils says it. */
export interface ObjectStatus {
  /**
   * - `Current`: what was asked for is there.
   * - `InProgress`: on its way.
   * - `Failed`: will not get there by itself.
   * - `Terminating`: being deleted. `NotFound`: gone, or not made yet.
   */
  readonly status: 'Current' | 'InProgress' | 'Failed' | 'Terminating' | 'NotFound';
  /** A sentence for people. */
  readonly message: string;
}

/** The parts of an object that tell how far it is. */
export interface Observed extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

/**
 * How far `object` is: by its deletion, by `status.observedGeneration`, by the conditions `Stalled` and
 * `Reconciling`, by what a built-in kind says in its own way, and by the condition `Ready`. An object
 * that says nothing of this is `Current`, such as a ConfigMap.
 *
 * @param object - undefined for one that does not exist.
 */
export function kstatus(object: KubernetesObject | undefined): ObjectStatus {
  if (object === undefined) return { status: 'NotFound', message: 'the object does not exist' };
  const observed: Observed = object;
  return byLifecycle(observed) ?? legacyStatus(observed) ?? byReadiness(observed);
}

function byLifecycle({ metadata, status }: Observed): ObjectStatus | undefined {
  if (metadata.deletionTimestamp !== undefined) {
    return { status: 'Terminating', message: 'the object is being deleted' };
  }
  const { generation } = metadata;
  const observed = status?.observedGeneration;
  if (generation !== undefined && observed !== undefined && observed !== generation) {
    const message = `generation is ${generation}, observed is ${observed}`;
    return { status: 'InProgress', message };
  }
  const reconciling = trueCondition(status?.conditions, RECONCILING);
  if (reconciling) return { status: 'InProgress', message: reconciling.message };
  const stalled = trueCondition(status?.conditions, STALLED);
  if (stalled) return { status: 'Failed', message: stalled.message };
  return undefined;
}

function byReadiness({ status }: Observed): ObjectStatus {
  const ready = status?.conditions?.find(({ type }) => type === READY);
  if (ready === undefined || ready.status === 'True') {
    return { status: 'Current', message: ready?.message ?? 'the object is there' };
  }
  return { status: 'InProgress', message: ready.message };
}

function trueCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((one) => one.type === type && one.status === 'True');
}
