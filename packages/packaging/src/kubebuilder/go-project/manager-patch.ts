import type { AmbassadorSidecar, Container, ModelContainer, PodSpec } from 'chancery/internal';
import type { ManagerGate } from './gate.ts';
import type { Manager } from './manager.ts';
import { KUBECONFIG, NAMESPACE, TMP } from './own-names.ts';
import { ACCOUNT_FOLDER } from './pod-checks.ts';

/** The ConfigMap with the kubeconfig, and where the manager has it. */
export const CONFIG_MAP = 'ambassador-kubeconfig';
const KUBECONFIG_FOLDER = '/etc/ambassador';

/** The user of the images that kubebuilder makes. */
const MANAGER_USER = 65_532;

/** For a container whose own user is that of the manager. */
const OTHER_USER = 65_529;

/** A strategic merge patch of the Deployment: the ambassador, and the way to it. */
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

/** A strategic merge patch that opens the ambassador. */
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

/** What a patch names comes first, so it names the others: they end before the ambassador begins. */
function sidecars({ initContainers }: PodSpec, proxy: object): readonly object[] {
  const others = (initContainers ?? []).map(({ name }) => ({ name }));
  return [...others, proxy];
}

/** What a project has set stays. */
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

/** Files and /proc of one user are open to the other containers of that user. */
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

/** What a project has set that is weaker than it should be, for people. */
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
