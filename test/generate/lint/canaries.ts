import type { Manifests } from './good.ts';
import { plain, sidecar, socket } from './good.ts';

/** One way to break a rule, and what is said about it. */
export interface Canary {
  readonly rule: string;
  /** What somebody did. */
  readonly does: string;
  /** Object and path of the finding. */
  readonly at: string;
  readonly level?: 'warning';
  /** Words of the message. */
  readonly says?: string;
  readonly broken: () => Manifests;
  /** Other rules that it breaks as well. */
  readonly also?: readonly string[];
}

const POD = 'Deployment/op ';
const PROXY = `${POD}containers[proxy]`;
const OPERATOR = `${POD}containers[operator]`;
const ARG = `${PROXY}.args[3]`;
const ACCEPT = `${PROXY}.args[0]`;
const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount';
const SOURCE = 'pod.volumes.0.projected.sources.0.serviceAccountToken.expirationSeconds';
const LIFETIME = `${POD}volumes[credentials].projected.sources[0].serviceAccountToken.expirationSeconds`;
const PDB = 'PodDisruptionBudget/op ';
const ROLE = 'Role/op rules[5]';

/** A role with one more rule, and a path for it, so that only the rule itself is wrong. */
function granting(rule: object, path?: string): Manifests {
  const manifests = plain().push('Role.rules', { apiGroups: [''], ...rule });
  return path === undefined
    ? manifests
    : manifests.replace('proxy.args.0', '^/version$', `^/version$,${path}`);
}

function withVariable(container: 'proxy' | 'operator', variable: object): Manifests {
  return plain().push(`${container}.env`, variable);
}

const CREDENTIALS: readonly Canary[] = [
  {
    rule: 'token-only-in-proxy',
    does: 'mounts the token into the operator',
    at: `${OPERATOR}.volumeMounts[0]`,
    broken: () => plain().push('operator.volumeMounts', { name: 'credentials', mountPath: '/t' }),
    also: ['no-shared-volumes'],
  },
  {
    rule: 'token-only-in-proxy',
    does: 'mounts something where the token would be',
    at: `${OPERATOR}.volumeMounts[0]`,
    broken: () =>
      plain()
        .push('pod.volumes', { name: 'mine', secret: { secretName: 'mine' } })
        .push('operator.volumeMounts', { name: 'mine', mountPath: TOKEN }),
  },
  {
    rule: 'token-in-proxy',
    does: 'mounts no token',
    at: `${PROXY}.volumeMounts`,
    broken: () => plain().remove('proxy.volumeMounts'),
  },
  {
    rule: 'token-in-proxy',
    does: 'mounts the token where kubectl does not look',
    at: `${PROXY}.volumeMounts`,
    broken: () => plain().set('proxy.volumeMounts.0.mountPath', '/credentials'),
  },
  {
    rule: 'token-in-proxy',
    does: 'mounts the token to be written',
    at: `${PROXY}.volumeMounts[0].readOnly`,
    level: 'warning',
    broken: () => plain().remove('proxy.volumeMounts.0.readOnly'),
  },
  ...[599, 3601, 3607, 86_400].map((seconds) => ({
    rule: 'token-lifetime',
    does: `asks for a token of ${seconds} seconds`,
    at: LIFETIME,
    broken: () => plain().set(SOURCE, seconds),
  })),
  {
    rule: 'automount-off',
    does: 'lets the Pod mount a token by itself',
    at: `${POD}automountServiceAccountToken`,
    broken: () => plain().remove('pod.automountServiceAccountToken'),
  },
  {
    rule: 'automount-off',
    does: 'lets every Pod of the account mount a token',
    at: 'ServiceAccount/op automountServiceAccountToken',
    broken: () => plain().set('ServiceAccount.automountServiceAccountToken', true),
  },
  {
    rule: 'no-token-secret',
    does: 'makes a token that never expires',
    at: 'Secret/op-token type',
    broken: () =>
      plain().add({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'op-token' },
        type: 'kubernetes.io/service-account-token',
      }),
  },
  {
    rule: 'own-service-account',
    does: 'uses the account of everybody',
    at: `${POD}serviceAccountName`,
    broken: () => plain().remove('pod.serviceAccountName'),
    also: ['rbac-bound'],
  },
];

