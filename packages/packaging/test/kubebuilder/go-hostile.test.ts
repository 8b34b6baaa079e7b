/** What in a Go project would lead around the ambassador, or make its filter another than the roles. */
import { expect, test } from 'vitest';
import { acceptedPaths, goProject, isOpen } from './support/go-fixture.ts';
import type { Kubebuilder } from './support/kubebuilder.ts';

const DEFAULT = 'config/default/kustomization.yaml';
const MANAGER = 'config/manager/manager.yaml';
const RBAC = 'config/rbac/kustomization.yaml';
const ROLE = 'config/rbac/role.yaml';
const LAST = 'config/default/last.yaml';

/** The project with one patch more. A text with `target` names its objects beside it. */
function patched(patch: string, target = ''): Kubebuilder {
  const entry = `- path: last.yaml\n${target === '' ? '' : `  target: ${target}\n`}`;
  const kubebuilder = goProject([DEFAULT, 'patches:\n', `patches:\n${entry}`]);
  kubebuilder.files.set(LAST, patch);
  return kubebuilder;
}

const ofDeployment = (operation: string) => patched(`[${operation}]\n`, '{kind: Deployment}');

const POD = '/spec/template/spec';

const ofPod = (spec: string) =>
  patched(
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: controller-manager, namespace: system}\n' +
      `spec: {template: {spec: ${spec}}}\n`,
  );

const ofManager = (fields: string) => ofPod(`{containers: [{name: manager, ${fields}}]}`);

test.each<[string, () => Kubebuilder, string]>([
  [
    'the Pod',
    () => ofDeployment(`{op: replace, path: ${POD}, value: {}}`),
    `operation replace of ${POD}`,
  ],
  ['the whole object', () => ofDeployment('{op: add, path: "", value: {}}'), 'operation add of ,'],
  [
    'the proxy',
    () => ofDeployment(`{op: remove, path: ${POD}/initContainers/0}`),
    'operation remove of',
  ],
  [
    'an argument of the proxy',
    () =>
      ofDeployment(
        `{op: add, path: ${POD}/initContainers/0/args/-, value: "--accept-paths=^/.*$"}`,
      ),
    'operation add of',
  ],
  [
    'a second sidecar',
    () => ofDeployment(`{op: add, path: ${POD}/initContainers/-, value: {name: spy}}`),
    'puts spy beside',
  ],
  [
    'the variable by its position',
    () => ofDeployment(`{op: replace, path: ${POD}/containers/0/env/0/value, value: /x}`),
    'operation replace',
  ],
  [
    'the network of the node',
    () => ofDeployment(`{op: add, path: ${POD}/hostNetwork, value: true}`),
    'changes hostNetwork',
  ],
  [
    'the automatic token',
    () => ofDeployment(`{op: remove, path: ${POD}/automountServiceAccountToken}`),
    'changes automountServiceAccountToken',
  ],
  [
    'a token',
    () =>
      ofDeployment(
        `{op: add, path: ${POD}/volumes/-, value: {name: t, projected: {sources: [{serviceAccountToken: {path: t}}]}}}`,
      ),
    'changes serviceAccountToken',
  ],
  [
    'the volume of the ambassador',
    () =>
      ofDeployment(
        `{op: add, path: ${POD}/containers/0/volumeMounts/-, value: {name: ambassador-credentials, mountPath: /t}}`,
      ),
    'changes the volume ambassador-credentials',
  ],
  [
    'a copy',
    () => ofDeployment(`{op: copy, from: ${POD}/initContainers, path: ${POD}/containers}`),
    'operation copy of',
  ],
  [
    'a patch for all kinds',
    () => patched(`[{op: add, path: ${POD}/hostPID, value: true}]`, '{name: controller-.*}'),
    'may change a Role',
  ],
  ['a merged account', () => ofPod('{serviceAccountName: default}'), 'changes serviceAccountName'],
  [
    'merged processes',
    () => ofPod('{shareProcessNamespace: true}'),
    'changes shareProcessNamespace',
  ],
  ['volumes that are null', () => ofPod('{volumes: null}'), 'changes $patch or null'],
  ['replaced volumes', () => ofPod('{volumes: [{$patch: replace}]}'), 'changes $patch'],
  [
    'a merged init container',
    () => ofPod('{initContainers: [{name: proxy, args: [x]}]}'),
    'puts proxy beside',
  ],
  [
    'a merged kubeconfig',
    () => ofManager('env: [{name: KUBECONFIG, value: /x}]'),
    'changes the variable KUBECONFIG',
  ],
  [
    'a merged flag',
    () => ofManager('args: [sh, "/manager --kubeconfig /x"]'),
    'changes the flag --kubeconfig',
  ],
  [
    'a folder of the node',
    () => ofPod('{volumes: [{name: a, hostPath: {path: /var/lib/kubelet}}]}'),
    'changes hostPath',
  ],
  [
    'a replacement',
    () =>
      goProject([
        DEFAULT,
        '#replacements:',
        'replacements:\n- {targets: [{select: {kind: Deployment}, fieldPaths: [spec.template.spec.serviceAccountName]}]}\n#',
      ]),
    'cannot check what that changes',
  ],
  [
    'a replaced role',
    () =>
      goProject([
        DEFAULT,
        '#replacements:',
        'replacements:\n- {targets: [{select: {kind: ClusterRole}, fieldPaths: [rules.0.verbs.0]}]}\n#',
      ]),
    'may change a ClusterRole',
  ],
  [
    'a transformer',
    () => goProject([DEFAULT, 'patches:', 'transformers: [t.yaml]\npatches:']),
    'has transformers',
  ],
  [
    'a role by operations',
    () =>
      patched(
        '[{op: add, path: /rules/-, value: {apiGroups: ["*"], resources: ["*"], verbs: ["*"]}}]',
        '{kind: .*Role}',
      ),
    `${LAST} may change a Role`,
  ],
  [
    'a binding by a merge',
    () =>
      patched(
        'kind: ClusterRoleBinding\nmetadata: {name: manager-rolebinding}\nroleRef: {kind: ClusterRole, name: cluster-admin}\n',
      ),
    `${LAST} may change a ClusterRoleBinding`,
  ],
])('a kustomize patch is refused, and nothing is written: %s', async (_what, project, says) => {
  const { errors, written } = await project().edit();

  expect(written).toEqual({});
  expect(errors).toEqual([expect.stringContaining(says)]);
});

