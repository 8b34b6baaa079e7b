/**
 * A Go project after the plugin, with real programs: kustomize renders it, and a manager elects itself as leader
 * through the ambassador with the generated kubeconfig.
 *
 * @module-tag kubectl
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ApiServer } from '@chancery/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { formatYaml } from '../../../../operator/core/yaml.ts';
import { lint } from '../../../../operator/generate/lint/lint.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import {
  containerNamed,
  expand,
  only,
  podSpec,
  render,
} from '../../../../test/manifests/support/rendered.ts';
import { startImage } from '../../../../test/proxy/support/image.ts';
import { pathOf } from '../../../../test/tools/tools.ts';
import { goProject } from './support/go-fixture.ts';
import type { Kubebuilder } from './support/kubebuilder.ts';

const run = promisify(execFile);
const root = mkdtempSync(join(tmpdir(), 'chancery-go-'));
afterAll(() => rmSync(root, { recursive: true }));

const DIGEST = `@sha256:${'0'.repeat(64)}`;
const IMAGE = `--ambassador-image=registry.example/chancery-proxy${DIGEST}`;
const DEFAULT = 'config/default/kustomization.yaml';
const MANAGER = 'config/manager/manager.yaml';
const PINNED = [
  'config/manager/kustomization.yaml',
  'newTag: 1.2.3',
  `digest: ${DIGEST.slice(1)}`,
] as const;

let projects = 0;

/** What `kubectl kustomize` makes of the project. */
async function rendered({ files }: Kubebuilder): Promise<readonly KubernetesObject[]> {
  const folder = join(root, String(projects++));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return render(join(folder, 'config/default'));
}

let editedOnce: Promise<readonly KubernetesObject[]> | undefined;

/** The project after `edit`, rendered once for all tests. */
function edited(): Promise<readonly KubernetesObject[]> {
  editedOnce ??= (async () => {
    const kubebuilder = goProject(PINNED);
    await kubebuilder.edit([IMAGE, '--proxy-port=9001']);
    return rendered(kubebuilder);
  })();
  return editedOnce;
}

test('[scaffolding 17] the rendered project passes the lint', async () => {
  expect(lint(await edited())).toEqual([]);
});

test('[S-6] [scaffolding 17] the manager has no token, and its kubeconfig contains the loopback address', async () => {
  const objects = await edited();
  const spec = podSpec(objects);
  const manager = containerNamed(spec, 'manager');
  const [kubeconfigMount, namespaceMount] = manager.volumeMounts ?? [];

  expect(spec.automountServiceAccountToken).toBe(false);
  expect(spec.containers.map(({ name }) => name)).toEqual(['manager']);
  expect(spec.initContainers?.map(({ name }) => name)).toEqual(['proxy']);
  expect(manager.env).toEqual([{ name: 'KUBECONFIG', value: '/etc/ambassador/kubeconfig' }]);
  expect(kubeconfigMount).toMatchObject({ mountPath: '/etc/ambassador' });
  expect(namespaceMount).toMatchObject({
    name: 'pod-namespace',
    mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
  });
  const volumes = new Map(spec.volumes?.map((volume) => [volume.name, volume]));
  expect(volumes.get('pod-namespace')).toEqual({
    name: 'pod-namespace',
    downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] },
  });
  const map = only(objects, 'ConfigMap') as KubernetesObject & { data: { kubeconfig: string } };
  expect(volumes.get('ambassador-kubeconfig')).toMatchObject({
    configMap: { name: map.metadata.name },
  });
  expect(map.metadata).toMatchObject({
    name: 'shop-ambassador-kubeconfig',
    namespace: 'shop-system',
  });
  expect(map.data.kubeconfig).toContain('server: http://127.0.0.1:9001');
});

test('the patches of kubebuilder still work together with the generated patch', async () => {
  const before = goProject(
    [DEFAULT, '#- ../network-policy', '- ../network-policy'],
    [
      DEFAULT,
      /#- path: manager_webhook_patch.yaml\n# {2}target:\n# {4}kind: Deployment/,
      '- path: manager_webhook_patch.yaml\n  target:\n    kind: Deployment',
    ],
    PINNED,
  );
  await before.edit([IMAGE]);

  const all = await rendered(before);

  const spec = podSpec(all);
  const manager = containerNamed(spec, 'manager');
  expect(manager.args).toEqual([
    '--metrics-bind-address=:8443',
    '--leader-elect',
    '--health-probe-bind-address=:8081',
    '--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs',
  ]);
  expect(manager.volumeMounts?.map(({ name }) => name).sort()).toEqual(
    ['ambassador-kubeconfig', 'pod-namespace', 'webhook-certs'].sort(),
  );
  expect(spec.volumes?.map(({ name }) => name)).toContain('webhook-certs');
  expect(
    all.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata }) => metadata.name),
  ).toEqual(['shop-allow-ambassador-traffic', 'shop-allow-metrics-traffic']);
  expect(lint(all)).toEqual([]);
});