const ARGUMENTS: readonly Canary[] = [
  ...[
    '--token=abc',
    '--kubeconfig=/k',
    '--server=https://10.0.0.1',
    '--as=admin',
    '--insecure-skip-tls-verify',
    '-s=https://10.0.0.1',
  ].map((arg) => ({
    rule: 'no-credential-flags',
    does: `gives ${arg}`,
    at: ARG,
    broken: () => plain().push('proxy.args', arg),
  })),
  {
    rule: 'no-credential-flags',
    does: 'gives --token and its value apart',
    at: ARG,
    broken: () => plain().push('proxy.args', '--token').push('proxy.args', 'abc'),
  },
  {
    rule: 'no-secret-in-arguments',
    does: 'hands a password over as an argument',
    at: `${OPERATOR}.args[1]`,
    broken: () =>
      withVariable('operator', {
        name: 'PASSWORD',
        valueFrom: { secretKeyRef: { name: 's', key: 'k' } },
      }).push('operator.args', '--password=$(PASSWORD)'),
  },
  ...['KUBERC', 'KUBECONFIG', 'HOME', 'DISABLE_HTTP2', 'KUBERNETES_SERVICE_HOST'].map((name) => ({
    rule: 'proxy-environment',
    does: `sets ${name}`,
    at: `${PROXY}.env[${name}]`,
    broken: () => withVariable('proxy', { name, value: 'on' }),
  })),
  {
    rule: 'proxy-environment',
    does: 'brings variables along that nobody sees',
    at: `${PROXY}.envFrom[0]`,
    broken: () => plain().push('proxy.envFrom', { configMapRef: { name: 'proxies' } }),
  },
  {
    rule: 'proxy-environment',
    does: 'sets HTTPS_PROXY',
    at: `${PROXY}.env[HTTPS_PROXY]`,
    level: 'warning',
    broken: () => withVariable('proxy', { name: 'HTTPS_PROXY', value: 'http://proxy' }),
  },
  {
    rule: 'proxy-environment',
    does: 'excepts less than everything from proxies',
    at: `${PROXY}.env[NO_PROXY]`,
    level: 'warning',
    broken: () => plain().set('proxy.env.2.value', '.cluster.local'),
  },
  {
    rule: 'operator-environment',
    does: 'gives the operator a kubeconfig',
    at: `${OPERATOR}.env[KUBECONFIG]`,
    broken: () => withVariable('operator', { name: 'KUBECONFIG', value: '/k' }),
  },
  {
    rule: 'entry-point',
    does: 'replaces the entry point',
    at: `${PROXY}.command`,
    broken: () => plain().set('proxy.command', ['/kubectl', 'proxy']),
  },
  {
    rule: 'entry-point',
    does: 'uses an image of kubectl alone',
    at: `${PROXY}.args[0]`,
    broken: () => plain().set('proxy.args', ['proxy', ...(plain().get('proxy.args') as string[])]),
  },
  ...['--disable-filters=true', 'serve', '--www-dir=/x'].map((arg) => ({
    rule: 'known-arguments',
    does: `gives ${arg}`,
    at: ARG,
    broken: () => plain().push('proxy.args', arg),
  })),
  ...[
    '--address=0.0.0.0',
    '--address=',
    '--api-prefix=/api',
    '--append-server-path=true',
    '--disable-filter=true',
    '--disable-filter',
    '--www=/var/run',
    '-w/var/run',
  ].map((arg) => ({
    rule: 'fixed-flags',
    does: `gives ${arg}`,
    at: ARG,
    broken: () => plain().push('proxy.args', arg),
  })),
  ...['.*', '^127[.]0[.]0[.]1$,', '^localhost', '^127.0.0.1$', ''].map((hosts) => ({
    rule: 'accept-hosts',
    does: `accepts the hosts ${JSON.stringify(hosts)}`,
    at: ARG,
    broken: () => plain().push('proxy.args', `--accept-hosts=${hosts}`),
  })),
  {
    rule: 'proxy-log-level',
    does: 'logs every path',
    at: ARG,
    level: 'warning',
    broken: () => plain().push('proxy.args', '-v=6'),
  },
  {
    rule: 'operator-url',
    does: 'sends the operator elsewhere',
    at: `${OPERATOR}.env[CHANCERY_API_URL]`,
    broken: () => withVariable('operator', { name: 'CHANCERY_API_URL', value: 'http://10.0.0.1' }),
  },
  {
    rule: 'operator-url',
    does: 'lets the ambassador listen on another port than the operator knows',
    at: `${OPERATOR}.env[CHANCERY_API_URL]`,
    broken: () => plain().push('proxy.args', '--port=9001'),
    also: ['proxy-probes'],
  },
  {
    rule: 'operator-url',
    does: 'leaves the operator at the port when there is a socket',
    at: `${OPERATOR}.env[CHANCERY_API_URL]`,
    broken: () => socket().remove('operator.env.1.value'),
  },
];

