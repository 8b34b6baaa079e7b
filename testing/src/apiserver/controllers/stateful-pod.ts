import type { ClusterAccess, ResourceName, StoredObject } from '../cluster-access.ts';
import type { RecordEvent } from './event-recorder.ts';
import { PODS, podFrom } from './pod-template.ts';
import type { StatefulSet, VolumeClaimTemplate } from './stateful-set.ts';
import { REVISION_HASH, type TemplateRevision, templateOf } from './template-revisions.ts';

const CLAIMS: ResourceName = 'persistentvolumeclaims';

/** Makes the Pod of an ordinal, with the volume claims that it keeps when it goes. */
export function createStatefulPod(
  access: ClusterAccess,
  set: StatefulSet,
  ordinal: number,
  revision: TemplateRevision,
  record: RecordEvent,
): void {
  const name = `${set.metadata.name}-${ordinal}`;
  for (const template of set.spec.volumeClaimTemplates ?? [])
    ensureClaim(access, set, name, template, record);
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
  access.create(PODS, withClaims(pod, set, name));
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
  access.create(CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
    spec: template.spec,
  } as StoredObject);
  const message = `create Claim ${name} Pod ${podName} in StatefulSet ${set.metadata.name} success`;
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