test("the project's init container ends before the ambassador starts, and kubectl from an official image accepts all flags", async () => {
  const rule = '- {apiGroups: [""], resources: [namespaces], verbs: [get, watch]}\n';
  const kubebuilder = goProject(
    PINNED,
    ['config/rbac/leader_election_role.yaml', /$/, rule],
    [
      MANAGER,
      '      containers:',
      '      initContainers:\n      - name: migrate\n        image: controller:latest\n      containers:',
    ],
  );
  await kubebuilder.edit([`--ambassador-image=registry.k8s.io/kubectl${DIGEST}`]);

  const all = await rendered(kubebuilder);

  expect(podSpec(all).initContainers?.map(({ name }) => name)).toEqual(['migrate', 'proxy']);
  expect([...new Set(lint(all).filter(({ path }) => !path.includes('migrate')))]).toEqual([]);
});

const NAMESPACE = 'shop-system';

const USER = `system:serviceaccount:${NAMESPACE}:shop-controller-manager`;
const LEASE = 'abc.example.com';

/** The ambassador as the rendered Deployment starts it, and a kubectl with the kubeconfig of the manager. */
async function startedManager() {
  const objects = await edited();
  const server = await ApiServer.start({ authorization: 'RBAC' });
  onTestFinished(() => server.close());
  for (const object of objects.filter(({ kind }) => CLUSTER.has(kind))) server.create(object);
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  const args = containerNamed(podSpec(objects), 'proxy').args ?? [];
  const inPod = args.map((arg) => expand(arg, { POD_NAMESPACE: NAMESPACE }));
  const url = await startImage(await server.urlFor(USER), inPod);
  const { data } = only(objects, 'ConfigMap') as KubernetesObject & {
    readonly data: { readonly kubeconfig: string };
  };
  const kubeconfig = join(root, `kubeconfig-${projects++}`);
  writeFileSync(kubeconfig, data.kubeconfig.replace('http://127.0.0.1:9001', url));
  const kubectl = async (words: readonly string[], stdin = ''): Promise<string> => {
    const child = run(pathOf('kubectl'), [`--kubeconfig=${kubeconfig}`, ...words], {
      env: { HOME: root, KUBERC: 'off' },
    });
    child.child.stdin?.end(stdin);
    return child.then(
      ({ stdout }) => stdout,
      (error: { readonly stderr: string }) => `failed: ${error.stderr}`,
    );
  };
  return { server, url, kubectl };
}

const CLUSTER: ReadonlySet<string> = new Set([
  'Namespace',
  'ServiceAccount',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
]);

function lease(namespace: string, holderIdentity: string): string {
  return formatYaml({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: LEASE, namespace },
    spec: { holderIdentity, leaseDurationSeconds: 15 },
  });
}

test("[scaffolding 17] leader election works through the ambassador, and only in the operator's own namespace", async () => {
  const { server, kubectl } = await startedManager();
  const inHome = () =>
    server.get('coordination.k8s.io/v1', 'Lease', NAMESPACE, LEASE) as unknown as {
      readonly spec: { readonly holderIdentity: string };
    };

  const created = await kubectl(['create', '--validate=false', '-f', '-'], lease(NAMESPACE, 'a'));
  expect(created).toContain('created');
  expect(inHome().spec.holderIdentity).toBe('a');

  const read = await kubectl(['get', 'lease', LEASE, '-n', NAMESPACE, '-o', 'json']);
  const renewed = JSON.stringify({
    ...JSON.parse(read),
    spec: { holderIdentity: 'b', leaseDurationSeconds: 15 },
  });
  expect(await kubectl(['replace', '--validate=false', '-f', '-'], renewed)).toContain('replaced');
  expect(inHome().spec.holderIdentity).toBe('b');

  const elsewhere = await kubectl(['create', '--validate=false', '-f', '-'], lease('other', 'a'));
  expect(elsewhere).toMatch(/^failed: .*Forbidden/is);
  expect(server.get('coordination.k8s.io/v1', 'Lease', 'other', LEASE)).toBe(undefined);
});

test('[S-6] [scaffolding 17] the filter answers 403 for a request that no role allows, and the API server does not receive it', async () => {
  const { server, url, kubectl } = await startedManager();

  const carts = await kubectl(['get', 'carts.sales.example.com', '-A', '-o', 'name']);
  const review = await fetch(`${url}/apis/authorization.k8s.io/v1/subjectaccessreviews`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' },
      spec: { user: 'someone', nonResourceAttributes: { path: '/metrics', verb: 'get' } },
    }),
  });
  const asked = server.requests.length;
  const refused = await Promise.all(
    [
      `/api/v1/namespaces/${NAMESPACE}/secrets`,
      '/apis/sales.example.com/v1/baskets',
      '/metrics',
      '/apis/coordination.k8s.io/v1/namespaces/other/leases',
      `/api/v1/namespaces/${NAMESPACE}/pods/a/exec`,
    ].map(async (path) => (await fetch(`${url}${path}`)).status),
  );

  expect(carts).toBe('');
  expect(review.status).toBe(201);
  expect(refused).toEqual(refused.map(() => 403));
  expect(server.requests.length).toBe(asked);
});