/** Elements that are wrong in a list of paths; each stands at the end of a good one. */
const BAD_PATHS: readonly (readonly [does: string, element: string, says: string])[] = [
  ['ends with a comma', '', 'an empty expression matches every path'],
  ['has a brace', '^/api/v1/[a-z]{3}$', 'kubectl splits the list at the comma of {m,n}'],
  ['is not anchored at its beginning', '/api/v1/pods$', 'looks for it anywhere'],
  ['is not anchored at its end', '^/api/v1/pods', 'looks for it anywhere'],
  [
    'has alternatives of which one is anchored',
    '^/api/v1/pods|secrets$',
    'only one side of it is anchored',
  ],
  ['matches everything', '^/.*$', 'has .* or .+'],
  ['takes any text for a name', '^/api/v1/nodes/.+$', 'has .* or .+'],
  ['takes [^/]+ for a name', '^/api/v1/nodes/[^/]+$', 'a negated class'],
  ['has a bare dot', '^/apis/events.k8s.io/v1$', 'a bare dot'],
  ['looks ahead', '^/api/v1/(?!secrets)$', 'RE2 has no look-around'],
  ['ignores case', '^/(?i)api/v1$', 'RE2 has no look-around'],
  ['has a class of Perl', '^/api/v1/nodes/\\S+$', 'has a backslash'],
  ['has a class with a slash', '^/api/v1/[a-z/]+$', 'more than the characters of names'],
  ['has a class with an escape', '^/api/v1/[\\w]+$', 'more than the characters of names'],
  ['lets dots stand for a name', '^/api/v1/nodes/[a-z.]+$', 'a segment of dots'],
  ['is never closed', '^/api/v1/(nodes$', 'never closed'],
  ['is closed too often', '^/api/v1/nodes)$', 'a ")" too many'],
  ['repeats a repetition', '^/api/v1/nodes**$', 'repeats a repetition'],
  ['ends in its middle', '^/api/v1$/nodes$', 'can match nothing after it'],
];

