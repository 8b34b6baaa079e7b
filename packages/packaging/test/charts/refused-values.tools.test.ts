/**
 * Values that a chart refuses, with its schema and without: users can skip the schema.
 *
 * @module-tag go
 */
import { expect, test } from 'vitest';
import { isRefused, renderChart, rendered } from '../helm/render-chart.ts';
import { chartOf, websiteModel } from './support/charts.ts';

const manager = (values: object): object => ({ manager: values });
const variable = (name: string): object => manager({ env: [{ name, value: 'x' }] });

/** What is refused by both. */
const REFUSED: readonly (readonly [string, object])[] = [
  ...['.*', 'a|b', 'a/..', 'A', '', 'a,b', 'a\nb', '-a', 'a-', 'a.b', 'x'.repeat(64), '$(A)'].map(
    (name) =>
      [`namespace ${JSON.stringify(name)}`, { watch: { namespaces: ['fine', name] } }] as const,
  ),
  ['a namespace that is a number', { watch: { namespaces: [17] } }],
  ['namespaces that are a text', { watch: { namespaces: 'a' } }],
  ['namespaces that are a map', { watch: { namespaces: { a: 'b' } } }],
  ['namespaces that are an empty text', { watch: { namespaces: '' } }],
  ['namespaces that are an empty map', { watch: { namespaces: {} } }],
  ['namespaces that are turned off', { watch: { namespaces: false } }],
  [
    'too many namespaces',
    { watch: { namespaces: Array.from({ length: 501 }, (_, at) => `n${at}`) } },
  ],
  ['a name of 53 characters', { fullnameOverride: 'x'.repeat(53) }],
  ['a name with a template', { nameOverride: '{{ .Release.Name }}' }],
  ['a name that ends the line', { fullnameOverride: 'a\nb: c' }],
  ['a transport', { transport: 'none' }],
  ['a switch that is a text', { debug: 'false' }],
  ['a switch that is a number', { networkPolicy: { enabled: 1 } }],
  ['a network without the API server', { networkPolicy: { apiServer: ['everywhere'] } }],
  ['a network that is everything', { networkPolicy: { apiServer: ['0.0.0.0/0'] } }],
  ['replicas that are a text', manager({ replicas: '2' })],
  ['half a replica', manager({ replicas: 1.5 })],
  ['fewer replicas than none', manager({ replicas: -1 })],
  ['no time to stop', manager({ terminationGracePeriodSeconds: 39 })],
  ['an image with a tag in its name', manager({ image: { repository: 'a:b' } })],
  ['an image with a line', manager({ image: { tag: 'a\n- b' } })],
  ['a digest that is none', manager({ image: { digest: 'sha256:1' } })],
  ['a policy that is none', manager({ image: { pullPolicy: 'Sometimes' } })],
  ['a secret with a path', manager({ imagePullSecrets: [{ name: '../a' }] })],
  ['a secret with more', manager({ imagePullSecrets: [{ name: 'a', b: 'c' }] })],
  ['root', manager({ securityContext: { runAsUser: 0 } })],
  ['the user of the ambassador', manager({ securityContext: { runAsUser: 65531 } })],
  ['privileges', manager({ securityContext: { privileged: true } })],
  ['capabilities', manager({ securityContext: { capabilities: { add: ['NET_ADMIN'] } } })],
  ['a file system to write', { proxy: { securityContext: { readOnlyRootFilesystem: false } } }],
  ['no seccomp', manager({ podSecurityContext: { seccompProfile: { type: 'Unconfined' } } })],
  ['a range of SELinux', manager({ securityContext: { seLinuxOptions: { level: 's0:c1,c2' } } })],
  ['groups of files', manager({ podSecurityContext: { fsGroup: 0 } })],
  ['root for the Pod', manager({ podSecurityContext: { runAsNonRoot: false } })],
  ['sysctls', manager({ podSecurityContext: { sysctls: [] } })],
  ...[
    'WATCH_NAMESPACE',
    'CHANCERY_SELF_TEST',
    'CHANCERY_API_URL',
    'CHANCERY_INSECURE_ALLOW_TOKEN',
    'CHANCERY_EMPTY_WATCH_NAMESPACE',
    'KUBECONFIG',
    'MY_KUBE_TOKEN',
    'LD_PRELOAD',
  ].map((name) => [`the variable ${name}`, variable(name)] as const),
  ['a name that is no variable', variable('A=B')],
  ['an override of the chart', manager({ envOverrides: { CHANCERY_LEASE_NAME: 'mine' } })],
  ...['--inspect=0.0.0.0', '--max-old-space-size=64 --require=/tmp/x', ''].map(
    (value) =>
      [`NODE_OPTIONS=${value}`, manager({ env: [{ name: 'NODE_OPTIONS', value }] })] as const,
  ),
  ['NODE_OPTIONS as an override', manager({ envOverrides: { NODE_OPTIONS: '--inspect' } })],
  [
    'NODE_OPTIONS from elsewhere',
    manager({
      env: [{ name: 'NODE_OPTIONS', valueFrom: { configMapKeyRef: { name: 'a', key: 'b' } } }],
    }),
  ],
  ['an override of a token', manager({ envOverrides: { K8S_TOKEN: 'x' } })],
  [
    'an optional source that is a text',
    manager({
      env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'a', key: 'b', optional: 'yes' } } }],
    }),
  ],
  ['a variable that is a number', manager({ env: [{ name: 'A', value: 1 }] })],
  ['a variable with more', manager({ env: [{ name: 'A', valueFrom: { resourceFieldRef: {} } }] })],
  ['a label of the selector', manager({ pod: { labels: { 'app.kubernetes.io/name': 'x' } } })],
  ['a label with a line', manager({ labels: { a: 'b\nc' } })],
  ['a label without a name', manager({ labels: { '': 'b' } })],
  [
    'an annotation that Helm obeys',
    { serviceAccount: { annotations: { 'helm.sh/hook': 'test' } } },
  ],
  [
    'an annotation that turns protection off',
    manager({
      pod: { annotations: { 'container.apparmor.security.beta.kubernetes.io/proxy': 'x' } },
    }),
  ],
  ...[
    'eks.amazonaws.com/role-arn',
    'eks.amazonaws.com/audience',
    'iam.gke.io/gcp-service-account',
    'azure.workload.identity/client-id',
  ].map(
    (name) =>
      [`the identity ${name}`, { serviceAccount: { annotations: { [name]: 'x' } } }] as const,
  ),
  [
    'a label for an identity',
    manager({ pod: { labels: { 'azure.workload.identity/use': 'true' } } }),
  ],
  ...[
    'seccomp-profile.kubernetes.cri-o.io/POD',
    'io.kubernetes.cri-o.Devices',
    'cdi.k8s.io/gpu',
    'run.oci.keep_original_groups',
    'io.katacontainers.config.hypervisor.path',
  ].map(
    (name) =>
      [`the runtime's ${name}`, manager({ pod: { annotations: { [name]: 'x' } } })] as const,
  ),
  ['an annotation that is an object', manager({ annotations: { a: { b: 'c' } } })],
  ['resources with claims', { proxy: { resources: { claims: [{ name: 'x' }] } } }],
  ['resources with devices', manager({ resources: { limits: { 'smarter-devices/kvm': '1' } } })],
  ['a quantity of nothing', manager({ resources: { limits: { cpu: null } } })],
  ['a quantity that ends the line', manager({ resources: { limits: { cpu: '1\n' } } })],
  ['tolerations that are an object', manager({ tolerations: { a: 'b' } })],
  ['an affinity that is a list', manager({ affinity: [1] })],
  ['a node with a line', manager({ nodeSelector: { a: 'b\nc' } })],
  ['a class with a space', manager({ priorityClassName: 'a b' })],
];

