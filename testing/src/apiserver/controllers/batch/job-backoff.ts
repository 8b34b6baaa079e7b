import type { ObjectKey } from 'chancery';
import { type Pod, podCondition } from '../pods/pod.ts';
import { isTracked } from './job-pod-count.ts';

/**
 * The delay after the first failure, and the limit up to which it doubles with each failure (Go:
 * `DefaultJobPodFailureBackOff` and `MaxJobPodFailureBackOff`).
 */
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 600_000;

/** The failures of a Job since its last success. */
interface Failures {
  readonly uid: string | undefined;
  readonly count: number;
  readonly lastMs: number;
  /** Counted Pods whose finalizer still exists. */
  readonly known: ReadonlySet<string>;
}

/**
 * The delays before Jobs replace failed Pods (pkg/controller/job/backoff_utils.go). The delays are kept only
 * in memory, as in the real controller. After a restart, no Job waits any more.
 */
export class JobBackoff {
  readonly #failures = new Map<ObjectKey, Failures>();

  /**
   * Records which Pods of a Job have ended since the last call.
   * @returns the milliseconds left to wait.
   */
  note(
    key: ObjectKey,
    uid: string | undefined,
    pods: readonly Pod[],
    endOf: (pod: Pod) => 'succeeded' | 'failed' | undefined,
    nowMs: number,
  ): number {
    const found = this.#failures.get(key);
    const before =
      found?.uid === uid && found !== undefined
        ? found
        : { uid, count: 0, lastMs: 0, known: new Set<string>() };
    const ended = pods.filter((pod) => isTracked(pod) && endOf(pod) !== undefined);
    const fresh = ended.filter(({ metadata }) => !before.known.has(metadata.uid ?? ''));
    const timesOf = (end: 'succeeded' | 'failed'): readonly number[] =>
      fresh.filter((pod) => endOf(pod) === end).map(finishedMs);
    const { count, lastMs } = counted(before, timesOf('succeeded'), timesOf('failed'));
    const known = new Set(ended.map(({ metadata }) => metadata.uid ?? ''));
    if (count === 0 && known.size === 0) this.#failures.delete(key);
    else this.#failures.set(key, { uid, count, lastMs, known });
    return backoffLeftMs(count, lastMs, nowMs);
  }

  /** Forgets a Job that is finished or deleted. */
  forget(key: ObjectKey): void {
    this.#failures.delete(key);
  }
}

function counted(
  before: Failures,
  succeeded: readonly number[],
  failed: readonly number[],
): { readonly count: number; readonly lastMs: number } {
  if (succeeded.length === 0 && failed.length === 0) return before;
  const since = succeeded.length === 0 ? undefined : Math.max(...succeeded);
  const later = since === undefined ? failed : failed.filter((ms) => ms > since);
  const count = (since === undefined ? before.count : 0) + later.length;
  return { count, lastMs: later.length === 0 ? 0 : Math.max(...later) };
}

/**
 * The milliseconds from `nowMs` until the failed Pod is replaced, if it was failure number `failures` and
 * failed at `lastMs`.
 */
export function backoffLeftMs(failures: number, lastMs: number, nowMs: number): number {
  if (failures === 0) return 0;
  const waitMs = Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS);
  return Math.max(waitMs - (nowMs - lastMs), 0);
}

/**
 * The time at which a Pod ended. If the Pod's status does not contain this time, the closest known time (Go:
 * `getFinishedTime`).
 */
export function finishedMs(pod: Pod): number {
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  const ofContainers = containersFinishedMs(pod);
  if (ofContainers !== undefined) return ofContainers;
  const ready = podCondition(pod, 'Ready');
  const notReadyMs =
    ready?.status === 'False' ? Date.parse(ready.lastTransitionTime ?? '') : Number.NaN;
  if (!Number.isNaN(notReadyMs)) return notReadyMs;
  return deletionTimestamp === undefined
    ? Date.parse(creationTimestamp ?? '')
    : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1_000;
}

/**
 * The time at which the last container ended; undefined while a container is running. Sidecars are
 * ignored, because they end after the other containers.
 */
function containersFinishedMs({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(
    (spec.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === 'Always')
      .map(({ name }) => name),
  );
  const sidecarStatuses = (status?.initContainerStatuses ?? []).filter(({ name }) =>
    sidecars.has(name),
  );
  const times = [...(status?.containerStatuses ?? []), ...sidecarStatuses].map(({ state }) =>
    Date.parse(state?.terminated?.finishedAt ?? ''),
  );
  return times.length === 0 || times.some(Number.isNaN) ? undefined : Math.max(...times);
}
