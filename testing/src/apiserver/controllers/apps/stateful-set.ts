import type { ApiError, Condition } from 'chancery';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { createdOrReported, isReportable, textOf } from '../pods/creation-failure.ts';
import { isReady, isTerminating, type Pod } from '../pods/pod.ts';
import { PODS, type PodTemplate, podFrom } from '../pods/pod-template.ts';
import { REVISION_HASH, type TemplateRevision, templateOf } from './template-revisions.ts';

export const STATEFUL_SETS: ResourceName = 'statefulsets.apps';
const CLAIMS: ResourceName = 'persistentvolumeclaims';

/** The fields of a StatefulSet that its controller uses. */
export interface StatefulSet extends StoredObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: object;
    readonly template: PodTemplate;
    readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete';
      readonly rollingUpdate?: { readonly partition?: number };
    };
    readonly volumeClaimTemplates?: readonly VolumeClaimTemplate[];
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly ordinals?: { readonly start?: number };
  };
  readonly status?: {
    readonly currentRevision?: string;
    readonly conditions?: readonly Condition[];
  };
}

export interface VolumeClaimTemplate {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: object;
}

/** The ordinals of the StatefulSet: from `first` up to but not including `end`. */
export function ordinalsOf({ spec }: StatefulSet): {
  readonly first: number;
  readonly end: number;
} {
  const first = spec.ordinals?.start ?? 0;
  return { first, end: first + (spec.replicas ?? 1) };
}

/** Pods below this ordinal keep their revision. */
export function partitionOf({ spec }: StatefulSet): number {
  return (spec.ordinals?.start ?? 0) + (spec.updateStrategy?.rollingUpdate?.partition ?? 0);
}

/** The ordinal at the end of a StatefulSet Pod's name. */
export function ordinalOf({ metadata }: StoredObject): number {
  return Number(/-([0-9]+)$/.exec(metadata.name)?.[1] ?? Number.NaN);
}

/** True for a Pod after which the next Pod may be created. */
export function isHealthy(pod: Pod): boolean {
  return isReady(pod) && pod.status?.phase === 'Running' && !isTerminating(pod);
}

/**
 * Creates the Pod of an ordinal and its missing volume claims. The claims are kept when the Pod is deleted.
 */
export function createStatefulPod(
  access: ClusterAccess,
  set: StatefulSet,
  ordinal: number,
  revision: TemplateRevision,
  record: RecordEvent,
): void {
  const name = `${set.metadata.name}-${ordinal}`;
  ensureClaims(access, set, name, record);
  const pod = podFrom(
    templateOf(revision),
    set,
    { name },
    {
      'apps.kubernetes.io/pod-index': String(ordinal),
      [REVISION_HASH]: revision.metadata.name,
      'statefulset.kubernetes.io/pod-name': name,
    },
  );
  createdOrReported(
    record,
    set,
    () => access.create(PODS, withClaims(pod, set, name)),
    (why) => failureText(set, name, why),
  );
}

function failureText({ metadata }: StatefulSet, pod: string, why: string): string {
  return `Create Pod ${pod} in StatefulSet ${metadata.name} failed error: ${why}`;
}

/**
 * Creates missing claims. A refused claim does not prevent the creation of the other claims, but the Pod is
 * then not created.
 */
function ensureClaims(
  access: ClusterAccess,
  set: StatefulSet,
  podName: string,
  record: RecordEvent,
): void {
  const refusals: ApiError[] = [];
  const reasons: string[] = [];
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    try {
      ensureClaim(access, set, podName, template, record);
    } catch (error) {
      if (!isReportable(error)) throw error;
      refusals.push(error);
      reasons.push(`failed to create PVC ${claimName(template, podName)}: ${textOf(error)}`);
    }
  }
  const [first] = refusals;
  if (first === undefined) return;
  const why = reasons.length === 1 ? String(reasons[0]) : `[${reasons.join(', ')}]`;
  const message = failureText(set, podName, why);
  record(set, { type: 'Warning', reason: 'FailedCreate', message });
  throw first;
}

function claimName(template: VolumeClaimTemplate, podName: string): string {
  return `${template.metadata.name}-${podName}`;
}

function ensureClaim(
  access: ClusterAccess,
  set: StatefulSet,
  podName: string,
  template: VolumeClaimTemplate,
  record: RecordEvent,
): void {
  const { namespace = '' } = set.metadata;
  const name = claimName(template, podName);
  if (access.get(CLAIMS, namespace, name) !== undefined) return;
  const { labels } = template.metadata;
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
    spec: template.spec,
  } as StoredObject;
  createdOrReported(
    record,
    set,
    () => access.create(CLAIMS, claim),
    (why) =>
      `Create Claim ${name} for Pod ${podName} in StatefulSet ${set.metadata.name} failed error: ${why}`,
  );
  const message = `Create Claim ${name} Pod ${podName} in StatefulSet ${set.metadata.name} success`;
  record(set, { reason: 'SuccessfulCreate', message });
}

function withClaims(pod: StoredObject, set: StatefulSet, podName: string): StoredObject {
  const templates = set.spec.volumeClaimTemplates ?? [];
  const claimed = new Set(templates.map(({ metadata }) => metadata.name));
  const spec = pod.spec as { readonly volumes?: readonly { readonly name: string }[] };
  const others = (spec.volumes ?? []).filter(({ name }) => !claimed.has(name));
  const volumes = templates.map((template) => ({
    name: template.metadata.name,
    persistentVolumeClaim: { claimName: claimName(template, podName) },
  }));
  const named = { ...spec, hostname: podName };
  const all = [...volumes, ...others];
  return { ...pod, spec: all.length === 0 ? named : { ...named, volumes: all } } as StoredObject;
}
