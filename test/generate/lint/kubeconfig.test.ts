/** A program that knows nothing of ambassadors, and is sent to one by a kubeconfig. */
import { expect, test } from 'vitest';
import { formatYaml } from '../../../operator/core/yaml.ts';
import { lint } from '../../../operator/generate/lint/lint.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { sidecar } from './good.ts';

const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount';
const NAMESPACE = { path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } };

/** A native sidecar beside a Go manager; its kubeconfig as given. */
function diagnosed(
  kubeconfig: object,
  change: (manifests: ReturnType<typeof sidecar>) => unknown = () => {},
): readonly string[] {
  const manifests = sidecar()
    .set('pod.containers.0.env', [{ name: 'KUBECONFIG', value: '/etc/ambassador/kubeconfig' }])
    .set('pod.containers.0.args', ['--leader-elect'])
    .set('pod.containers.0.volumeMounts', [
      { name: 'kubeconfig', mountPath: '/etc/ambassador', readOnly: true },
      { name: 'namespace', mountPath: TOKEN, readOnly: true },
    ])
    .push('pod.volumes', { name: 'kubeconfig', configMap: { name: 'kubeconfig' } })
    .push('pod.volumes', { name: 'namespace', downwardAPI: { items: [NAMESPACE] } });
  change(manifests);
  const namespace = homeOf(manifests.objects);
  const map = {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kubeconfig', namespace } },
    data: { kubeconfig: formatYaml(kubeconfig) },
  } as unknown as KubernetesObject;
  return lint([...manifests.objects, map]).map(({ rule, level }) => `${level} ${rule}`);
}

function homeOf(objects: readonly KubernetesObject[]): string | undefined {
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  return deployment?.metadata.namespace;
}

function config(server: string, user: object = {}, more: object = {}): object {
  return {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
    clusters: [{ name: 'a', cluster: { server, ...more } }],
    users: [{ name: 'a', user }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  };
}

const OURS = 'http://127.0.0.1:8001';

test("a kubeconfig with the ambassador's address, and a namespace file without a token, are accepted", () => {
  expect(diagnosed(config(OURS))).toEqual([]);
});

test('a volume at the path of the token may contain only fields of the Pod', () => {
  const found = diagnosed(config(OURS), (manifests) =>
    manifests.set('pod.volumes.2', {
      name: 'namespace',
      projected: { sources: [{ downwardAPI: { items: [NAMESPACE] } }, { secret: { name: 's' } }] },
    }),
  );

  expect(found).toEqual(['error token-only-in-proxy']);
});

test('two replicas of a manager without the flag for leader election cause a warning', () => {
  const found = diagnosed(config(OURS), (manifests) =>
    manifests.set('pod.containers.0.args', ['--v=1']),
  );

  expect(found).toEqual(['warning leader-election']);
});
