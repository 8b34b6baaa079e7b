import { isObject, type Json, valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { ageOf } from './age.ts';
import { conditionHolds, conditionOf, itemsAt } from './cell.ts';

/** What `kubectl get pods` prints about the containers of a Pod. */
export interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  readonly restarts: number;
  /** The last time at which a container ended and was restarted; empty if there was no restart. */
  readonly lastRestart: string;
}

/** A one-line summary of a Pod's containers, as Kubernetes computes it. */
export function podSummary(pod: StoredObject): PodSummary {
  const sidecars = sidecarNames(pod);
  const total = itemsAt(pod, 'spec.containers').length + sidecars.size;
  const initial = initialization(pod, sidecars);
  const main =
    initial.reason === undefined || conditionHolds(pod, 'Initialized')
      ? running(pod, initial)
      : { ready: initial.ready, reason: initial.reason, statuses: initial.all };
  return {
    ready: main.ready,
    total,
    status: withDeletion(pod, main.reason),
    restarts: restartsOf(main.statuses),
    lastRestart: lastRestartOf(main.statuses),
  };
}

export function restartsText(pod: StoredObject, nowMs: number): string {
  const { restarts, lastRestart } = podSummary(pod);
  if (restarts === 0 || lastRestart === '') return String(restarts);
  return `${restarts} (${ageOf(lastRestart, nowMs)} ago)`;
}

/** How many readiness gates are true, and how many there are, such as `1/2`. */
export function gatesText(pod: StoredObject): string {
  const gates = itemsAt(pod, 'spec.readinessGates');
  if (gates.length === 0) return '<none>';
  const open = gates.filter(({ conditionType }) => conditionHolds(pod, String(conditionType)));
  return `${open.length}/${gates.length}`;
}

/** The names of init containers that run beside the regular containers. */
function sidecarNames(pod: StoredObject): ReadonlySet<string> {
  const restarting = itemsAt(pod, 'spec.initContainers').filter(
    ({ restartPolicy }) => restartPolicy === 'Always',
  );
  return new Set(restarting.map(({ name }) => String(name)));
}

interface Initialization {
  readonly ready: number;
  /** The reason why the Pod is not initialized; undefined if it is initialized. */
  readonly reason: string | undefined;
  /** The statuses of the init containers, up to the one that runs now. */
  readonly all: readonly Json[];
  readonly ofSidecars: readonly Json[];
}

function initialization(pod: StoredObject, sidecars: ReadonlySet<string>): Initialization {
  const statuses = itemsAt(pod, 'status.initContainerStatuses');
  const isSidecar = ({ name }: Json): boolean => sidecars.has(String(name));
  let ready = 0;
  for (const [index, status] of statuses.entries()) {
    const exitCode = valueAt(status, ['state', 'terminated', 'exitCode']);
    if (exitCode === 0) continue;
    if (isSidecar(status) && status.started === true) {
      if (status.ready === true) ready++;
      continue;
    }
    const all = statuses.slice(0, index + 1);
    const count = itemsAt(pod, 'spec.initContainers').length;
    const reason = `Init:${initReason(status) ?? `${index}/${count}`}`;
    return { ready, reason, all, ofSidecars: all.filter(isSidecar) };
  }
  return { ready, reason: undefined, all: statuses, ofSidecars: statuses.filter(isSidecar) };
}

function initReason({ state }: Json): string | undefined {
  const terminated = valueAt(state, ['terminated']);
  if (isObject(terminated)) return endOf(terminated);
  const waiting = valueAt(state, ['waiting', 'reason']);
  return waiting && waiting !== 'PodInitializing' ? String(waiting) : undefined;
}

/** The reason why a container ended. */
function endOf({ reason, signal, exitCode }: Json): string {
  if (reason) return String(reason);
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;
}

function running(
  pod: StoredObject,
  { ready: readySidecars, reason: initial, ofSidecars }: Initialization,
): { readonly ready: number; readonly reason: string; readonly statuses: readonly Json[] } {
  const statuses = itemsAt(pod, 'status.containerStatuses');
  let reason = initial ?? phaseOf(pod);
  let failure = '';
  let ready = 0;
  // The result is the reason of the first container that has a reason, so the containers are visited in
  // reverse order.
  for (const { state, ready: isReady } of statuses.toReversed()) {
    const terminated = valueAt(state, ['terminated']);
    const waiting = valueAt(state, ['waiting', 'reason']);
    if (waiting) reason = String(waiting);
    else if (isObject(terminated)) {
      reason = endOf(terminated);
      if (terminated.exitCode) failure = reason;
    } else if (isReady === true && valueAt(state, ['running']) !== undefined) ready++;
  }
  if (reason === 'Completed') reason = afterCompletion(pod, ready > 0, failure);
  return { ready: ready + readySidecars, reason, statuses: [...ofSidecars, ...statuses] };
}

/** The printed status of a Pod in which a container has completed. */
function afterCompletion(pod: StoredObject, anyRuns: boolean, failure: string): string {
  if (anyRuns && conditionHolds(pod, 'Ready')) return 'Running';
  if (failure !== '') return failure;
  return anyRuns ? 'NotReady' : 'Completed';
}

function phaseOf(pod: StoredObject): string {
  if (conditionOf(pod, 'PodScheduled')?.reason === 'SchedulingGated') return 'SchedulingGated';
  return String(valueAt(pod, ['status', 'reason']) || (valueAt(pod, ['status', 'phase']) ?? ''));
}

function withDeletion(pod: StoredObject, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (valueAt(pod, ['status', 'reason']) === 'NodeLost') return 'Unknown';
  const phase = valueAt(pod, ['status', 'phase']);
  return phase === 'Succeeded' || phase === 'Failed' ? reason : 'Terminating';
}

function restartsOf(statuses: readonly Json[]): number {
  return statuses.reduce((sum, { restartCount }) => sum + Number(restartCount ?? 0), 0);
}

function lastRestartOf(statuses: readonly Json[]): string {
  const times = statuses.map((status) =>
    String(valueAt(status, ['lastState', 'terminated', 'finishedAt']) ?? ''),
  );
  return times.toSorted().at(-1) ?? '';
}
