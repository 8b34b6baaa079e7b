import type { Container, PodSpec } from '../../../model/kubernetes/core-v1.ts';
import type { Problem, Rule } from '../diagnostic.ts';

const PSS = 'the restricted Pod Security Standard asks for it, and nothing here needs more';

interface Demand {
  readonly field: string;
  readonly wrong: string;
  readonly todo: string;
  isMet(container: Container, pod: PodSpec): boolean;
}

const DEMANDS: readonly Demand[] = [
  {
    field: 'allowPrivilegeEscalation',
    wrong: 'is not false',
    todo: 'set allowPrivilegeEscalation: false',
    isMet: ({ securityContext }) => securityContext?.allowPrivilegeEscalation === false,
  },
  {
    field: 'privileged',
    wrong: 'is true',
    todo: 'leave it out',
    isMet: ({ securityContext }) => securityContext?.privileged !== true,
  },
  {
    field: 'capabilities.drop',
    wrong: 'does not have ALL',
    todo: 'set capabilities: { drop: [ALL] }',
    isMet: ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') === true,
  },
  {
    field: 'capabilities.add',
    wrong: 'adds capabilities',
    todo: 'leave it out',
    isMet: ({ securityContext }) => (securityContext?.capabilities?.add ?? []).length === 0,
  },
  {
    field: 'readOnlyRootFilesystem',
    wrong: 'is not true',
    todo: 'set readOnlyRootFilesystem: true, and mount an emptyDir where something is written',
    isMet: ({ securityContext }) => securityContext?.readOnlyRootFilesystem === true,
  },
  {
    field: 'runAsNonRoot',
    wrong: 'is not true, here or for the Pod',
    todo: 'set runAsNonRoot: true',
    isMet: ({ securityContext }, pod) =>
      (securityContext?.runAsNonRoot ?? pod.securityContext?.runAsNonRoot) === true,
  },
  {
    field: 'seccompProfile',
    wrong: 'is not RuntimeDefault, here or for the Pod',
    todo: 'set seccompProfile: { type: RuntimeDefault }',
    isMet: ({ securityContext }, pod) =>
      ['RuntimeDefault', 'Localhost'].includes(
        (securityContext?.seccompProfile ?? pod.securityContext?.seccompProfile)?.type ?? '',
      ),
  },
  {
    field: 'procMount',
    wrong: 'is not Default',
    todo: 'leave it out',
    isMet: ({ securityContext }) => (securityContext?.procMount ?? 'Default') === 'Default',
  },
  {
    field: 'seLinuxOptions',
    wrong: 'chooses a user, a role or another type',
    todo: 'leave it out',
    isMet: ({ securityContext }) => {
      const { user, role, type } = securityContext?.seLinuxOptions ?? {};
      const types = [undefined, '', 'container_t', 'container_init_t', 'container_kvm_t'];
      return !user && !role && types.includes(type);
    },
  },
];

export const restrictedContainers: Rule = {
  id: 'restricted-containers',
  check: ({ containers, pod }) =>
    containers.flatMap(({ container, path }) => [
      ...DEMANDS.filter((demand) => !demand.isMet(container, pod)).map(
        ({ field, wrong, todo }) => ({
          path: `${path}.securityContext.${field}`,
          wrong,
          why: PSS,
          todo,
        }),
      ),
      ...(container.ports ?? [])
        .filter(({ hostPort }) => (hostPort ?? 0) !== 0)
        .map(({ containerPort }) => ({
          path: `${path}.ports[${containerPort}].hostPort`,
          wrong: 'opens a port of the node',
          why: PSS,
          todo: 'leave it out',
        })),
    ]),
};

/** Volumes that the Pod security standard allows. */
const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

export const restrictedVolumes: Rule = {
  id: 'restricted-volumes',
  check: ({ pod }) =>
    (pod.volumes ?? []).flatMap((volume) => {
      const wrong = Object.keys(volume).filter((key) => key !== 'name' && !VOLUMES.includes(key));
      return wrong.map((kind) => ({
        path: `volumes[${volume.name}].${kind}`,
        wrong: `is a ${kind}`,
        why: kind === 'hostPath' ? 'it opens the node, and the tokens of other Pods on it' : PSS,
        todo: `use one of ${VOLUMES.join(', ')}`,
      }));
    }),
};

/** Fields of the Pod that share something with the node or among containers. */
const SHARED = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace'] as const;

const WHY_SHARED: Readonly<Record<(typeof SHARED)[number], string>> = {
  hostNetwork: '127.0.0.1:8001 would be open to every process of the node',
  hostPID: '/proc would lead to the token',
  hostIPC: 'memory would be shared with processes of the node',
  shareProcessNamespace: '/proc of the ambassador would lead to the token',
};

export const ownNamespaces: Rule = {
  id: 'own-namespaces',
  check: ({ pod }): readonly Problem[] => [
    ...SHARED.filter((field) => pod[field] === true).map((field) => ({
      path: field,
      wrong: 'is true',
      why: WHY_SHARED[field],
      todo: 'leave it out',
    })),
    ...(pod.securityContext?.sysctls ?? []).map(({ name }) => ({
      path: `securityContext.sysctls[${name}]`,
      wrong: 'is set',
      why: PSS,
      todo: 'leave it out',
    })),
  ],
};

export const serviceLinks: Rule = {
  id: 'service-links',
  check: ({ pod }) =>
    pod.enableServiceLinks === false
      ? []
      : [
          {
            level: 'warning',
            path: 'enableServiceLinks',
            wrong: 'is not false',
            why: 'a Service of the namespace could set variables of the ambassador, by its name',
            todo: 'set enableServiceLinks: false',
          },
        ],
};