const FILTER: readonly Canary[] = [
  {
    rule: 'accept-paths-given',
    does: 'opens nothing',
    at: `${PROXY}.args`,
    broken: () => plain().set('proxy.args', []),
    also: ['right-without-path', 'proxy-probes'],
  },
  {
    rule: 'accept-paths-given',
    does: 'opens an empty list',
    at: `${PROXY}.args[3]`,
    broken: () => plain().push('proxy.args', '--accept-paths='),
    also: ['right-without-path', 'proxy-probes'],
  },
  ...BAD_PATHS.map(([does, element, says]) => ({
    says,
    rule: 'accept-paths-exact',
    does: `has a path that ${does}`,
    at: ACCEPT,
    broken: () => plain().set('proxy.args.0', `${plain().get('proxy.args.0')},${element}`),
  })),
  {
    rule: 'argument-variables',
    does: 'has another variable in the arguments',
    at: `${PROXY}.args[0]`,
    broken: () => plain().set('proxy.args.0', `${plain().get('proxy.args.0')},^/api/$(WHERE)$`),
    also: ['accept-paths-exact'],
  },
  {
    rule: 'argument-variables',
    does: 'takes the namespace from elsewhere',
    at: `${PROXY}.env[POD_NAMESPACE]`,
    broken: () => plain().set('proxy.env.0', { name: 'POD_NAMESPACE', value: '.*' }),
  },
  {
    rule: 'argument-variables',
    does: 'has no namespace',
    at: `${PROXY}.env[POD_NAMESPACE]`,
    broken: () => plain().set('proxy.env.0.name', 'MY_NAMESPACE'),
  },
  {
    rule: 'reject-paths',
    does: 'no longer rejects tokens',
    at: `${PROXY}.args[1]`,
    broken: () =>
      plain().replace(
        'proxy.args.1',
        '^/api/v1/namespaces/[^/]+/serviceaccounts/[^/]+/token$,',
        '',
      ),
  },
  {
    rule: 'reject-paths',
    does: 'rejects no path',
    at: `${PROXY}.args[1]`,
    broken: () => plain().set('proxy.args.1', '--reject-paths='),
  },
  {
    rule: 'reject-paths',
    does: 'has an expression that kubectl cannot read',
    at: `${PROXY}.args[1]`,
    broken: () => plain().set('proxy.args.1', `${plain().get('proxy.args.1')},(`),
  },
  {
    rule: 'reject-paths',
    does: 'rejects everything by a comma at the end',
    at: `${PROXY}.args[1]`,
    broken: () => plain().set('proxy.args.1', `${plain().get('proxy.args.1')},`),
    also: ['right-without-path'],
  },
  {
    rule: 'reject-methods',
    does: 'lets TRACE through',
    at: `${PROXY}.args[2]`,
    broken: () => plain().set('proxy.args.2', '--reject-methods=^(CONNECT|HEAD|OPTIONS)$'),
  },
  {
    rule: 'reject-methods',
    does: 'rejects every method with a T in it, unanchored',
    at: `${PROXY}.args[2]`,
    broken: () => plain().set('proxy.args.2', `${plain().get('proxy.args.2')},X`),
  },
  {
    rule: 'right-without-path',
    does: 'grants what the filter does not open',
    at: 'Role/op rules',
    broken: () => granting({ resources: ['pods'], verbs: ['get'] }),
  },
  {
    rule: 'right-without-path',
    does: 'grants a verb whose method is rejected',
    at: 'Role/op rules',
    broken: () => granting({ resources: ['configmaps'], verbs: ['delete'] }),
  },
  {
    rule: 'right-without-path',
    does: 'grants every Lease where the filter opens one',
    at: 'Role/op rules',
    broken: () => plain().remove('Role.rules.4.resourceNames'),
  },
  {
    rule: 'right-without-path',
    does: 'grants in the whole cluster what is open in one namespace',
    at: 'ClusterRole/op rules',
    broken: () =>
      plain()
        .add({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'op' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
        })
        .add({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: 'op' },
          roleRef: { kind: 'ClusterRole', name: 'op' },
          subjects: [{ kind: 'ServiceAccount', name: 'op', namespace: 'demo' }],
        }),
  },
  {
    rule: 'path-without-right',
    does: 'opens what no role grants',
    at: ACCEPT,
    broken: () => plain().replace('proxy.args.0', '/configmaps(', '/(configmaps|secrets)('),
  },
  {
    rule: 'path-without-right',
    does: 'opens every namespace for rights in one',
    at: ACCEPT,
    says: 'opens /api/v1/namespaces/any-other-namespace/configmaps:',
    broken: () =>
      plain().set(
        'proxy.args.0',
        `${plain().get('proxy.args.0')},^/api/v1/namespaces/[a-z0-9]([-a-z0-9]*[a-z0-9])?/configmaps$`,
      ),
  },
  {
    rule: 'path-without-right',
    does: 'opens every Lease for a right to one',
    at: ACCEPT,
    says: 'opens /apis/coordination.k8s.io/v1/namespaces/demo/leases/any-other-name:',
    broken: () =>
      plain().replace('proxy.args.0', 'leases(/op)?', 'leases(/[a-z0-9]([-a-z0-9]*[a-z0-9])?)?'),
  },
];

