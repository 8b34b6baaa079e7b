import { controllerOf, type Self } from 'chancery';
import type { Pod } from 'chancery/kubernetes';

/** Whoever makes a Pod says so on the Pod itself, in the template of its Deployment. */
export const OPT_IN = 'chaos.example.dev/opt-in=true';

/** Where the cluster itself lives: there nobody can opt in. */
export const PROTECTED_NAMESPACES: ReadonlySet<string> = new Set([
  'kube-system',
  'kube-public',
  'kube-node-lease',
]);

/**
 * Controllers whose Pods are not evicted: of a DaemonSet, as it would be back on the same node at once;
 * of a Job, as its work would be lost; of a Node, as its Pod is only shown here.
 */
const SPARED_CONTROLLERS: ReadonlySet<string> = new Set(['DaemonSet', 'Job', 'Node']);

/**
 * The Pods that may be evicted, of those that opted in: each has somebody who makes another one, and a
 * Ready sibling that goes on.
 *
 * Only Ready ones: the Eviction API lets any other go whatever its budget says, and a workload that is
 * not well already is no place for experiments.
 */
export function candidatesAmong(pods: readonly Pod[], self: Self): readonly Pod[] {
  const ready = pods.filter(isReady);
  return ready.filter((pod) => {
    const controller = controllerOf(pod);
    if (controller === undefined || SPARED_CONTROLLERS.has(controller.kind)) return false;
    if (isOwn(pod, self) || isCritical(pod)) return false;
    return ready.some((other) => other !== pod && controllerOf(other)?.uid === controller.uid);
  });
}

/** The one that this program runs in. */
function isOwn({ metadata }: Pod, { namespace, podName }: Self): boolean {
  return metadata.name === podName && metadata.namespace === namespace;
}

function isCritical({ spec }: Pod): boolean {
  return spec?.priorityClassName?.startsWith('system-') === true;
}

function isReady({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined || status?.phase !== 'Running') return false;
  return (
    status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true
  );
}

/** One of them, each with the same chance. @param random - uniform in [0, 1). */
export function pick<T>(all: readonly T[], random: () => number): T | undefined {
  return all[Math.floor(random() * all.length)];
}
