import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer as createWebhook } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type * as testing from '@chancery/testing';
import { consistently, eventually } from '@chancery/testing';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import type { TestingPackage } from '../../operator/cli/apiserver/testing-package.ts';
import { parseYaml } from '../../operator/core/yaml.ts';
import { chancery, folderWith } from './child.ts';
import { invoke } from './invocation.ts';
import { read, said, serving } from './support/served-api.ts';

const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { k: "1" }\n';

const HALF = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";

test('the API server serves on loopback until it is stopped, and then exits with 0', async () => {
  const invocation = invoke(['apiserver', '--port', '0']);

  const url = await serving(invocation);
  const version = await read(url, '/version');
  invocation.stop();

  expect(await invocation.exit).toBe(0);
  expect(new URL(url).hostname).toBe('127.0.0.1');
  expect(version).toMatchObject({ major: '1' });
  expect(invocation.stdout.lines).toEqual([url]);
  expect(invocation.stderr.lines.join('\n')).toContain(`kubectl --server=${url} get namespaces`);
  await expect(fetch(url)).rejects.toThrow();
});

test.each([
  'SIGTERM',
  'SIGINT',
] as const)('%s ends a serving API server with exit code 0', async (signal) => {
  const child = chancery(['apiserver', '--port', '0']);

  await Promise.race([child.stdout.until(() => child.stdout.lines.length > 0), child.exit]);
  child.kill(signal);

  expect(await child.exit).toBe(0);
});

test('a file, a folder and standard input are applied in the given order, in the namespace of `-n`', async () => {
  const folder = folderWith({
    'b.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: { name: s }\n',
    'a.yml': CONFIG_MAP,
    'note.txt': 'no manifest',
  });
  const file = join(
    folderWith({ 'x.json': '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other"}}' }),
    'x.json',
  );
  const invocation = invoke(
    ['apiserver', '--port=0', '-n', 'demo', '-f', file, '-f', folder, '-f', '-'],
    {
      stdin: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: b, namespace: other }\n',
    },
  );

  const url = await serving(invocation);

  expect(await read(url, '/api/v1/namespaces/demo/configmaps/a')).toMatchObject({
    data: { k: '1' },
  });
  expect(await read(url, '/api/v1/namespaces/demo/secrets/s')).toMatchObject({ kind: 'Secret' });
  expect(await read(url, '/api/v1/namespaces/other/configmaps/b')).toMatchObject({
    kind: 'ConfigMap',
  });
});

const POD_TEMPLATE =
  '{ metadata: { labels: { a: b } }, spec: { containers: [{ name: c, image: i }] } }';