const CONTAINERS: readonly Canary[] = [
  {
    rule: 'two-containers',
    does: 'adds a third container',
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
    does: 'leaves the ambassador alone',
    at: `${POD}containers`,
    broken: () => plain().set('pod.containers', [plain().get('proxy')]),
  },
  {
    rule: 'no-injected-sidecars',
    does: 'asks a mesh for a sidecar',
    at: `${POD}metadata.labels[sidecar.istio.io/inject]`,
    level: 'warning',
    broken: () =>
      plain().set('template.metadata.labels', { app: 'op', 'sidecar.istio.io/inject': 'true' }),
  },
  {
    rule: 'no-injected-sidecars',
    does: 'asks a mesh for sidecars in the namespace',
    at: 'Namespace/demo metadata.annotations[linkerd.io/inject]',
    level: 'warning',
    broken: () => plain().set('Namespace.metadata.annotations', { 'linkerd.io/inject': 'enabled' }),
  },
  ...['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace'].map((field) => ({
    rule: 'own-namespaces',
    does: `sets ${field}`,
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
    does: 'lets an init container run as root',
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
    does: `says nothing of ${field}`,
    at: `${PROXY}.securityContext.${field}${field === 'capabilities' ? '.drop' : ''}`,
    broken: () => plain().remove(`proxy.securityContext.${field}`),
  })),
  ...['runAsNonRoot', 'seccompProfile'].map((field) => ({
    rule: 'restricted-containers',
    does: `says nothing of ${field}, neither for the Pod`,
    at: `${OPERATOR}.securityContext.${field}`,
    broken: () => plain().remove(`pod.securityContext.${field}`),
  })),
  {
    rule: 'restricted-containers',
    does: 'opens a port of the node',
    at: `${OPERATOR}.ports[8081].hostPort`,
    broken: () => plain().set('operator.ports.0.hostPort', 8081),
  },
  {
    rule: 'restricted-volumes',
    does: 'mounts a path of the node',
    at: `${POD}volumes[node].hostPath`,
    broken: () => plain().push('pod.volumes', { name: 'node', hostPath: { path: '/' } }),
  },
  ...['runAsUser', 'runAsGroup'].map((field) => ({
    rule: 'numeric-users',
    does: `leaves ${field} to the image`,
    at: `${PROXY}.securityContext.${field}`,
    broken: () => plain().remove(`proxy.securityContext.${field}`),
  })),
  {
    rule: 'numeric-users',
    does: 'runs as root',
    at: `${OPERATOR}.securityContext.runAsUser`,
    broken: () => plain().set('operator.securityContext.runAsUser', 0),
  },
  {
    rule: 'distinct-users',
    does: 'runs both as one user',
    at: `${OPERATOR}.securityContext.runAsUser`,
    broken: () => plain().set('operator.securityContext.runAsUser', 65531),
  },
  {
    rule: 'distinct-users',
    does: 'gives the whole Pod one user',
    at: `${OPERATOR}.securityContext.runAsUser`,
    broken: () =>
      plain()
        .set('pod.securityContext.runAsUser', 65531)
        .remove('proxy.securityContext.runAsUser')
        .remove('operator.securityContext.runAsUser'),
  },
  {
    rule: 'no-fs-group',
    does: 'gives files to a group',
    at: `${POD}securityContext.fsGroup`,
    level: 'warning',
    broken: () => plain().set('pod.securityContext.fsGroup', 65531),
  },
  {
    rule: 'no-shared-volumes',
    does: 'shares a folder',
    at: `${OPERATOR}.volumeMounts[both]`,
    broken: () =>
      plain()
        .push('pod.volumes', { name: 'both', emptyDir: {} })
        .push('proxy.volumeMounts', { name: 'both', mountPath: '/both' })
        .push('operator.volumeMounts', { name: 'both', mountPath: '/both' }),
  },
  {
    rule: 'service-links',
    does: 'lets Services set variables',
    at: `${POD}enableServiceLinks`,
    level: 'warning',
    broken: () => plain().remove('pod.enableServiceLinks'),
  },
];

