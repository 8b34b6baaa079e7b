import type { coreV1 } from 'chancery/kubernetes';
import type { ResourceRef } from '../contract/resource-type.ts';

/** One reference of a Pod, as volumes and environments have it. */
interface Reference {
  readonly name?: string;
  readonly secretName?: string;
  readonly optional?: boolean;
}

/**
 * True when no Pod of the template starts without the resource. Such a Pod waits for it, and starts with its first
 * content: a restart because the resource was created would be needless.
 */
export function isMandatory({ type, name }: ResourceRef, podSpec: coreV1.PodSpec): boolean {
  const references = [...ofVolumes(podSpec, type), ...ofEnvironments(podSpec, type)];
  return references.some(
    (each) => (each?.name ?? each?.secretName) === name && each?.optional !== true,
  );
}

type Found = readonly (Reference | undefined)[];

function ofVolumes({ volumes }: coreV1.PodSpec, type: ResourceRef['type']): Found {
  const sources = (volumes ?? []).flatMap(({ configMap, secret, projected }) => [
    { configMap, secret },
    ...(projected?.sources ?? []),
  ]);
  return sources.map(({ configMap, secret }) => chosen(type, configMap, secret));
}

function ofEnvironments(
  { containers, initContainers }: coreV1.PodSpec,
  type: ResourceRef['type'],
): Found {
  return [...containers, ...(initContainers ?? [])].flatMap(({ env, envFrom }) => [
    ...(env ?? []).map(({ valueFrom }) =>
      chosen(type, valueFrom?.configMapKeyRef, valueFrom?.secretKeyRef),
    ),
    ...(envFrom ?? []).map(({ configMapRef, secretRef }) => chosen(type, configMapRef, secretRef)),
  ]);
}

function chosen(
  type: ResourceRef['type'],
  configMap: Reference | undefined,
  secret: Reference | undefined,
): Reference | undefined {
  if (type === 'CONFIGMAP') return configMap;
  return type === 'SECRET' ? secret : undefined;
}
