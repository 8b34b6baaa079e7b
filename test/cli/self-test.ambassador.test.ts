/** The start of `chancery run` behind an ambassador, whose filter holds or does not. */
import { join } from 'node:path';
import type { AmbassadorFilter } from '@chancery/testing';
import { ApiServer } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { rbac } from '../../operator/access/rbac.ts';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { startProxy } from '../support/cluster.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';
import { configMap } from './printed.ts';

const USER = 'system:serviceaccount:demo:op';

/** What a module declares, and what it asks for besides. */
const MODULE = `
import { controller, source } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';

export default controller({
  name: 'hello',
  for: source(configMaps),
  async reconcile(configMap, { client, log }) {
    const signal = AbortSignal.timeout(10_000);
    const error = await client.get(secrets, { namespace: 'demo', name: 'key' }, { signal }).catch((e) => e);
    log.info({ err: error }, 'asked for a secret');
  },
});`;

/** The same, for what follows from it. */
const hello = controller({
  name: 'hello',
  for: source(configMaps),
  reconcile: async () => {},
});
const PLACEMENT = { namespaces: ['demo'] };
const CLOSED = proxyFilter([hello], PLACEMENT);
const OPEN: AmbassadorFilter = { ...CLOSED, acceptPaths: [...CLOSED.acceptPaths, ''] };

async function cluster(filter: AmbassadorFilter) {
  const server = await ApiServer.start({ authorization: 'RBAC' });
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  server.create(configMap('a') as KubernetesObject);
  const serviceAccount = { name: 'op', namespace: 'demo' };
  for (const object of rbac([hello], { ...PLACEMENT, name: 'op', serviceAccount })) {
    server.create(object as unknown as KubernetesObject);
  }
  const proxy = await startProxy(await server.urlFor(USER), filter);
  return { server, url: proxy.url };
}

function run(url: string, selfTest: string) {
  const module = join(folderWith({ 'hello.ts': MODULE }), 'hello.ts');
  const running = invoke(['run', module], {
    env: {
      CHANCERY_API_URL: url,
      POD_NAMESPACE: 'demo',
      CHANCERY_HEALTH_PORT: '0',
      CHANCERY_METRICS_PORT: '0',
      CHANCERY_SELF_TEST: selfTest,
    },
  });
  const until = (message: string): Promise<void> =>
    running.stderr.until(() => running.stderr.lines.some((line) => line.includes(message)));
  const record = (message: string) => running.stderr.records.find(({ msg }) => msg === message);
  return { ...running, until, record };
}

test('[security 13] [D-5] if the self-test is required, `run` exits with 3 for a filter that ends with a comma', async () => {
  const { server, url } = await cluster(OPEN);

  const { exit, stderr } = run(url, 'require');

  expect(await exit).toBe(3);
  expect(stderr.lines.at(-1)).toMatch(
    /^chancery run: the ambassador's filter is open: GET \/chancery-self-test.* a comma at the end is enough/,
  );
  expect(stderr.lines.join('\n')).not.toContain('asked for a secret');
  const paths = server.requests
    .map(({ path }) => path)
    .filter((path) => path.includes('configmaps'));
  expect(paths).toEqual([]);
});

test('with a required self-test and the generated filter, the operator starts and works', async () => {
  const { url } = await cluster(CLOSED);

  const running = run(url, 'require');
  await running.until('asked for a secret');
  await running.until('self-test of the ambassador is done');
  running.stop();

  expect(await running.exit).toBe(0);
  expect(running.record('self-test of the ambassador is done')).toMatchObject({
    level: 'info',
    filter: 'closed',
    missing: 0,
  });
});

test('if the self-test is optional, an open filter causes only a warning', async () => {
  const { url } = await cluster(OPEN);

  const running = run(url, 'warn');
  await running.until('self-test of the ambassador is done');
  running.stop();

  expect(await running.exit).toBe(0);
  expect(running.record('the filter of the ambassador is open')).toMatchObject({
    level: 'warn',
    err: { code: 'FILTER_OPEN', layer: 'ambassador' },
  });
});

test('the error for an undeclared request of a reconciler contains the request and the controller', async () => {
  const { url } = await cluster(CLOSED);

  const running = run(url, 'off');
  await running.until('asked for a secret');
  running.stop();

  expect(await running.exit).toBe(0);
  expect(running.record('asked for a secret')?.err).toMatchObject({
    type: 'AmbassadorError',
    code: 'AMBASSADOR_FORBIDDEN',
    layer: 'ambassador',
    message: expect.stringMatching(
      /refused GET \/api\/v1\/namespaces\/demo\/secrets\/key: .*no controller declares secrets/,
    ),
    context: { status: 403, method: 'GET', path: '/api/v1/namespaces/demo/secrets/key' },
  });
  expect(running.record('self-test of the ambassador is done')).toBeUndefined();
});

test('if the filter refuses a source, the log line contains its path', async () => {
  const { url } = await cluster({ ...CLOSED, acceptPaths: ['^/version$'] });

  const running = run(url, 'off');
  await running.until('source is forbidden');
  running.stop();

  expect(await running.exit).toBe(0);
  expect(running.record('source is forbidden, it retries')).toMatchObject({
    level: 'error',
    resource: 'configmaps',
    reason: 'filtered',
    err: {
      layer: 'ambassador',
      message: expect.stringMatching(
        /refused GET \/api\/v1\/namespaces\/demo\/configmaps: .*Declare it in the controller/,
      ),
    },
  });
});

test('if the ambassador refuses every request, the log says so', async () => {
  const { url } = await cluster({ ...CLOSED, acceptPaths: [] });

  const running = run(url, 'warn');
  await running.until('the ambassador refuses everything');
  running.stop();

  expect(await running.exit).toBe(0);
  expect(running.record('the ambassador refuses everything')).toMatchObject({
    level: 'error',
    hint: expect.stringContaining('chancery generate proxy'),
  });
});
