/** A manager that a kubeconfig sends to its ambassador: the kubeconfig has no credential, or it is refused. */
import { expect, test } from 'vitest';
import { lint } from '../../../operator/generate/lint/lint.ts';
import { type Manifests, plain } from './good.ts';

const SERVER = 'http://127.0.0.1:8001';

interface Config {
  readonly clusters: readonly unknown[];
  readonly users: unknown;
}

const CONFIG: Config = {
  clusters: [{ name: 'a', cluster: { server: SERVER } }],
  users: [{ name: 'a', user: {} }],
};

/** The operator with a kubeconfig from a ConfigMap. JSON is YAML, too. */
function manager(config: Partial<Config> = {}): Manifests {
  return plain()
    .set('proxy.lifecycle.preStop.sleep.seconds', 39)
    .add({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'way', namespace: 'demo' },
      data: { kubeconfig: JSON.stringify({ ...CONFIG, ...config }) },
    })
    .push('pod.volumes', { name: 'way', configMap: { name: 'way' } })
    .push('operator.volumeMounts', { name: 'way', mountPath: '/etc/way', readOnly: true })
    .push('operator.env', { name: 'KUBECONFIG', value: '/etc/way/kubeconfig' });
}

function errorsOf({ objects }: Manifests): readonly string[] {
  return lint(objects).map(({ rule, path }) => `${rule} ${path}`);
}

const REFUSED = 'operator-environment containers[operator].env[KUBECONFIG]';

test("a kubeconfig with the ambassador's address and without credentials is accepted", () => {
  expect(errorsOf(manager())).toEqual([]);
});

const SECRET = { name: 'real', secret: { secretName: 'real' } };
const EXEC = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: '/get-token' } };

test.each<[string, () => Manifests]>([
  ['a token', () => manager({ users: [{ name: 'a', user: { token: 'x' } }] })],
  ['an exec plugin', () => manager({ users: [{ name: 'a', user: EXEC }] })],
  [
    'a second user with a file',
    () => manager({ users: [...[{ user: {} }], { user: { tokenFile: '/t' } }] }),
  ],
  [
    'a second cluster',
    () => manager({ clusters: [...CONFIG.clusters, { cluster: { server: 'https://10.0.0.1' } }] }),
  ],
  [
    'another proxy',
    () => manager({ clusters: [{ cluster: { server: SERVER, 'proxy-url': 'http://a' } }] }),
  ],
  ['another port', () => manager({ clusters: [{ cluster: { server: 'http://127.0.0.1:8002' } }] })],
  ['an empty entry', () => manager({ clusters: [null] })],
  ['an empty user', () => manager({ users: [null, { user: { username: 'a' } }] })],
  ['no list of users', () => manager({ users: 'a' })],
  [
    'a Secret',
    () => manager().set('pod.volumes.1', { name: 'way', secret: { secretName: 'way' } }),
  ],
  [
    'a Secret in front of the file',
    () =>
      manager().push('pod.volumes', SECRET).push('operator.volumeMounts', {
        name: 'real',
        mountPath: '/etc/way/./kubeconfig',
        subPath: 'k',
      }),
  ],
  [
    'a variable in the path',
    () =>
      manager()
        .set('pod.volumes.1.configMap.items', [{ key: 'kubeconfig', path: '$(FILE)' }])
        .set('operator.env', [{ name: 'KUBECONFIG', value: '/etc/way/$(FILE)' }]),
  ],
  [
    'a key with a credential in a folder below',
    () =>
      manager()
        .set('pod.volumes.1.configMap.items', [
          { key: 'kubeconfig', path: 'kubeconfig' },
          { key: 'other', path: 'below/kubeconfig' },
        ])
        .set('operator.volumeMounts.0.subPathExpr', 'below'),
  ],
  [
    'two keys with the same path',
    () =>
      manager().set('pod.volumes.1.configMap.items', [
        { key: 'kubeconfig', path: 'kubeconfig' },
        { key: 'other', path: './kubeconfig' },
      ]),
  ],
  [
    'a flag',
    () =>
      manager().set('operator.command', [
        '/bin/sh',
        '-c',
        'exec /manager --kubeconfig /real/config',
      ]),
  ],
  [
    'a second ConfigMap with the same name',
    () =>
      manager().add({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'way', namespace: 'demo' },
        data: { kubeconfig: JSON.stringify({ ...CONFIG, users: [{ user: { token: 'x' } }] }) },
      }),
  ],
])('lint refuses a kubeconfig because of %s', (_what, broken) => {
  expect(errorsOf(broken())).toContain(REFUSED);
});

test('lint refuses a KUBECONFIG if its container has a different volume at that path', () => {
  const manifests = manager().push('pod.volumes', SECRET);
  const env = manifests.get('operator.env');
  manifests.set('pod.initContainers', [
    {
      ...(manifests.get('operator') as object),
      ...{ name: 'first', env, volumeMounts: [{ name: 'real', mountPath: '/etc/way' }] },
    },
  ]);

  expect(errorsOf(manifests)).toContain(
    'operator-environment initContainers[first].env[KUBECONFIG]',
  );
});

test('lint checks CHANCERY_API_URL even if the operator has a kubeconfig', () => {
  const manifests = manager().push('operator.env', {
    name: 'CHANCERY_API_URL',
    value: 'https://10.0.0.1',
  });

  expect(errorsOf(manifests)).toContain('operator-url containers[operator].env[CHANCERY_API_URL]');
});

test('lint refuses a token that is mounted under the name of the namespace file', () => {
  const token = { serviceAccountToken: { path: 'namespace', expirationSeconds: 3600 } };
  const manifests = manager()
    .push('pod.volumes', {
      name: 'pod-namespace',
      projected: { sources: [{ downwardAPI: { items: [] } }, token] },
    })
    .push('operator.volumeMounts', {
      name: 'pod-namespace',
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
    });

  expect(errorsOf(manifests)).toContain('token-only-in-proxy containers[operator].volumeMounts[1]');
});