/** What only templates see: values that do not fit together. */
const TOGETHER: readonly (readonly [string, object])[] = [
  ['no address of the API server', { networkPolicy: { enabled: true } }],
  ['neither tag nor digest', manager({ image: { tag: '' } })],
  ['a variable twice', manager({ env: ['1', '2'].map((value) => ({ name: 'A', value })) })],
  [
    'a value and a source',
    manager({
      env: [{ name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } }],
    }),
  ],
  ...['default', 'cluster-admin', 'admin', 'edit', 'view'].map(
    (name) => [`the name ${name}`, { fullnameOverride: name }] as const,
  ),
  ['namespaces that are null', { watch: { namespaces: null } }],
  ...['manager', 'proxy', 'watch', 'rbac', 'serviceAccount', 'crd', 'networkPolicy'].map(
    (section) => [`a section ${section} that is null`, { [section]: null }] as const,
  ),
  ['another kind of ambassador', { proxy: { image: { repository: 'registry.k8s.io/kubectl' } } }],
];

test('[I-7] [packaging 7] every value that could add permissions is refused, with the schema and without it', async () => {
  const wrong = [...REFUSED, ...TOGETHER];

  const results = await renderChart(
    chartOf(websiteModel()),
    wrong.flatMap(([, values]) => [{ values }, { values, skipSchema: true }]),
  );

  const layers = results.map((result) => (isRefused(result) ? result.layer : 'rendered'));
  const found = wrong.map(([name], at) => ({ name, by: layers.slice(2 * at, 2 * at + 2) }));
  expect(found).toEqual([
    ...REFUSED.map(([name]) => ({ name, by: ['schema', 'template'] })),
    ...TOGETHER.map(([name]) => ({ name, by: ['template', 'template'] })),
  ]);
});

