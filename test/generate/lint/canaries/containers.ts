/** Overlays that add containers or namespaces of the node, or that weaken the security of the Pod. */
import { plain, sidecar } from '../good.ts';
import { type Canary, OPERATOR, POD, PROXY } from './canary.ts';

export const CONTAINERS: readonly Canary[] = [
  {
    rule: 'two-containers',
    does: 'adds a third container [security 6]',
    at: `${POD}containers[shell]`,
    broken: () =>
      plain().push('pod.containers', {
        ...(plain().get('operator') as object),
        name: 'shell',
        securityContext: {
          ...(plain().get('operator.securityContext') as object),
          runAsUser: 65533,
        },
      }),
  },
  {
    rule: 'two-containers',
    does: 'starts an init container after the sidecar',
    at: `${POD}initContainers[migrate]`,
    broken: () =>
      sidecar().push('pod.initContainers', {
        ...(plain().get('operator') as object),
        name: 'migrate',
      }),
  },
  {
    rule: 'two-containers',
    does: 'starts another sidecar before the ambassador',
    at: `${POD}initContainers[logs]`,
    broken: () => {
      const manifests = sidecar();
      const [proxy] = manifests.get('pod.initContainers') as unknown[];
      const other = { ...(plain().get('operator') as object), name: 'logs' };
      return manifests.set('pod.initContainers', [{ ...other, restartPolicy: 'Always' }, proxy]);
    },
  },
  {
    rule: 'two-containers',
    does: 'has no container but the ambassador',
    at: `${POD}containers`,
    broken: () => plain().set('pod.containers', [plain().get('proxy')]),
  },
  {
    rule: 'no-injected-sidecars',
    does: 'requests a sidecar of a service mesh',
    at: `${POD}metadata.labels[sidecar.istio.io/inject]`,
    level: 'warning',
    broken: () =>
      plain().set('template.metadata.labels', { app: 'op', 'sidecar.istio.io/inject': 'true' }),
  },
  {
    rule: 'no-injected-sidecars',
    does: 'requests sidecars of a service mesh for the namespace',
    at: 'Namespace/demo metadata.annotations[linkerd.io/inject]',
    level: 'warning',
    broken: () => plain().set('Namespace.metadata.annotations', { 'linkerd.io/inject': 'enabled' }),
  },
  ...['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace'].map((field) => ({
    rule: 'own-namespaces',
    does: `sets ${field} of the Pod`,
    at: `${POD}${field}`,
    broken: () => plain().set(`pod.${field}`, true),
  })),
  {
    rule: 'own-namespaces',
    does: 'sets a sysctl',
    at: `${POD}securityContext.sysctls[net.core.somaxconn]`,
    broken: () =>
      plain().push('pod.securityContext.sysctls', { name: 'net.core.somaxconn', value: '1' }),
  },
  ...(
    [
      ['allowPrivilegeEscalation', true],
      ['privileged', true],
      ['capabilities.drop', ['NET_RAW']],
      ['capabilities.add', ['NET_ADMIN']],
      ['readOnlyRootFilesystem', false],
      ['runAsNonRoot', false],
      ['seccompProfile', { type: 'Unconfined' }],
      ['procMount', 'Unmasked'],
      ['seLinuxOptions', { type: 'spc_t' }],
    ] as const
  ).flatMap(([field, value]) =>
    (['proxy', 'operator'] as const).map((container) => ({
      rule: 'restricted-containers',
      does: `sets ${field} of ${container} to ${JSON.stringify(value)}`,
      at: `${POD}containers[${container}].securityContext.${field}`,
      broken: () => plain().set(`${container}.securityContext.${field}`, value),
    })),
  ),
  {
    rule: 'restricted-containers',
    does: 'allows an init container to run as root',
    at: `${POD}initContainers[prepare].securityContext.runAsNonRoot`,
    broken: () =>
      plain().set('pod.initContainers', [
        {
          ...(plain().get('operator') as object),
          name: 'prepare',
          securityContext: {
            ...(plain().get('operator.securityContext') as object),
            runAsNonRoot: false,
          },
        },
      ]),
  },
  ...['allowPrivilegeEscalation', 'capabilities', 'readOnlyRootFilesystem'].map((field) => ({
    rule: 'restricted-containers',
    does: `does not set ${field} of the ambassador`,
    at: `${PROXY}.securityContext.${field}${field === 'capabilities' ? '.drop' : ''}`,
    broken: () => plain().remove(`proxy.securityContext.${field}`),
  })),
  ...['runAsNonRoot', 'seccompProfile'].map((field) => ({
    rule: 'restricted-containers',
    does: `sets ${field} neither for the operator nor for the Pod`,
    at: `${OPERATOR}.securityContext.${field}`,
    broken: () => plain().remove(`pod.securityContext.${field}`),
  })),
  {
    rule: 'restricted-containers',
    does: 'opens a hostPort',
    at: `${OPERATOR}.ports[8081].hostPort`,
    broken: () => plain().set('operator.ports.0.hostPort', 8081),
  },
  {
    rule: 'restricted-volumes',
    does: 'mounts a hostPath',
    at: `${POD}volumes[node].hostPath`,
    broken: () => plain().push('pod.volumes', { name: 'node', hostPath: { path: '/' } }),
  },
  ...['runAsUser', 'runAsGroup'].map((field) => ({
    rule: 'numeric-users',
    does: `does not set ${field} of the ambassador, but leaves it to the image`,
    at: `${PROXY}.securityContext.${field}`,
    broken: () => plain().remove(`proxy.securityContext.${field}`),
  })),
  {
    rule: 'numeric-users',
    does: 'runs the operator as root',
    at: `${OPERATOR}.securityContext.runAsUser`,
    broken: () => plain().set('operator.securityContext.runAsUser', 0),
  },
  {
    rule: 'distinct-users',
    does: 'runs both containers as the same user',
    at: `${OPERATOR}.securityContext.runAsUser`,
    broken: () => plain().set('operator.securityContext.runAsUser', 65531),
  },
  {
    rule: 'distinct-users',
    does: 'sets one user for the whole Pod',
    at: `${OPERATOR}.securityContext.runAsUser`,
    broken: () =>
      plain()
        .set('pod.securityContext.runAsUser', 65531)
        .remove('proxy.securityContext.runAsUser')
        .remove('operator.securityContext.runAsUser'),
  },
  {
    rule: 'no-fs-group',
    does: 'sets fsGroup',
    at: `${POD}securityContext.fsGroup`,
    level: 'warning',
    broken: () => plain().set('pod.securityContext.fsGroup', 65531),
  },
  {
    rule: 'no-shared-volumes',
    does: 'mounts the same volume into both containers',
    at: `${OPERATOR}.volumeMounts[both]`,
    broken: () =>
      plain()
        .push('pod.volumes', { name: 'both', emptyDir: {} })
        .push('proxy.volumeMounts', { name: 'both', mountPath: '/both' })
        .push('operator.volumeMounts', { name: 'both', mountPath: '/both' }),
  },
  {
    rule: 'service-links',
    does: 'does not turn enableServiceLinks off',
    at: `${POD}enableServiceLinks`,
    level: 'warning',
    broken: () => plain().remove('pod.enableServiceLinks'),
  },
];