test('a kustomize patch that does not affect the ambassador is accepted', async () => {
  const harmless = [
    patched('[{op: add, path: /metadata/labels/a, value: b}]', '{kind: .*Role.*}'),
    patched('kind: ClusterRole\nmetadata: {name: manager-role, annotations: {a: b}}\n'),
    ofDeployment('{op: replace, path: /spec/replicas, value: 2}'),
    ofDeployment(
      `{op: add, path: ${POD}/volumes/0, value: {name: certs, secret: {secretName: certs}}}`,
    ),
    ofManager('args: [--zap-log-level=debug], resources: {limits: {memory: 1Gi}}'),
    ofPod('{containers: [{name: kube-rbac-proxy, $patch: delete}], hostNetwork: false}'),
  ];

  for (const kubebuilder of harmless) expect((await kubebuilder.edit()).errors).toEqual([]);
});

test.each<[string, string, string]>([
  [
    'a sidecar',
    'initContainers:\n      - {name: spy, image: spy, restartPolicy: Always}',
    'puts spy beside the manager',
  ],
  [
    'the name of the ambassador',
    'initContainers:\n      - {name: proxy, image: mine}',
    'has the name proxy',
  ],
  [
    'the volume of the ambassador',
    'initContainers:\n      - {name: a, image: a, volumeMounts: [{name: ambassador-credentials, mountPath: /t}]}',
    'has the name ambassador-credentials',
  ],
])("%s in the manager's Pod is refused", async (_what, field, says) => {
  const { errors } = await goProject([
    MANAGER,
    '      containers:',
    `      ${field}\n      containers:`,
  ]).edit();

  expect(errors).toEqual([expect.stringContaining(says)]);
});

