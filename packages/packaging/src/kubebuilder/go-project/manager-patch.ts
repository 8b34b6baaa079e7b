import type { AmbassadorSidecar, Container, ModelContainer, PodSpec } from 'chancery/internal';
import type { ManagerGate } from './gate.ts';
import type { Manager } from './manager.ts';
import { KUBECONFIG, NAMESPACE, TMP } from './own-names.ts';
import { ACCOUNT_FOLDER } from './pod-checks.ts';

/** The ConfigMap with the kubeconfig, and the folder where the manager mounts it. */
export const CONFIG_MAP = 'ambassador-kubeconfig';
const KUBECONFIG_FOLDER = '/etc/ambassador';

/** The user id with which images of kubebuilder run. */
const MANAGER_USER = 65_532;

/**
 * If the manager already runs under the default user id of a sidecar (the ambassador or the gate), the
 * sidecar gets this user id and group id instead.
 */
const OTHER_USER = 65_529;

/**
 * A strategic merge patch for the Deployment. It adds the ambassador, and configures the manager to
 * use it.
 */
export function managerPatch(
  manager: Manager,
  { container, credentials }: AmbassadorSidecar,
  gate: ManagerGate | undefined,
): object {
  const { pod } = manager;
  const needsTmp = hasNewReadOnlyRoot(manager) && !hasMount(manager.container, '/tmp');
  return patchOf(manager, {
    automountServiceAccountToken: false,
    ...(pod.enableServiceLinks === undefined && { enableServiceLinks: false }),
    ...podSecurity(pod),
    initContainers: [
      ...sidecars(pod, {
        ...container,
        securityContext: securityBeside(manager, container),
      }),
      ...(gate === undefined
        ? []
        : [{ ...gate.container, securityContext: securityBeside(manager, gate.container) }]),
    ],
    containers: [
      {
        name: manager.container.name,
        env: [{ name: 'KUBECONFIG', value: `${KUBECONFIG_FOLDER}/kubeconfig` }],
        ...managerSecurity(manager),
        volumeMounts: [
          { name: KUBECONFIG, mountPath: KUBECONFIG_FOLDER, readOnly: true },
          { name: NAMESPACE, mountPath: ACCOUNT_FOLDER, readOnly: true },
          ...(needsTmp ? [{ name: TMP, mountPath: '/tmp' }] : []),
        ],
      },
    ],
    volumes: [
      credentials,
      ...(gate?.volumes ?? []),
      { name: KUBECONFIG, configMap: { name: CONFIG_MAP } },
      { name: NAMESPACE, downwardAPI: { items: [OWN_NAMESPACE] } },
      ...(needsTmp ? [{ name: TMP, emptyDir: { sizeLimit: '256Mi' } }] : []),
    ],
  });
}

const OWN_NAMESPACE = { path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } };

/** A strategic merge patch that sets the filter of the ambassador. */
export function filterPatch(manager: Manager, { container, args }: AmbassadorSidecar): object {
  return patchOf(manager, {
    initContainers: sidecars(manager.pod, { name: container.name, args }),
  });
}

function patchOf({ deployment }: Manager, spec: object): object {
  return {
    apiVersion: deployment.apiVersion,
    kind: 'Deployment',
    metadata: { name: deployment.metadata.name },
    spec: { template: { spec } },
  };
}

/**
 * The init containers of the patch. kustomize puts the items of a patch first, so the patch lists
 * the project's init containers before the ambassador. These containers end before the ambassador
 * starts.
 */
function sidecars({ initContainers }: PodSpec, proxy: object): readonly object[] {
  const others = (initContainers ?? []).map(({ name }) => ({ name }));
  return [...others, proxy];
}

/** Security settings for the Pod, if the project does not set them itself. */
function podSecurity({ securityContext }: PodSpec): object {
  const missing = {
    ...(securityContext?.runAsNonRoot === undefined && { runAsNonRoot: true }),
    ...(securityContext?.seccompProfile === undefined && {
      seccompProfile: { type: 'RuntimeDefault' },
    }),
  };
  return Object.keys(missing).length === 0 ? {} : { securityContext: missing };
}

function managerSecurity({ pod, container }: Manager): object {
  const own = container.securityContext ?? {};
  const missing = {
    ...(userOf(pod, container) === undefined && { runAsUser: MANAGER_USER }),
    ...((own.runAsGroup ?? pod.securityContext?.runAsGroup) === undefined && {
      runAsGroup: MANAGER_USER,
    }),
    ...(own.allowPrivilegeEscalation === undefined && { allowPrivilegeEscalation: false }),
    ...(own.readOnlyRootFilesystem === undefined && { readOnlyRootFilesystem: true }),
    ...(own.capabilities?.drop === undefined && { capabilities: { drop: ['ALL'] } }),
  };
  return Object.keys(missing).length === 0 ? {} : { securityContext: missing };
}

/**
 * The security context of the ambassador. It needs a different user id than the manager, because
 * containers with the same user id can read each other's files and /proc.
 */
function securityBeside(
  { pod, container: manager }: Manager,
  { securityContext }: ModelContainer,
): ModelContainer['securityContext'] {
  const own = securityContext as Container['securityContext'];
  if (own?.runAsUser !== userOf(pod, manager)) return securityContext;
  return { ...securityContext, runAsUser: OTHER_USER, runAsGroup: OTHER_USER };
}

function userOf(pod: PodSpec, { securityContext }: Container): number | undefined {
  return securityContext?.runAsUser ?? pod.securityContext?.runAsUser;
}

function hasNewReadOnlyRoot({ container }: Manager): boolean {
  return container.securityContext?.readOnlyRootFilesystem === undefined;
}

function hasMount({ volumeMounts }: Container, path: string): boolean {
  return (volumeMounts ?? []).some(({ mountPath }) => mountPath.replace(/\/$/, '') === path);
}

/** Messages about settings of the project that are weaker than they should be. */
export function weakSettings({ pod, container, path }: Manager): readonly string[] {
  const own = container.securityContext ?? {};
  const isRoot = userOf(pod, container) === 0;
  const settings = [
    ...(isRoot ? ['runAsUser: 0'] : []),
    ...((own.runAsNonRoot ?? pod.securityContext?.runAsNonRoot) === false
      ? ['runAsNonRoot: false']
      : []),
    ...(own.privileged === true ? ['privileged: true'] : []),
    ...(own.allowPrivilegeEscalation === true ? ['allowPrivilegeEscalation: true'] : []),
    ...(own.readOnlyRootFilesystem === false ? ['readOnlyRootFilesystem: false'] : []),
    ...((own.capabilities?.add ?? []).length > 0 ? ['capabilities.add'] : []),
    ...(own.capabilities?.drop !== undefined && !own.capabilities.drop?.includes('ALL')
      ? ['capabilities.drop without ALL']
      : []),
  ];
  if (settings.length === 0) return [];
  return [
    `${path} sets ${settings.join(', ')} for the manager, which stays as it is: chancery lint refuses it in the ` +
      'rendered manifests, so take it back when the manager does not need it',
  ];
}
