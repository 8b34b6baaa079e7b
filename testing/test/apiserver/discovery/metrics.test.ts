import { expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.ts';
import { rbacServer, send } from '../auth/rbac-server.ts';

async function metricsOf(server: ApiServer): Promise<Response> {
  return fetch(`${server.url}/metrics`);
}

test('/metrics reports the number of objects per resource in the Prometheus format', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  for (const name of ['north', 'south', 'west']) {
    server.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' } });
  }

  const answer = await metricsOf(server);

  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe(
    'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
  );
  const lines = (await answer.text()).split('\n');
  expect(lines).toContain('apiserver_resource_objects{group="",resource="secrets"} 3');
  expect(lines).toContain('apiserver_resource_objects{group="apps",resource="deployments"} 0');
  expect(lines.filter((line) => line.includes('"horizontalpodautoscalers"'))).toHaveLength(1);
});

test('/metrics reports the version of the server', async () => {
  const server = await ApiServer.start({ generation: '1.33' });
  onTestFinished(() => server.close());

  const text = await (await metricsOf(server)).text();

  expect(text).toMatch(/^kubernetes_build_info\{.*git_version="v1\.33\.0".*\} 1$/m);
});

test('only a user with the permission to get /metrics can read it, and there are no paths below it', async () => {
  const server = await rbacServer();

  const { status: forbidden } = await send(await server.urlFor('guest'), '/metrics');
  const { status: below } = await send(server.url, '/metrics/cadvisor');

  expect([forbidden, below]).toEqual([403, 404]);
});