/** The project with a file more in config/rbac. */
function withFile(text: string): Kubebuilder {
  const kubebuilder = goProject([RBAC, 'resources:\n', 'resources:\n- more.yaml\n']);
  kubebuilder.files.set('config/rbac/more.yaml', text);
  return kubebuilder;
}

const RULE = 'rules: [{apiGroups: [batch], resources: [jobs], verbs: [get]}]';
const bindingOf = (subject: string, name = 'jobs') =>
  `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: jobs}, roleRef: {kind: ClusterRole, name: ${name}}, subjects: [${subject}]}`;
const ROLE_OF_JOBS = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: jobs}, ${RULE}}`;
const JOB = '/apis/batch/v1/namespaces/a/jobs/b';

test.each<[string, string]>([
  [
    'a list in a list',
    `kind: List\nitems:\n- {kind: ClusterRoleList, items: [${ROLE_OF_JOBS}]}\n- ${bindingOf('{kind: ServiceAccount, name: controller-manager, namespace: system}')}\n`,
  ],
  [
    'the name that kustomize gives the account',
    `${ROLE_OF_JOBS}\n---\n${bindingOf('{kind: ServiceAccount, name: shop-controller-manager, namespace: shop-system}')}\n`,
  ],
  [
    'anchors, merge keys and escapes',
    `${ROLE_OF_JOBS.replace(RULE, 'x: &x {apiGroups: [batch], resources: [jobs]}, rules: [{<<: *x, verbs: [get]}]').replace('ClusterRole', '"Cluster\\u0052ole"')}\n---\n${bindingOf('{kind: ServiceAccount, name: controller-manager, namespace: system}').replace('ClusterRoleBinding', '"\\u0043lusterRoleBinding"')}\n`,
  ],
])('the filter includes permissions from %s', async (_form, text) => {
  const kubebuilder = withFile(text);

  const { errors } = await kubebuilder.edit();

  expect(errors).toEqual([]);
  expect(isOpen(kubebuilder, JOB)).toBe(true);
  expect(isOpen(kubebuilder, '/apis/batch/v1/namespaces/a/jobs')).toBe(false);
});

test('the filter includes permissions from the folder of definitions, and the paths of folders may end with a slash', async () => {
  const kubebuilder = goProject(
    ['config/crd/kustomization.yaml', 'resources:\n', 'resources:\n- more.yaml\n'],
    [DEFAULT, '- ../rbac\n', '- ../rbac/\n'],
  );
  kubebuilder.files.set(
    'config/crd/more.yaml',
    `${ROLE_OF_JOBS}\n---\n${bindingOf('{kind: ServiceAccount, name: controller-manager, namespace: system}')}\n`,
  );

  await kubebuilder.edit();

  expect(isOpen(kubebuilder, JOB)).toBe(true);
  expect(isOpen(kubebuilder, '/apis/sales.example.com/v1/carts')).toBe(true);
});

test.each([
  '{kind: Group, name: system:serviceaccounts}',
  '{kind: Group, name: "system:serviceaccounts:shop-system"}',
  '{kind: Group, name: system:authenticated}',
  '{kind: User, name: "system:serviceaccount:shop-system:shop-controller-manager"}',
])('a binding that reaches the ServiceAccount of the manager indirectly is refused: %s', async (subject) => {
  const { errors } = await withFile(`${ROLE_OF_JOBS}\n---\n${bindingOf(subject)}\n`).edit();

  expect(errors).toEqual([
    expect.stringContaining('config/rbac/more.yaml: ClusterRoleBinding/jobs binds'),
  ]);
});

test('bindings of other subjects do not affect the filter', async () => {
  const others = [
    '{kind: Group, name: "system:serviceaccounts:elsewhere"}',
    '{kind: User, name: jane}',
  ];
  const { errors, written } = await withFile(
    `${ROLE_OF_JOBS}\n---\n${bindingOf(others.join())}\n`,
  ).edit();

  expect(errors).toEqual([]);
  expect(written['config/ambassador/filter.yaml']).not.toContain('batch');
});

test('a Secret with a token of a ServiceAccount is refused', async () => {
  const { errors } = await withFile(
    'apiVersion: v1\nkind: Secret\nmetadata: {name: eternal}\ntype: kubernetes.io/service-account-token\n',
  ).edit();

  expect(errors).toEqual([
    expect.stringContaining('config/rbac/more.yaml: Secret/eternal gets a token'),
  ]);
});

test("a message reports another Deployment with the manager's ServiceAccount", async () => {
  const { told } = await withFile(
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: second}\n' +
      'spec: {template: {spec: {serviceAccountName: controller-manager, containers: [{name: a}]}}}\n',
  ).edit();

  expect(told).toContain(
    'config/rbac/more.yaml: Deployment/second has the ServiceAccount of the manager',
  );
});

test("a Role with a rule for namespaces allows only requests for the Role's own namespace by name", async () => {
  const rule = '- apiGroups: [""]\n  resources: [namespaces]\n  verbs: [get, list, delete]\n';
  const kubebuilder = goProject(['config/rbac/leader_election_role.yaml', /$/, rule]);

  const { errors } = await kubebuilder.edit();

  const paths = [
    '/shop-system',
    '/default',
    '',
    '/shop-system/namespaces/a',
    '/shop-system/status',
  ];
  expect(errors).toEqual([]);
  expect(paths.filter((path) => isOpen(kubebuilder, `/api/v1/namespaces${path}`))).toEqual([
    '/shop-system',
  ]);
});

test('a resource with two slashes is refused', async () => {
  const { errors } = await goProject([ROLE, '- carts/status', '- carts/status/more']).edit();

  expect(errors).toEqual([expect.stringContaining('a declared name must be a-z')]);
});

test('a message reports a listed file that the project does not contain', async () => {
  const { told } = await goProject([RBAC, 'resources:\n', 'resources:\n- more.json\n']).edit();

  expect(told).toContain('config/rbac/kustomization.yaml lists more.json');
});

test("the ambassador's folder is listed once, however its path is written", async () => {
  const kubebuilder = goProject([DEFAULT, 'patches:', 'components: [./../ambassador/]\npatches:']);

  const { written } = await kubebuilder.edit();
  const again = await kubebuilder.edit();

  expect(Object.keys(written)).not.toContain(DEFAULT);
  expect(again.written).toEqual({});
});

test('the ambassador cannot use a port that a patch opens', async () => {
  const { errors } = await goProject().edit(['--proxy-port=8443']);

  expect(errors).toEqual([expect.stringContaining('listens on port 8443')]);
});

test.each<[string, string, string, boolean]>([
  ['opens a path', '/metrics', '/metrics', true],
  ['opens no object by a path', '/api/v1/secrets', '/api/v1/secrets', false],
  ['opens nothing of a named group', '/apis/apps/v1/daemonsets', '/apis/apps/v1/daemonsets', false],
])('a rule for nonResourceURLs %s', async (_what, url, path, open) => {
  const kubebuilder = goProject([ROLE, /$/, `- nonResourceURLs: [${url}]\n  verbs: [get]\n`]);

  const { errors } = await kubebuilder.edit();

  expect(errors).toEqual([]);
  expect(isOpen(kubebuilder, path)).toBe(open);
});

test('a rule for URL paths has no effect if a RoleBinding binds it, and is refused if a path contains `..`', async () => {
  const rule = '- nonResourceURLs: [/metrics]\n  verbs: [get]\n';
  const bound = goProject(['config/rbac/leader_election_role.yaml', /$/, rule]);
  const plain = goProject();
  await bound.edit();
  await plain.edit();

  const { errors } = await goProject([
    ROLE,
    /$/,
    rule.replace('metrics', 'healthz/../metrics'),
  ]).edit();

  expect(acceptedPaths(bound)).toEqual(acceptedPaths(plain));
  expect(errors).toEqual([
    expect.stringContaining('nonResourceURLs has a path that no filter can name'),
  ]);
});