const SOCKET: readonly Canary[] = [
  {
    rule: 'unix-socket',
    does: 'uses an abstract socket',
    at: `${PROXY}.args`,
    broken: () =>
      socket()
        .set('proxy.args.3', '--unix-socket=@proxy')
        .set('operator.env.1.value', 'unix:@proxy'),
    also: ['no-shared-volumes'],
  },
  {
    rule: 'unix-socket',
    does: 'keeps the socket on the disk',
    at: `${POD}volumes[socket].emptyDir`,
    broken: () => socket().set('pod.volumes.1.emptyDir', {}),
  },
  {
    rule: 'unix-socket',
    does: 'sets no limit for what is beside the socket',
    at: `${POD}volumes[socket].emptyDir`,
    broken: () => socket().remove('pod.volumes.1.emptyDir.sizeLimit'),
  },
  {
    rule: 'unix-socket',
    does: 'gives the operator another user',
    at: `${OPERATOR}.securityContext.runAsUser`,
    broken: () => socket().set('operator.securityContext.runAsUser', 65532),
  },
  {
    rule: 'unix-socket',
    does: 'does not mount the socket into the operator',
    at: `${OPERATOR}.volumeMounts`,
    broken: () => socket().remove('operator.volumeMounts'),
  },
  {
    rule: 'proxy-probes',
    does: 'probes a port when there is a socket',
    at: `${PROXY}.startupProbe`,
    broken: () => socket().set('proxy.startupProbe', plain().get('proxy.startupProbe')),
  },
  {
    rule: 'proxy-probes',
    does: 'has no startup probe beside a socket',
    at: `${PROXY}.startupProbe`,
    broken: () => socket().remove('proxy.startupProbe'),
  },
];

