import { ApiError } from 'chancery';
import { expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/api-server.ts';
import { CONFIG_MAPS, configMap, startCluster } from './support/cluster.ts';
import { watch } from './support/watched.ts';

test('a new server has the namespaces default and kube-system', async () => {
  const { server } = await startCluster();

  const namespaces = server.list('v1', 'Namespace').map(({ metadata }) => metadata.name);

  expect(namespaces).toEqual(['default', 'kube-system']);
});

const SERVICES = '/api/v1/namespaces/default/services';

function serviceAt(clusterIP: string): object {
  const metadata = { name: 'dns', namespace: 'default' };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { clusterIP, ports: [{ port: 53 }] },
  };
}

test('a server with controllers has the Service `kubernetes`, and no other Service gets its address', async () => {
  const { server, send } = await startCluster({ workloads: {} });

  const own = server.get('v1', 'Service', 'default', 'kubernetes');
  const refused = await send('POST', SERVICES, serviceAt('10.96.0.1'));
  const other = await send('POST', SERVICES, serviceAt('10.96.0.2'));

  expect(own).toMatchObject({
    metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6_443 }],
    },
  });
  expect([refused.status, other.status]).toEqual([422, 201]);
  expect(refused.body.message).toContain('provided IP is already allocated');
});

test('a server without controllers still reserves the address of the API', async () => {
  const { server, send } = await startCluster();

  const refused = await send('POST', SERVICES, serviceAt('10.96.0.1'));

  expect(server.get('v1', 'Service', 'default', 'kubernetes')).toBeUndefined();
  expect(refused.body.message).toContain('provided IP is already allocated');
});

test('objects that are written in process can be read over HTTP, and vice versa', async () => {
  const { send, server } = await startCluster();

  server.create(configMap('a'));
  await send('POST', CONFIG_MAPS, configMap('b'));

  const { body } = await send('GET', CONFIG_MAPS);
  expect(body.items.map(({ metadata }: ReturnType<typeof configMap>) => metadata)).toHaveLength(2);
  expect(server.get('v1', 'ConfigMap', 'default', 'b')).toMatchObject({ data: { k: 'v' } });
});

test('an in-process call throws an ApiError with the error that HTTP would answer', async () => {
  const { server } = await startCluster();
  server.create(configMap('a'));

  expect(() => server.create(configMap('a'))).toThrow(ApiError);
  expect(() => server.create(configMap('a'))).toThrow('configmaps "a" already exists');
  expect(() => server.delete('v1', 'ConfigMap', 'default', 'b')).toThrow('not found');
});

test('changing a returned object does not change the stored object', async () => {
  const { server } = await startCluster();
  server.create(configMap('a'));

  const [listed] = server.list('v1', 'ConfigMap', 'default');
  Object.assign(listed as object, { data: { k: 'changed' } });

  expect(server.get('v1', 'ConfigMap', 'default', 'a')).toMatchObject({ data: { k: 'v' } });
});

test('applyManifest creates an object the first time and updates it afterwards', async () => {
  const { server } = await startCluster();
  const manifest = (value: string): string => `
apiVersion: v1
kind: Namespace
metadata: { name: demo }
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: { name: a, namespace: demo }
  data: { k: ${value} }
`;

  const [, created] = server.applyManifest(manifest('v'));
  const [, updated] = server.applyManifest(manifest('w'));

  expect(updated?.metadata.uid).toBe(created?.metadata.uid);
  expect(updated).toMatchObject({ data: { k: 'w' } });
});

test('a restarted server keeps its objects and port, and loses its history', async () => {
  const { send, server } = await startCluster();
  const { metadata } = server.create(configMap('a'));
  server.patch('v1', 'ConfigMap', 'default', 'a', { data: { k: 'w' } });
  const { url } = server;
  const open = await watch({ server, send }, `${CONFIG_MAPS}?watch=1`);
  await open.next();

  await server.stop();
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  await server.listen();

  await expect(open.rest()).rejects.toThrow('terminated');
  expect(server.url).toBe(url);
  expect((await send('GET', `${CONFIG_MAPS}/a`)).body.data).toEqual({ k: 'w' });
  const path = `${CONFIG_MAPS}?watch=1&resourceVersion=${metadata.resourceVersion}`;
  expect((await (await watch({ server, send }, path)).next())?.type).toBe('ERROR');
});

test('the server records the requests that it gets', async () => {
  const { send, server } = await startCluster();

  await send('GET', `${CONFIG_MAPS}?limit=5`, undefined, { 'x-test': 'yes' });

  const [request] = server.requests;
  expect(request).toMatchObject({ method: 'GET', path: CONFIG_MAPS, headers: { 'x-test': 'yes' } });
  expect(request?.query.get('limit')).toBe('5');
});

test('a second close of the server does nothing', async () => {
  const server = await ApiServer.start();

  await server.close();

  await expect(server.close()).resolves.toBeUndefined();
});

test('curl gets indented JSON', async () => {
  const { send } = await startCluster();

  const { text } = await send('GET', `${CONFIG_MAPS}/nope`, undefined, {
    'user-agent': 'curl/8.5',
  });

  expect(text).toContain('\n  "reason": "NotFound",\n');
  expect(text.endsWith('}')).toBe(true);
});

test('the server escapes characters that are unsafe in HTML or JavaScript, as Go does', async () => {
  const { send, server } = await startCluster();
  server.create(configMap('a', {}, { k: '<a & b>\u2028' }));

  const { text, body } = await send('GET', `${CONFIG_MAPS}/a`);

  expect(text).toContain('"\\u003ca \\u0026 b\\u003e\\u2028"');
  expect(body.data.k).toBe('<a & b>\u2028');
});
