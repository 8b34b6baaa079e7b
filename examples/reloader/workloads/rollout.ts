import { defineResource, type KubernetesObject, type Resource, rfc3339 } from 'chancery';
import type { coreV1 } from 'chancery/kubernetes';
import type { Patch } from 'chancery/low-level';
import { type AnnotationNames, annotationOf } from '../contract/annotations.ts';
import type { RestartPlan } from '../record/plan-types.ts';
import type { PodTemplate, WorkloadKind } from './kind.ts';
import { targetOf } from './rolling.ts';

/** An Argo Rollout, as far as a restart needs it: `argoproj.io/v1alpha1`. */
export interface Rollout extends KubernetesObject {
  readonly spec: {
    /** Absent with `workloadRef`. */
    readonly template?: PodTemplate;
    /** The Deployment that has the Pod template. */
    readonly workloadRef?: object;
    /** RFC 3339: Argo replaces the Pods that are older. */
    readonly restartAt?: string;
  };
}

/** Rollouts of Argo Rollouts. */
export const rollouts: Resource<Rollout> = defineResource<Rollout>({
  group: 'argoproj.io',
  version: 'v1alpha1',
  plural: 'rollouts',
  kind: 'Rollout',
  namespaced: true,
});

type Operations = Extract<Patch, { readonly type: 'json' }>['body'];
type Operation = Operations[number];

/**
 * Argo Rollouts. The annotation `rollout-strategy: restart` asks for `spec.restartAt`, which replaces the Pods and
 * starts no rollout with its steps; then the baseline alone records the hash. Otherwise the Pod template changes.
 *
 * A Rollout with `workloadRef` has no Pod template, and is left alone: Argo follows the Deployment that it refers
 * to, so the annotations belong on that Deployment, which is restarted as any other.
 */
export function rolloutKind({
  rolloutStrategy,
}: Pick<AnnotationNames, 'rolloutStrategy'>): WorkloadKind<Rollout> {
  return {
    kind: 'Rollout',
    resource: rollouts,
    permissions: [{ resource: rollouts, verbs: ['patch'] }],
    templateOf,
    keepsTemplate: (rollout) => isRestart(rollout, rolloutStrategy),
    async restart(rollout, plan, { reconcile: { client }, nowMs }) {
      const patch = isRestart(rollout, rolloutStrategy)
        ? restartAt(rollout, plan, nowMs)
        : templateUpdate(rollout, plan);
      await client.patch(rollouts, targetOf(rollout), patch);
      return { outcome: 'restarted' };
    },
  };
}

/** Of a custom resource the API server checks what its definition says, and that may say nothing of Pod templates. */
function templateOf({ spec }: Partial<Rollout>): PodTemplate | undefined {
  if (spec?.workloadRef != null) return undefined;
  const template = spec?.template;
  const isReadable = Array.isArray(template?.spec?.containers);
  return isReadable ? template : undefined;
}

function isRestart({ metadata }: Rollout, rolloutStrategy: string): boolean {
  return annotationOf(metadata.annotations ?? {}, rolloutStrategy) === 'restart';
}

function restartAt({ metadata }: Rollout, { annotations }: RestartPlan, nowMs: number): Patch {
  const { uid, resourceVersion } = metadata;
  const body = {
    metadata: { uid, resourceVersion, annotations },
    spec: { restartAt: rfc3339(nowMs) },
  };
  return { type: 'merge', body };
}

/**
 * A custom resource has no strategic merge patch, and a merge patch replaces whole lists. So the operations point at
 * containers and variables by their position, and the version of the object is tested first: in any other state the
 * API server refuses the patch, and no operation can hit another variable.
 */
export function templateUpdate(
  { metadata, spec }: Rollout,
  plan: RestartPlan,
): Extract<Patch, { readonly type: 'json' }> {
  const { uid, resourceVersion } = metadata;
  const template = spec.template;
  if (template === undefined) throw new TypeError('a Rollout without a Pod template');
  const body: Operation[] = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    ...mapChanges('/metadata/annotations', metadata.annotations, plan.annotations),
    ...templateAnnotationChanges(template, plan),
    ...template.spec.containers.flatMap((container, position) =>
      containerChanges(container, `/spec/template/spec/containers/${position}`, plan),
    ),
  ];
  return { type: 'json', body };
}

function templateAnnotationChanges(
  { metadata }: PodTemplate,
  { templateAnnotations }: RestartPlan,
): Operations {
  const path = '/spec/template/metadata';
  const changes = mapChanges(`${path}/annotations`, metadata?.annotations, templateAnnotations);
  const isMissing = metadata == null && changes.length > 0;
  return isMissing ? [{ op: 'add', path, value: {} }, ...changes] : changes;
}

/** A merge patch of a map of texts, as operations. */
function mapChanges(
  path: string,
  present: Readonly<Record<string, string>> | null | undefined,
  changes: Readonly<Record<string, string | null>>,
): Operations {
  const operations: Operation[] = [];
  let isThere = present != null;
  for (const [key, value] of Object.entries(changes)) {
    const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (value !== null) {
      if (!isThere) operations.push({ op: 'add', path, value: {} });
      isThere = true;
      operations.push({ op: 'add', path: at, value }); // replaces a value that is there
    } else if (present != null && Object.hasOwn(present, key)) {
      operations.push({ op: 'remove', path: at });
    }
  }
  return operations;
}

/** First what stays in its place, then removals from the end, then additions at the end. */
function containerChanges(
  { name: container, env }: coreV1.Container,
  path: string,
  { variables }: RestartPlan,
): Operations {
  const values = new Map(
    variables
      .filter((each) => each.container === container)
      .map(({ name, value }) => [name, value] as const),
  );
  if (values.size === 0) return [];
  const set: Operation[] = [{ op: 'test', path: `${path}/name`, value: container }];
  const removals: Operation[] = [];
  const present = env ?? [];
  for (const [position, { name }] of present.entries()) {
    if (!values.has(name)) continue;
    const at = `${path}/env/${position}`;
    const value = values.get(name);
    set.push({ op: 'test', path: `${at}/name`, value: name });
    if (value === undefined) removals.unshift({ op: 'remove', path: at });
    else set.push({ op: 'replace', path: at, value: { name, value } });
  }
  const added = [...values].flatMap(([name, value]) =>
    value === undefined || present.some((each) => each.name === name) ? [] : [{ name, value }],
  );
  const additions: Operation[] = added.map((value) => ({
    op: 'add',
    path: `${path}/env/-`,
    value,
  }));
  if (env == null && additions.length > 0) {
    additions.unshift({ op: 'add', path: `${path}/env`, value: [] });
  }
  return [...set, ...removals, ...additions];
}