const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { selector: { matchLabels: { a: b } }, template: ${POD_TEMPLATE} }
`;

/** The ReplicaSets that there are for the Deployment on standard input. */
async function replicaSets(flag: string): Promise<() => Promise<number>> {
  const url = await serving(
    invoke(['apiserver', '--port=0', '-f', '-', flag], { stdin: DEPLOYMENT }),
  );
  return async () => {
    const { items } = (await read(url, '/apis/apps/v1/namespaces/default/replicasets')) as {
      items: unknown[];
    };
    return items.length;
  };
}

test('with `--workloads`, a Deployment gets a ReplicaSet', async () => {
  const count = await replicaSets('--workloads');

  await eventually(async () => (await count()) === 1);
});

test('with `--no-workloads`, a Deployment gets no ReplicaSet', async () => {
  const count = await replicaSets('--no-workloads');

  await consistently(async () => (await count()) === 0, { forMs: 300 });
});

test.each([
  ['ShardedListAndWatch=true', { selector: HALF }],
  ['ShardedListAndWatch=false', undefined],
  ['ShardedListAndWatch=false,ShardedListAndWatch=true', { selector: HALF }],
])('`--feature-gates=%s` decides whether the API server accepts shardSelector', async (gates, shardInfo) => {
  const url = await serving(invoke(['apiserver', '--port=0', `--feature-gates=${gates}`]));

  const list = await read(url, `/api/v1/nodes?shardSelector=${encodeURIComponent(HALF)}`);

  const { metadata } = list as { readonly metadata: { readonly shardInfo?: unknown } };
  expect(metadata.shardInfo).toEqual(shardInfo);
});

test.each([
  [['--feature-gates=Sharded=true'], /^--feature-gates must be .*ShardedListAndWatch=true/],
  [['--feature-gates=ShardedListAndWatch'], /^--feature-gates must be .*ShardedListAndWatch=true/],
  [
    ['--feature-gates=ShardedListAndWatch=true', '--kubernetes-version=1.33'],
    'Kubernetes 1.33 has no feature gate ShardedListAndWatch: choose 1.36 or later',
  ],
  [
    ['--feature-gates=ManagedFieldsOptOut=true', '--kubernetes-version=1.37'],
    'Kubernetes 1.37 has no feature gate ManagedFieldsOptOut: choose 1.38 or later',
  ],
])('the command line %s is refused', async (args, message) => {
  const invocation = invoke(['apiserver', '--port=0', ...args]);

  expect(await invocation.exit).toBe(2);
  expect(invocation.stderr.lines[0]).toEqual(said(message));
});

test('`--webhook-service` sets the address for webhooks that are configured with a Service', async () => {
  const webhook = createWebhook(async (request, response) => {
    const review = JSON.parse(await text(request));
    const { uid } = review.request;
    const answer = { uid, allowed: false, status: { message: `by ${request.url}` } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...review, response: answer }));
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void webhook.close());
  const { port } = webhook.address() as AddressInfo;
  const service = `--webhook-service=shop/hooks=http://127.0.0.1:${port}`;
  const invocation = invoke(['apiserver', '--port=0', '-f', '-', service], { stdin: WEBHOOK });
  const url = await serving(invocation);

  const response = await fetch(`${url}/api/v1/namespaces/default/configmaps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name: 'a' } }),
  });

  expect(await response.json()).toMatchObject({
    message: 'admission webhook "x.shop.example" denied the request: by /v?timeout=10s',
  });
});

const WEBHOOK = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: w }
webhooks:
  - name: x.shop.example
    clientConfig: { service: { namespace: shop, name: hooks, path: /v } }
    rules: [{ operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [configmaps] }]
    sideEffects: None
    admissionReviewVersions: [v1]
`;

test('a kubeconfig that the API server wrote earlier is overwritten', async () => {
  const path = join(folderWith({}), 'cluster.yaml');
  const first = invoke(['apiserver', '--port=0', '--kubeconfig-out', path]);
  await serving(first);
  first.stop();
  await first.exit;

  const url = await serving(invoke(['apiserver', '--port=0', '--kubeconfig-out', path]));

  expect(parseYaml(readFileSync(path, 'utf8'))).toMatchObject({
    clusters: [{ cluster: { server: url } }],
  });
});

interface Kubeconfig {
  readonly 'current-context': string;
  readonly clusters: readonly [{ name: string; cluster: Record<string, unknown> }];
  readonly contexts: readonly [{ name: string; context: Record<string, unknown> }];
  readonly users: readonly [{ name: string; user: Record<string, unknown> }];
}

async function kubeconfigWith(...flags: readonly string[]): Promise<Kubeconfig> {
  const path = join(folderWith({}), 'cluster.yaml');
  await serving(invoke(['apiserver', '--port=0', '--kubeconfig-out', path, ...flags]));
  return parseYaml(readFileSync(path, 'utf8')) as Kubeconfig;
}

test.each([
  [[]],
  [['--tls']],
  [['-n', 'demo']],
])('[found 12] the kubeconfig of %j has one cluster, one user and one context', async (flags) => {
  const { clusters, contexts, users, ...rest } = await kubeconfigWith(...flags);

  expect([clusters.length, contexts.length, users.length]).toEqual([1, 1, 1]);
  expect(rest).toMatchObject({ kind: 'Config', 'current-context': contexts[0].name });
  expect(contexts[0].context).toEqual({
    cluster: clusters[0].name,
    user: users[0].name,
    namespace: flags[1] ?? 'default',
  });
});

test('[found 12] a kubeconfig for plain HTTP disables the certificate check, because client-node requires that', async () => {
  const { clusters, users } = await kubeconfigWith();

  expect(clusters[0].cluster).toEqual({
    server: expect.stringMatching(/^http:/),
    // Not "true": client-node compares with the boolean.
    'insecure-skip-tls-verify': true,
  });
  expect(users[0].user).toEqual({});
});

test('[found 12] a kubeconfig for HTTPS keeps the certificate check, because client-go refuses a CA without the check', async () => {
  const { clusters, users } = await kubeconfigWith('--tls');

  expect(clusters[0].cluster).toEqual({
    server: expect.stringMatching(/^https:/),
    'certificate-authority-data': expect.any(String),
  });
  expect(Object.keys(users[0].user)).toEqual(['token']);
});

test('a file that chancery did not write is overwritten only with `--force`, and then only its owner can read it', async () => {
  const path = join(folderWith({ config: 'kind: Config\n' }), 'config');
  const refused = invoke(['apiserver', '--port=0', '--kubeconfig-out', path]);

  expect(await refused.exit).toBe(2);
  expect(refused.stderr.lines).toEqual([
    `chancery apiserver: cannot write --kubeconfig-out ${path}: another file has this name; name a new one, or add --force to overwrite it`,
  ]);
  expect(refused.stdout.lines).toEqual([]);
  expect(readFileSync(path, 'utf8')).toBe('kind: Config\n');

  await serving(invoke(['apiserver', '--port=0', '--kubeconfig-out', path, '--force']));

  expect(readFileSync(path, 'utf8')).toContain('current-context: chancery');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each([
  ['v1.30', '30'],
  ['1.35', '35'],
  ['1.37', '37'],
])('with `--kubernetes-version %s`, the API server answers like that release', async (given, minor) => {
  const url = await serving(invoke(['apiserver', '--port=0', '--kubernetes-version', given]));

  expect(await read(url, '/version')).toMatchObject({ major: '1', minor });
});

test('an address that other machines reach causes a warning', async () => {
  const invocation = invoke(['apiserver', '--port=0', '--address', '0.0.0.0']);

  const url = await serving(invocation);

  expect(await read(url, '/version')).toMatchObject({ major: '1' });
  expect(invocation.stderr.lines[0]).toBe(
    'warning: every client that reaches 0.0.0.0 may do everything, because requests are not authenticated',
  );
});

test('if the port is in use, the API server exits with 1, and the message gives a remedy', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };

  const { exit, stderr } = invoke(['apiserver', '--port', String(port)]);

  expect(await exit).toBe(1);
  expect(stderr.lines).toEqual([
    `chancery apiserver: cannot listen on port ${port} of 127.0.0.1: something else does; choose another with --port, or --port 0 for any free one`,
  ]);
});

test.each([
  [['--port', 'x'], '--port must be a whole number from 0 to 65535, not "x"'],
  [['--port', '65536'], '--port must be a whole number from 0 to 65535, not "65536"'],
  [
    ['--address', 'localhost'],
    '--address must be an IP address, such as 127.0.0.1, not "localhost"',
  ],
  [
    ['--kubernetes-version', '1.29'],
    /^--kubernetes-version must be 1\.24, 1\.30, 1\.33, 1\.35, 1\.36, 1\.37 or 1\.38, not "1\.29"/,
  ],
  [['-n', 'Demo'], '--namespace must be at most 63 of a-z, 0-9 and "-", not "Demo"'],
  [['m.yaml'], 'expected options only, got "m.yaml"; manifests are given with -f'],
  [['--workloads', '--no-workloads'], 'expected --workloads or --no-workloads, got both'],
  [
    ['--tls'],
    '--tls needs --kubeconfig-out: the certificate authority and the token are written only there',
  ],
  [['--force'], '--force is for --kubeconfig-out, which is not given'],
  [['--kubeconfig-out='], '--kubeconfig-out must name a file'],
  [['--ready-file='], '--ready-file must name a file'],
  [['--snapshot='], '--snapshot must name a file'],
  [['--faults='], '--faults must name a file'],
  [['--faults', 'no-such-file'], 'cannot read --faults no-such-file: no such file or folder'],
  [['--install', 'no-such-folder'], 'cannot read --install no-such-folder: no such file or folder'],
  [['--snapshot', '/dev/null/state'], /^cannot save --snapshot \/dev\/null\/state: ENOTDIR/],
  [['--ready-file', '/dev/null/ready'], /^cannot write --ready-file \/dev\/null\/ready: ENOTDIR/],
  [['--admin-port', 'x'], '--admin-port must be a whole number from 0 to 65535, not "x"'],
  [['-f', '/dev/null/a'], /^cannot read -f \/dev\/null\/a: ENOTDIR/],
  [['-f', 'no-such-file'], 'cannot read -f no-such-file: no such file or folder'],
  [['--kubeconfg-out', 'x'], "unknown option '--kubeconfg-out'; did you mean --kubeconfig-out?"],
])('the arguments %j are refused in one line, with exit code 2', async (flags, message) => {
  const { exit, stderr, stdout } = invoke(['apiserver', ...flags]);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([said(message)]);
  expect(stdout.lines).toEqual([]);
});

test.each([
  [
    'for a namespace that does not exist',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, namespace: gone }\n',
    1,
    'cannot apply standard input: ConfigMap a: 404 NotFound: namespaces "gone" not found; apply its Namespace before it, or create it with -n',
  ],
  [
    'of an unknown kind',
    'apiVersion: example.com/v1\nkind: Thing\nmetadata: { name: a }\n',
    1,
    'cannot apply standard input: Thing a: 404 NotFound: the server could not find the requested resource; if it is a custom resource, apply its CustomResourceDefinition before it',
  ],
  ['that is not YAML', 'a: [', 2, /^standard input: invalid YAML: .* at line 1/],
])('a manifest %s is refused, and the error says where it is', async (_what, stdin, code, message) => {
  const { exit, stderr } = invoke(['apiserver', '--port=0', '-f', '-'], { stdin });

  expect(await exit).toBe(code);
  expect(stderr.lines).toEqual([said(message)]);
});

test('the test kit has the interface that the command expects', () => {
  expectTypeOf<typeof testing>().toExtend<TestingPackage<testing.StorageSnapshot>>();
});
