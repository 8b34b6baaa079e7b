/** The order of the workloads that one resource restarts, by the whole number in a label. */
import type { KubernetesObject } from 'chancery';
import type { WorkloadKindName } from '../workloads/kind.ts';
import type { RestartGate, RestartRequest } from './gate.ts';
import { LOOK_AGAIN_MS, rolloutState } from './rollout-wait.ts';

/** Another workload that a resource of the plan restarts as well. */
export interface OrderPeer {
  readonly kind: WorkloadKindName;
  /** As the cache shows it. */
  readonly workload: KubernetesObject;
  /** Its records do not show the resource as the plan has it: its restart is still to come. */
  readonly isPending: boolean;
}

export interface OrderOptions {
  /** Key of the label on the workloads. */
  readonly label: string;
  /** The other workloads of the namespace that at least one change of the plan restarts. Reads caches only. */
  readonly peersOf: (request: RestartRequest) => Iterable<OrderPeer>;
}

/**
 * Keeps a restart back while a workload with a smaller number is to be restarted for the same resource, or is
 * rolling out. A rollout that has failed keeps it back, too: the workloads after it are spared. There is no time
 * limit; the Event and the metric show what waits, and for which workload.
 *
 * A workload without the label, or whose label is no whole number, has no place in the order: it waits for none, and
 * none waits for it.
 */
export function orderGate({ label, peersOf }: OrderOptions): RestartGate {
  return {
    isPace: true,
    leftMs(request) {
      const own = placeOf(request.workload, label);
      if (own === undefined) return undefined;
      for (const { kind, workload, isPending } of peersOf(request)) {
        const place = placeOf(workload, label);
        if (place === undefined || place >= own) continue;
        if (!isPending && rolloutState(kind, workload) === 'done') continue;
        const note = `The restart waits for ${kind} ${workload.metadata.name}, which comes first by the label ${label}.`;
        return { waitMs: LOOK_AGAIN_MS, reason: 'order', note };
      }
      return undefined;
    },
    problems(workload) {
      const text = workload.metadata.labels?.[label];
      if (text === undefined || placeOf(workload, label) !== undefined) return [];
      const message = `the label ${label} must be a whole number of at most nine digits, not ${JSON.stringify(text)}`;
      return [{ annotation: label, message }];
    },
  };
}

function placeOf({ metadata }: KubernetesObject, label: string): number | undefined {
  const text = metadata.labels?.[label];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
