import type { KubernetesObject, Permission, Resource } from 'chancery';
import {
  type DaemonSet,
  type Deployment,
  daemonSets,
  deployments,
  type StatefulSet,
  statefulSets,
} from 'chancery/kubernetes';
import type { Patch } from 'chancery/low-level';
import type { RestartPlan } from '../record/plan-types.ts';
import type { PodTemplate, WorkloadKind, WorkloadKindName } from './kind.ts';

/** A kind whose controller replaces Pods in order when the Pod template changes. */
export type RollingWorkload = KubernetesObject & {
  readonly spec: { readonly template: PodTemplate };
};

export const statefulSetKind: WorkloadKind<StatefulSet> = rollingKind('StatefulSet', statefulSets);
export const daemonSetKind: WorkloadKind<DaemonSet> = rollingKind('DaemonSet', daemonSets);
/** Without pauses: see `pausingDeploymentKind`. */
export const deploymentKind: WorkloadKind<Deployment> = rollingKind('Deployment', deployments);

/** Restarts by one strategic merge patch of the workload. */
export function rollingKind<T extends RollingWorkload>(
  kind: WorkloadKindName,
  resource: Resource<T>,
): WorkloadKind<T> {
  const permissions: readonly Permission[] = [{ resource, verbs: ['patch'] }];
  return {
    kind,
    resource,
    permissions,
    templateOf: ({ spec }) => spec.template,
    async restart(workload, plan, { reconcile: { client } }) {
      await client.patch(resource, targetOf(workload), restartPatch(workload, plan));
      return { outcome: 'restarted' };
    },
  };
}

/** What names the object of a write. */
export function targetOf({ metadata: { namespace, name } }: KubernetesObject): {
  readonly namespace: string | undefined;
  readonly name: string;
} {
  return { namespace, name };
}

/**
 * Everything of a restart in one patch. It holds for this state of the workload only: a late cache answers 409.
 * Strategic, because it names containers and variables by their names.
 *
 * @param also - more of the spec of the workload, and annotations of its metadata; null removes one.
 */
export function restartPatch(
  { metadata: { uid, resourceVersion }, spec: { template } }: RollingWorkload,
  plan: RestartPlan,
  also: {
    readonly spec?: Readonly<Record<string, unknown>>;
    readonly annotations?: RestartPlan['annotations'];
  } = {},
): Patch {
  const all = { ...plan.annotations, ...also.annotations };
  const metadata = {
    uid,
    resourceVersion,
    ...(Object.keys(all).length > 0 && { annotations: all }),
  };
  const spec = { ...also.spec, template: templatePatch(template, plan) };
  return { type: 'strategic', body: { metadata, spec } };
}

/**
 * What a strategic merge patch says about the Pod template. The API server puts the items of a list that the patch
 * has into the order of the patch (apimachinery, strategicpatch, `normalizeElementOrder`): containers and variables
 * are in the order of the template therefore, and new variables come first, as those of the original do.
 */
export function templatePatch(
  template: PodTemplate | undefined,
  { variables, templateAnnotations }: RestartPlan,
): object {
  const containers = (template?.spec.containers ?? []).flatMap(({ name: container, env }) => {
    const names = (env ?? []).map(({ name }) => name);
    const entries = variables
      .filter((each) => each.container === container)
      .toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
      .map(({ name, value }) =>
        value === undefined ? { name, $patch: 'delete' } : { name, value },
      );
    return entries.length === 0 ? [] : [{ name: container, env: entries }];
  });
  return {
    ...(Object.keys(templateAnnotations).length > 0 && {
      metadata: { annotations: templateAnnotations },
    }),
    ...(containers.length > 0 && { spec: { containers } }),
  };
}