const LIFE: readonly Canary[] = [
  {
    rule: 'proxy-probes',
    does: 'has no startup probe',
    at: `${PROXY}.startupProbe`,
    broken: () => plain().remove('proxy.startupProbe'),
  },
  {
    rule: 'proxy-probes',
    does: 'probes by HTTP',
    at: `${PROXY}.readinessProbe`,
    broken: () =>
      plain().set('proxy.readinessProbe', { httpGet: { path: '/version', port: 8001 } }),
  },
  {
    rule: 'proxy-probes',
    does: 'probes with a shell',
    at: `${PROXY}.startupProbe`,
    broken: () =>
      plain().set('proxy.startupProbe.exec.command', ['sh', '-c', 'wget localhost:8001']),
  },
  {
    rule: 'proxy-probes',
    does: 'probes past the ambassador',
    at: `${PROXY}.startupProbe`,
    broken: () =>
      plain().set('proxy.startupProbe.exec.command', ['/kubectl', 'get', '--raw=/version']),
  },
  {
    rule: 'proxy-probes',
    does: 'probes what the filter refuses',
    at: `${PROXY}.startupProbe`,
    broken: () => plain().set('proxy.startupProbe.exec.command.3', '--raw=/readyz'),
  },
  {
    rule: 'proxy-probes',
    does: 'restarts the ambassador when the API server restarts',
    at: `${PROXY}.livenessProbe`,
    broken: () => plain().remove('proxy.livenessProbe.failureThreshold'),
  },
  ...(
    [
      ['asks the ambassador', { httpGet: { path: '/version', port: 8001 } }],
      ['asks for readiness', { httpGet: { path: '/readyz', port: 'health' } }],
      ['opens the port of the ambassador', { tcpSocket: { port: 8001 } }],
      ['asks through curl', { exec: { command: ['curl', 'http://127.0.0.1:8001/version'] } }],
    ] as const
  ).map(([does, probe]) => ({
    rule: 'operator-probes',
    does: `has a liveness probe of the operator that ${does}`,
    at: `${OPERATOR}.livenessProbe`,
    broken: () => plain().set('operator.livenessProbe', probe),
  })),
  ...['livenessProbe', 'readinessProbe'].map((field) => ({
    rule: 'operator-probes',
    does: `has no ${field}`,
    at: `${OPERATOR}.${field}`,
    level: 'warning' as const,
    broken: () => plain().remove(`operator.${field}`),
  })),
  {
    rule: 'stop-order',
    does: 'stops the ambassador at once',
    at: `${PROXY}.lifecycle.preStop.sleep.seconds`,
    broken: () => plain().remove('proxy.lifecycle'),
  },
  {
    rule: 'stop-order',
    does: 'stops the ambassador a second too early',
    at: `${PROXY}.lifecycle.preStop.sleep.seconds`,
    broken: () => plain().set('proxy.lifecycle.preStop.sleep.seconds', 24),
  },
  {
    rule: 'stop-order',
    does: 'lets the operator take longer than the ambassador stays',
    at: `${PROXY}.lifecycle.preStop.sleep.seconds`,
    broken: () => withVariable('operator', { name: 'CHANCERY_SHUTDOWN_TIMEOUT', value: '60' }),
  },
  {
    rule: 'stop-order',
    does: 'lets the operator take as long as it likes',
    at: `${PROXY}.lifecycle.preStop.sleep.seconds`,
    broken: () => withVariable('operator', { name: 'CHANCERY_SHUTDOWN_TIMEOUT', value: '-1' }),
  },
  {
    rule: 'stop-order',
    does: 'ends the Pod while the ambassador sleeps',
    at: `${POD}terminationGracePeriodSeconds`,
    broken: () => plain().set('pod.terminationGracePeriodSeconds', 25),
  },
  {
    rule: 'stop-order',
    does: 'makes the sidecar an ordinary init container',
    at: `${POD}initContainers[proxy].restartPolicy`,
    broken: () => sidecar().remove('pod.initContainers.0.restartPolicy'),
  },
  {
    rule: 'stop-order',
    does: 'lets the sidecar sleep at the beginning of the stop',
    at: `${POD}initContainers[proxy].lifecycle.preStop`,
    broken: () =>
      sidecar().set('pod.initContainers.0.lifecycle', { preStop: { sleep: { seconds: 25 } } }),
  },
  {
    rule: 'stop-order',
    does: 'ends the Pod while the operator stops',
    at: `${POD}terminationGracePeriodSeconds`,
    broken: () => sidecar().set('pod.terminationGracePeriodSeconds', 20),
  },
  {
    rule: 'memory-limits',
    does: 'sets no memory limit',
    at: `${OPERATOR}.resources.limits.memory`,
    broken: () => plain().remove('operator.resources.limits'),
  },
  {
    rule: 'memory-limits',
    does: 'requests no CPU',
    at: `${OPERATOR}.resources.requests.cpu`,
    level: 'warning',
    broken: () => plain().remove('operator.resources.requests.cpu'),
  },
  ...['128MiB', '1GiB', '96M'].map((value) => ({
    rule: 'proxy-memory-headroom',
    does: `lets kubectl use ${value} of 128Mi`,
    at: `${PROXY}.env[GOMEMLIMIT]`,
    broken: () => plain().set('proxy.env.1.value', value),
  })),
  {
    rule: 'proxy-memory-headroom',
    does: 'does not tell kubectl its limit',
    at: `${PROXY}.env[GOMEMLIMIT]`,
    level: 'warning',
    broken: () => plain().set('proxy.env.1', { name: 'OTHER', value: '' }),
  },
  {
    rule: 'proxy-cpu-limit',
    does: 'throttles the ambassador',
    at: `${PROXY}.resources.limits.cpu`,
    level: 'warning',
    broken: () => plain().set('proxy.resources.limits.cpu', '100m'),
  },
  ...['registry.example:5000/op', 'op:latest', 'op:latest@sha256:short'].map((image) => ({
    rule: 'fixed-images',
    does: `runs ${image}`,
    at: `${OPERATOR}.image`,
    broken: () => plain().set('operator.image', image),
  })),
  {
    rule: 'fixed-images',
    does: 'names an image by a tag',
    at: `${PROXY}.image`,
    level: 'warning',
    broken: () => plain().set('proxy.image', 'chancery-proxy:0.1.0'),
  },
];