test('the error about a refused value contains the path of the value, and does not repeat the value', async () => {
  const [result] = await renderChart(chartOf(websiteModel()), [
    { values: manager({ env: [{ name: 'A', value: ['hunter2'] }] }), skipSchema: true },
  ]);

  expect(result).toMatchObject({ message: expect.stringContaining('manager.env') });
  expect(JSON.stringify(result)).not.toContain('hunter2');
});

test('a valid value of every kind appears unchanged in the rendered objects', async () => {
  const text = 'a: b # {{ .Values }}\n---\nkind: "Pod"\n\t!!binary \'';
  const values = {
    manager: {
      image: { repository: 'r.example:5000/x/website', tag: 'v2', pullPolicy: 'Always' },
      imagePullSecrets: [{ name: 'registry' }],
      env: [
        { name: 'A', value: text },
        { name: 'B', value: 'lost' },
        { name: 'NODE_OPTIONS', value: '--max-old-space-size=96' },
        { name: 'C', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
      ],
      envOverrides: { B: 'won' },
      securityContext: { appArmorProfile: { type: 'RuntimeDefault' }, runAsNonRoot: true },
      podSecurityContext: { appArmorProfile: { type: 'RuntimeDefault' } },
      resources: { limits: { memory: '1Gi' } },
      annotations: { 'example.dev/a': text },
      pod: { labels: { 'example.dev/team': 'a' }, annotations: { 'example.dev/b': text } },
      affinity: { nodeAffinity: {} },
      nodeSelector: { 'kubernetes.io/arch': 'arm64' },
      tolerations: [{ key: text, operator: 'Exists' }],
      topologySpreadConstraints: [
        { maxSkew: 2, topologyKey: 'x', whenUnsatisfiable: 'DoNotSchedule' },
      ],
      priorityClassName: 'high',
      replicas: 5,
      terminationGracePeriodSeconds: 300,
    },
    highAvailability: true,
    serviceAccount: { annotations: { a: 'yes' }, labels: { b: 'on' } },
  };

  const [result, plain] = await renderChart(chartOf(websiteModel()), [{ values }, {}]);

  if (result === undefined || plain === undefined) throw new Error('a render is missing');
  const { objects } = rendered(result);
  expect(objects).toHaveLength(rendered(plain).objects.length + 1);
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  expect(deployment).toMatchObject({
    metadata: { annotations: { 'example.dev/a': text } },
    spec: {
      replicas: 5,
      template: {
        metadata: {
          labels: { 'example.dev/team': 'a' },
          annotations: {
            'example.dev/b': text,
            'kubectl.kubernetes.io/default-container': 'operator',
          },
        },
        spec: {
          imagePullSecrets: [{ name: 'registry' }],
          securityContext: { runAsNonRoot: true, appArmorProfile: { type: 'RuntimeDefault' } },
          affinity: { nodeAffinity: {} },
          nodeSelector: { 'kubernetes.io/arch': 'arm64' },
          tolerations: values.manager.tolerations,
          topologySpreadConstraints: values.manager.topologySpreadConstraints,
          priorityClassName: 'high',
          terminationGracePeriodSeconds: 300,
        },
      },
    },
  });
  const { containers } = (deployment as unknown as Deployment).spec.template.spec;
  const operator = containers.find(({ name }) => name === 'operator');
  expect(operator?.env).toContainEqual(values.manager.env[2]);
  expect(operator).toMatchObject({
    image: 'r.example:5000/x/website:v2',
    imagePullPolicy: 'Always',
    resources: { limits: { memory: '1Gi' }, requests: { cpu: '50m', memory: '96Mi' } },
    securityContext: { runAsUser: 65532, appArmorProfile: { type: 'RuntimeDefault' } },
  });
  expect(operator?.env.filter(({ name }) => /^[A-C]$/.test(name))).toEqual([
    { name: 'A', value: text },
    values.manager.env[3],
    { name: 'B', value: 'won' },
  ]);
  const account = objects.find(({ kind }) => kind === 'ServiceAccount');
  expect(account?.metadata).toMatchObject({ annotations: { a: 'yes' }, labels: { b: 'on' } });
});

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly name: string;
          readonly env: readonly { readonly name: string }[];
        }[];
      };
    };
  };
}
