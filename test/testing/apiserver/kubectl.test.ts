/** The embedded server as a real kubectl sees it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findKubectl } from '../../../operator/testing/kubectl.ts';
import { configMap, startCluster, type TestCluster } from './support/cluster.ts';

const run = promisify(execFile);

/** What kubectl prints. It finds no configuration and no cache. */
async function kubectl({ server }: TestCluster, ...args: string[]): Promise<string> {
  const binary = findKubectl(process.env);
  if (binary === undefined) throw new Error('there is no kubectl on the PATH');
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', KUBECONFIG: '/dev/null' };
  const { stdout } = await run(binary, [`--server=${server.url}`, ...args], { env });
  return stdout;
}

const MANIFEST = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: default }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: app, image: "nginx:1.27" }] }
`;

/** Runs kubectl with the manifest as its standard input. */
async function kubectlWith(
  cluster: TestCluster,
  input: string,
  ...args: string[]
): Promise<string> {
  const binary = findKubectl(process.env) ?? 'kubectl';
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', KUBECONFIG: '/dev/null' };
  const running = run(binary, [`--server=${cluster.server.url}`, ...args], { env });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

test('get prints the table of a resource, by its short name too', async () => {
  const cluster = await startCluster();
  cluster.server.create(configMap('a'));

  const printed = await kubectl(cluster, 'get', 'cm');

  expect(printed).toMatch(/^NAME +DATA +AGE\na +1 +\d+s\n$/);
});

test('create, label, annotate, patch and delete do what they say', async () => {
  const cluster = await startCluster();
  const object = JSON.stringify(configMap('a'));

  await kubectlWith(cluster, object, 'create', '--validate=false', '-f', '-');
  await kubectl(cluster, 'label', 'configmap/a', 'tier=front');
  await kubectl(cluster, 'annotate', 'configmap/a', 'note=hello');
  await kubectl(cluster, 'patch', 'configmap/a', '--type=merge', '-p', '{"data":{"k":"w"}}');

  expect(cluster.server.get('v1', 'ConfigMap', 'default', 'a')).toMatchObject({
    metadata: { labels: { tier: 'front' }, annotations: { note: 'hello' } },
    data: { k: 'w' },
  });
  expect(await kubectl(cluster, 'delete', 'configmap/a')).toBe('configmap "a" deleted\n');
  expect(cluster.server.list('v1', 'ConfigMap')).toEqual([]);
});

test.each([
  ['--server-side'],
  ['--server-side=false'],
])('apply %s creates and changes', async (how) => {
  const cluster = await startCluster();
  const apply = (input: string): Promise<string> =>
    kubectlWith(cluster, input, 'apply', how, '-f', '-');

  await apply(MANIFEST);
  await apply(MANIFEST.replace('replicas: 2', 'replicas: 3'));

  const deployment = cluster.server.get('apps/v1', 'Deployment', 'default', 'web');
  expect(deployment).toMatchObject({ spec: { replicas: 3 }, metadata: { generation: 2 } });
});

test('apply leaves the validation of fields to the server', async () => {
  const cluster = await startCluster();
  const manifest = JSON.stringify({ ...configMap('a'), bogus: 1 });

  const applying = kubectlWith(cluster, manifest, 'apply', '-f', '-');

  await expect(applying).rejects.toThrow('unknown field "bogus"');
});

test('wait returns when the condition holds', async () => {
  const cluster = await startCluster();
  cluster.server.applyManifest(MANIFEST);
  const waiting = kubectl(cluster, 'wait', '--for=condition=Available', 'deployment/web');
  await expect.poll(() => cluster.server.openWatches).toBe(1);

  const conditions = [{ type: 'Available', status: 'True' }];
  cluster.server.patch(
    'apps/v1',
    'Deployment',
    'default',
    'web',
    { status: { conditions } },
    'status',
  );

  expect(await waiting).toBe('deployment.apps/web condition met\n');
});

test('describe and scale understand a Deployment', async () => {
  const cluster = await startCluster();
  cluster.server.applyManifest(MANIFEST);

  await kubectl(cluster, 'scale', 'deployment/web', '--replicas=5');

  expect(await kubectl(cluster, 'describe', 'deployment/web')).toContain('5 desired');
});

test('a restart is rolled out by the simulated controllers', async () => {
  const cluster = await startCluster({ workloads: {} });
  cluster.server.applyManifest(MANIFEST);
  await kubectl(cluster, 'rollout', 'status', 'deployment/web', '--timeout=15s');

  await kubectl(cluster, 'rollout', 'restart', 'deployment/web');
  const printed = await kubectl(cluster, 'rollout', 'status', 'deployment/web', '--timeout=15s');

  expect(printed).toContain('deployment "web" successfully rolled out');
});

test('a custom resource is found by its short name', async () => {
  const cluster = await startCluster();
  cluster.server.applyManifest(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.dev }
spec:
  group: example.dev
  scope: Namespaced
  names: { kind: Widget, plural: widgets, shortNames: [wd] }
  versions:
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: example.dev/v1
kind: Widget
metadata: { name: first, namespace: default }
spec: { size: 1 }
`);

  expect(await kubectl(cluster, 'get', 'wd', '-o', 'name')).toBe('widget.example.dev/first\n');
});