const AROUND: readonly Canary[] = [
  {
    rule: 'rbac-bound',
    does: 'binds another account',
    at: `${POD}serviceAccountName`,
    level: 'warning',
    broken: () => plain().set('RoleBinding.subjects.0.name', 'other'),
  },
  {
    rule: 'rbac-bound',
    does: 'binds the account of another namespace',
    at: `${POD}serviceAccountName`,
    level: 'warning',
    broken: () => plain().set('RoleBinding.subjects.0.namespace', 'other'),
  },
  {
    rule: 'rbac-bound',
    does: 'binds a role of the cluster that is not here',
    at: 'RoleBinding/op roleRef',
    level: 'warning',
    broken: () => plain().set('RoleBinding.roleRef', { kind: 'ClusterRole', name: 'view' }),
  },
  {
    rule: 'rbac-subjects',
    does: 'binds somebody else as well',
    at: 'RoleBinding/op subjects[1]',
    broken: () => plain().push('RoleBinding.subjects', { kind: 'User', name: 'jane' }),
  },
  {
    rule: 'rbac-no-wildcards',
    does: 'grants every verb',
    at: ROLE,
    broken: () => granting({ resources: ['configmaps'], verbs: ['*'] }),
  },
  {
    rule: 'rbac-no-wildcards',
    does: 'grants every resource of every group',
    at: ROLE,
    broken: () => granting({ apiGroups: ['*'], resources: ['*'], verbs: ['get'] }),
  },
  ...['impersonate', 'escalate', 'bind'].map((verb) => ({
    rule: 'rbac-no-escalation',
    does: `grants ${verb}`,
    at: ROLE,
    broken: () => granting({ resources: ['configmaps'], verbs: [verb] }),
  })),
  ...['pods/exec', 'pods/portforward', 'services/proxy', 'serviceaccounts/token'].map(
    (resource) => ({
      rule: 'rbac-no-tunnels',
      does: `grants ${resource}`,
      at: ROLE,
      broken: () => granting({ resources: [resource], verbs: ['create'] }),
      also: ['right-without-path'],
    }),
  ),
  {
    rule: 'rbac-secrets',
    does: 'grants every Secret',
    at: ROLE,
    level: 'warning',
    broken: () =>
      granting(
        { resources: ['secrets'], verbs: ['list'] },
        '^/api/v1/namespaces/$(POD_NAMESPACE)/secrets$',
      ),
  },
  ...['REPLACE-ME', '10.0.0.1', '10.0.0.1/33', '10.0.0.256/32', ''].map((cidr) => ({
    rule: 'network-policy-filled',
    does: `leaves ${JSON.stringify(cidr)} for an address`,
    at: 'NetworkPolicy/op spec.egress[0].to[0].ipBlock.cidr',
    broken: () => plain().set('NetworkPolicy.spec.egress.0.to.0.ipBlock.cidr', cidr),
  })),
  {
    rule: 'network-policy-filled',
    does: 'lets everything out',
    at: 'NetworkPolicy/op spec.egress[0].to[0].ipBlock.cidr',
    level: 'warning',
    broken: () => plain().set('NetworkPolicy.spec.egress.0.to.0.ipBlock.cidr', '0.0.0.0/0'),
  },
  ...([2, '100%', '51%'] as const).map((value) => ({
    rule: 'disruption-budget',
    does: `keeps ${value} of two replicas`,
    at: `${PDB}spec.minAvailable`,
    broken: () =>
      plain()
        .remove('PodDisruptionBudget.spec.maxUnavailable')
        .set('PodDisruptionBudget.spec.minAvailable', value),
  })),
  {
    rule: 'disruption-budget',
    does: 'lets none go',
    at: `${PDB}spec.maxUnavailable`,
    broken: () => plain().set('PodDisruptionBudget.spec.maxUnavailable', 0),
  },
  {
    rule: 'leader-election',
    does: 'runs two replicas without an election',
    at: `${OPERATOR}.env[CHANCERY_LEADER_ELECTION]`,
    broken: () => plain().remove('operator.env'),
  },
  {
    rule: 'leader-election',
    does: 'replaces one replica by rolling, without an election',
    at: `${OPERATOR}.env[CHANCERY_LEADER_ELECTION]`,
    level: 'warning',
    broken: () => plain().remove('operator.env').set('Deployment.spec.replicas', 1),
  },
];

export const CANARIES: readonly Canary[] = [
  ...CREDENTIALS,
  ...ARGUMENTS,
  ...FILTER,
  ...CONTAINERS,
  ...SOCKET,
  ...LIFE,
  ...AROUND,
];
