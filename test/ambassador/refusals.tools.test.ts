/**
 * Who refuses: the API server or the ambassador's filter. Each names itself, and what opens it.
 *
 * @module-tag kubectl
 */
import { expect, test } from 'vitest';
import { proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { NAMESPACE } from './support/copier.ts';
import { USER } from './support/pod.ts';
import { startPod } from './support/start-pod.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';

test('[security 41] proxy 16: the operator reports a 403 of RBAC with the missing permission, and is ready once it is granted', async () => {
  const pod = await startPod();
  pod.put('a', 'one');
  const role = pod.server.get(RBAC, 'Role', NAMESPACE, 'copier') ?? expect.unreachable();
  pod.server.delete(RBAC, 'Role', NAMESPACE, 'copier');

  const operator = pod.startOperator();
  const told = await pod.told('forbidden');
  const wasReady = operator.ready;
  const { name, namespace } = role.metadata;
  pod.server.create({ ...role, metadata: { name, namespace: namespace ?? NAMESPACE } });
  await pod.untilAllIsWell();

  expect(told).toMatchObject({ level: 'error', code: 'API_STATUS', layer: 'api-server' });
  expect(told.text).toContain(`User "${USER}" cannot list resource "configmaps"`);
  expect(wasReady).toBe(false);
  expect(operator.ready).toBe(true);
});

test('[security 44] proxy 16: the operator reports a 403 of the filter with request and remedy, and the API server gets no request', async () => {
  const pod = await startPod({ filter: proxyFilter([], { namespaces: [NAMESPACE] }) });
  pod.put('a', 'one');

  const operator = pod.startOperator();
  const told = await pod.told('filtered');

  expect(told).toMatchObject({
    level: 'error',
    code: 'AMBASSADOR_FORBIDDEN',
    layer: 'ambassador',
  });
  expect(told.text).toMatch(
    /refused GET \/api\/v1\/namespaces\/demo\/configmaps: its filter .*Declare it in the controller/,
  );
  expect(operator.ready).toBe(false);
  expect(pod.server.requests.filter(({ path }) => path.includes('configmaps'))).toEqual([]);
});

test('a request that the operator did not declare is refused by the ambassador, or by the API server if the filter is off', async () => {
  const pod = await startPod();
  const secret = { namespace: NAMESPACE, name: 'a' };
  const secrets = { ...configMaps, plural: 'secrets', kind: 'Secret' };

  const filtered = pod.client().get(secrets, secret);
  await expect(filtered).rejects.toMatchObject({ code: 'AMBASSADOR_FORBIDDEN', fate: 'not-sent' });
  const beyond = await startPod({
    filter: { acceptPaths: ['^/'], rejectPaths: ['^$x'], rejectMethods: ['^$x'] },
  });
  const refused = beyond.client().get(secrets, secret);

  await expect(refused).rejects.toMatchObject({ code: 'API_STATUS', status: 403 });
  expect(pod.server.requests).toEqual([]);
  expect(beyond.server.requests).toMatchObject([{ user: USER }]);
});
