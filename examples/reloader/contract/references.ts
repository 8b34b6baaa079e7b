/** Pod template → the resources that it references, and for each the container that a restart marks. */
import type { coreV1 } from 'chancery/kubernetes';
import { type RefKey, type ResourceRef, refKey } from './resource-type.ts';

/** How a Pod template references a resource. An earlier way wins. */
export type ReferencedBy = 'mount' | 'init-mount' | 'env' | 'init-env';

/** One resource that a Pod template references. */
export interface Reference {
  readonly ref: ResourceRef;
  readonly by: ReferencedBy;
  /** Name of the app container that is marked; undefined when the template has none. */
  readonly container: string | undefined;
}

/** Each referenced resource once. */
export type References = ReadonlyMap<RefKey, Reference>;

/**
 * The resources that `podSpec` references, in the order of the rules that choose the container:
 *
 * 1. the first app container that mounts a volume of the resource;
 * 2. the first app container, if only an init container mounts it;
 * 3. the first app container with the resource in `env` or `envFrom`;
 * 4. the first app container, if only an init container has it there.
 *
 * Volumes of the same resource are looked at in order, and the first that is mounted decides. Volumes are those
 * of a ConfigMap, a Secret, projected ones, and CSI volumes with a SecretProviderClass. A volume that nothing
 * mounts, ephemeral containers, image pull secrets and the `nodePublishSecretRef` of a CSI volume do not count.
 */
export function referencesOf(podSpec: coreV1.PodSpec): References {
  const found = new Map<RefKey, Reference>();
  const add = (ref: ResourceRef, by: ReferencedBy, container: string | undefined): void => {
    const key = refKey(ref);
    if (ref.name !== '' && !found.has(key)) found.set(key, { ref, by, container });
  };
  const apps = podSpec.containers ?? [];
  const inits = podSpec.initContainers ?? [];
  const first = apps[0]?.name;

  const mountedByApp = containerOfMount(apps);
  const mountedByInit = containerOfMount(inits);
  for (const volume of podSpec.volumes ?? []) {
    const app = mountedByApp.get(volume.name);
    const init = mountedByInit.has(volume.name);
    for (const ref of resourcesOfVolume(volume)) {
      if (app !== undefined) add(ref, 'mount', app);
      else if (init) add(ref, 'init-mount', first);
    }
  }
  for (const app of apps) {
    for (const ref of resourcesOfEnvironment(app)) add(ref, 'env', app.name);
  }
  for (const init of inits) {
    for (const ref of resourcesOfEnvironment(init)) add(ref, 'init-env', first);
  }
  return found;
}

/** The container that a named reload without a reference marks: the first app container. */
export function firstContainer(podSpec: coreV1.PodSpec): string | undefined {
  return podSpec.containers?.[0]?.name;
}

/** Name of a volume → the first of `containers` that mounts it. */
function containerOfMount(containers: readonly coreV1.Container[]): ReadonlyMap<string, string> {
  const mounting = new Map<string, string>();
  for (const { name, volumeMounts } of containers) {
    for (const mount of volumeMounts ?? []) {
      if (!mounting.has(mount.name)) mounting.set(mount.name, name);
    }
  }
  return mounting;
}

function resourcesOfVolume(volume: coreV1.Volume): ResourceRef[] {
  const { configMap, secret, projected, csi } = volume;
  const refs: ResourceRef[] = [];
  if (configMap) refs.push({ type: 'CONFIGMAP', name: configMap.name ?? '' });
  if (secret) refs.push({ type: 'SECRET', name: secret.secretName ?? '' });
  for (const part of projected?.sources ?? []) {
    if (part.configMap) refs.push({ type: 'CONFIGMAP', name: part.configMap.name ?? '' });
    if (part.secret) refs.push({ type: 'SECRET', name: part.secret.name ?? '' });
  }
  const providerClass = csi?.volumeAttributes?.secretProviderClass;
  if (providerClass !== undefined) {
    refs.push({ type: 'SECRETPROVIDERCLASS', name: providerClass });
  }
  return refs;
}

function resourcesOfEnvironment({ env, envFrom }: coreV1.Container): ResourceRef[] {
  const refs: ResourceRef[] = [];
  for (const { valueFrom } of env ?? []) {
    if (valueFrom?.configMapKeyRef)
      refs.push({ type: 'CONFIGMAP', name: valueFrom.configMapKeyRef.name ?? '' });
    if (valueFrom?.secretKeyRef)
      refs.push({ type: 'SECRET', name: valueFrom.secretKeyRef.name ?? '' });
  }
  for (const { configMapRef, secretRef } of envFrom ?? []) {
    if (configMapRef) refs.push({ type: 'CONFIGMAP', name: configMapRef.name ?? '' });
    if (secretRef) refs.push({ type: 'SECRET', name: secretRef.name ?? '' });
  }
  return refs;
}
