/** What the operator's container can do with the ambassador, whatever code runs in it. */
import { secret } from '@chancery/testing';
import { expect, test } from 'vitest';
import { startReloader } from './support/start.ts';

test('[reloader 27] every write of a Secret is refused, even with all flags that need more permissions', async () => {
  const { ambassador, place } = await startBehind([
    '--enable-csi-integration',
    '--is-argo-rollouts=true',
    '--reload-on-create=true',
    '--reload-on-delete=true',
  ]);
  const { env, namespace } = place;
  await env.create(secret('own', { namespace, data: { password: 'b2xk' } }));
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  const changed = { apiVersion: 'v1', kind: 'Secret', data: { password: 'bmV3' } };
  const named = (name: string) => JSON.stringify({ ...changed, metadata: { name } });
  const patch = (type: string) => ({ 'content-type': `application/${type}+json` });

  const read = await fetch(`${ambassador}${secrets}/own`);
  const answers = await Promise.all(
    [
      { path: secrets, method: 'POST', body: named('other') },
      { path: secrets, method: 'DELETE' },
      { path: `${secrets}/own`, method: 'PUT', body: named('own') },
      { path: `${secrets}/own`, method: 'DELETE' },
      ...['merge-patch', 'strategic-merge-patch', 'apply-patch'].map((type) => ({
        path: `${secrets}/own?fieldManager=x`,
        method: 'PATCH',
        headers: patch(type),
        body: named('own'),
      })),
      { path: `${secrets}/own/status`, method: 'PUT', body: named('own') },
    ].map(async ({ path, ...init }) => {
      const headers = { 'content-type': 'application/json' };
      const { status } = await fetch(`${ambassador}${path}`, { headers, ...init });
      return `${init.method} ${path}: ${status}`;
    }),
  );

  expect(read.status).toBe(200);
  expect(answers.filter((answer) => !/: (403|405)$/.test(answer))).toEqual([]);
  expect(await env.list('v1', 'Secret', namespace)).toEqual([
    expect.objectContaining({ data: { password: 'b2xk' } }),
  ]);
});

test('[reloader 27] every path outside the filter is refused before it reaches the API server', async () => {
  const { ambassador, place } = await startBehind([]);
  const { env, namespace } = place;
  const lines = [
    'GET /api/v1/secrets',
    'GET /api/v1/namespaces/kube-system/secrets',
    'GET /api/v1/namespaces/kube-system/secrets/own',
    `GET /api/v1/namespaces/${namespace}/secrets/own/status`,
    `GET /api/v1/namespaces/${namespace}/pods`,
    `POST /api/v1/namespaces/${namespace}/pods/web/exec`,
    `POST /api/v1/namespaces/${namespace}/serviceaccounts/default/token`,
    `GET /api/v1/namespaces/${namespace}/serviceaccounts`,
    'GET /api/v1/nodes',
    'GET /apis/rbac.authorization.k8s.io/v1/clusterroles',
    `PATCH /apis/apps/v1/namespaces/${namespace}/deployments/web/scale`,
    `GET /apis/apps/v1/namespaces/${namespace}/replicasets`,
    `GET /api/v1/namespaces/${namespace}/secrets/%2e%2e/pods`,
    'GET /metrics',
    'GET /logs/',
  ];

  const answers = await Promise.all(
    lines.map(async (line) => {
      const [method = '', path = ''] = line.split(' ');
      const answer = await fetch(`${ambassador}${path}`, { method });
      return `${line}: ${answer.status} ${(await answer.text()).trim()}`;
    }),
  );

  expect(answers.filter((answer) => !answer.endsWith(': 403 Forbidden'))).toEqual([]);
  const arrived = env.server.requests.map(({ method, path }) => `${method} ${path}`);
  expect(arrived.filter((line) => lines.includes(line))).toEqual([]);
});

/** The operator, and its ambassador for what else could run in its container. */
async function startBehind(args: readonly string[]) {
  let ambassador = '';
  const place = await startReloader({
    args,
    between: async (url) => {
      ambassador = url;
      return url;
    },
  });
  return { ambassador, place };
}
