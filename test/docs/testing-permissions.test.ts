/** The guide's examples, word for word: a test below holds the two equal. */
import { readFileSync } from 'node:fs';
import { ApiServer, configMap, eventually, startOperator, startTestEnv } from '@chancery/testing';
import { controller } from 'chancery';
import { configMaps, pods } from 'chancery/kubernetes';
import { proxyFilter, restClient, systemClock, undiciTransport } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';

const PERMISSIONS = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: operator, namespace: default }
rules:
  - { apiGroups: [""], resources: [configmaps], verbs: [get, list, watch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: operator, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: operator }
subjects:
  - { kind: ServiceAccount, name: operator, namespace: default }
`;

test('the operator reads its ConfigMaps, and nothing else', async () => {
  const server = await ApiServer.start({ authorization: 'RBAC' });
  onTestFinished(() => server.close());
  server.applyManifest(PERMISSIONS);
  const url = await server.urlFor('system:serviceaccount:default:operator');
  const transport = undiciTransport(url, { clock: systemClock });
  onTestFinished(() => transport.close());
  const client = restClient({ transport, fieldManager: 'operator', clock: systemClock });
  const { signal } = new AbortController();

  const found = await client.list(configMaps, { namespace: 'default', signal });
  const refused = client.list(pods, { namespace: 'default', signal });

  expect(found).toEqual([]);
  await expect(refused).rejects.toMatchObject({ status: 403, reason: 'Forbidden' });
});

const labels = controller({
  name: 'labels',
  for: configMaps,
  permissions: [{ resource: configMaps, verbs: ['patch'] }],
  async reconcile({ apiVersion, kind, metadata: { name, namespace = '' } }, { client }) {
    const metadata = { name, namespace, labels: { seen: 'yes' } };
    await client.apply(configMaps, { apiVersion, kind, metadata });
  },
});

test('the operator makes only requests that it declares', async () => {
  await using env = await startTestEnv();
  const namespace = await env.namespace();
  const filter = proxyFilter([labels], { namespaces: [namespace] });
  const { url } = await env.ambassador(filter);
  await using operator = startOperator({ url, namespace, controllers: [labels] });
  await env.create(configMap('a', { namespace }));

  await eventually(async () => (await env.get(configMaps, namespace, 'a'))?.metadata.labels);

  expect(operator.log.filter(({ level }) => level === 'warn')).toEqual([]);
});

test('permissions.md has the same code as this file', () => {
  const guide = readFileSync(
    new URL('../../docs/guides/test/permissions.md', import.meta.url),
    'utf8',
  );
  const examples = [...guide.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);
  const here = readFileSync(new URL(import.meta.url), 'utf8');

  expect(examples.length).toBe(4);
  expect(examples.filter((code) => !here.includes(code))).toEqual([]);
});
