/**
 * @module-tag kubectl
 */
import { expect, test } from 'vitest';
import { configMap, deployment, Session } from '../../../test/tools/kubectl-session.ts';

async function withWorkload(): Promise<Session> {
  const kubectl = await Session.start({ workloads: {} });
  await kubectl.run(['apply', '-f', '-'], { input: deployment('web') });
  await kubectl.run(['rollout', 'status', 'deployment/web', '--timeout=15s']);
  return kubectl;
}

test('[F-13] `kubectl get` prints tables', async () => {
  const kubectl = await withWorkload();

  const deployments = await kubectl.run(['get', 'deploy']);
  const pods = await kubectl.run(['get', 'pods']);

  expect(deployments).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +2\/2 +2 +2 +\d+s\n$/);
  expect(pods).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\n/);
  expect(pods.match(/web-\S+ +1\/1 +Running +0 +\d+s/g)).toHaveLength(2);
});

test('`kubectl get -o wide` prints more columns', async () => {
  const kubectl = await withWorkload();

  const deployments = await kubectl.run(['get', 'deploy', '-o', 'wide']);
  const pods = await kubectl.run(['get', 'pods', '-o', 'wide']);

  expect(deployments).toMatch(/CONTAINERS +IMAGES +SELECTOR\n.* app +nginx:1.27 +app=web\n/);
  expect(pods).toMatch(/IP +NODE +NOMINATED NODE +READINESS GATES\n/);
});

test('`kubectl get` prints YAML, JSON, names, JSONPath, columns and Go templates', async () => {
  const kubectl = await Session.start();
  await kubectl.run(['apply', '-f', '-'], { input: configMap('a', { k: 'v' }) });
  const get = (format: string): Promise<string> => kubectl.run(['get', 'cm', 'a', '-o', format]);

  expect(await get('yaml')).toMatch(/^apiVersion: v1\ndata:\n {2}k: v\nkind: ConfigMap\n/);
  expect(JSON.parse(await get('json'))).toMatchObject({ kind: 'ConfigMap', data: { k: 'v' } });
  expect(await get('name')).toBe('configmap/a\n');
  expect(await get('jsonpath={.data.k}')).toBe('v');
  expect(await get('custom-columns=N:.metadata.name,K:.data.k')).toMatch(/^N +K\na +v\n$/);
  expect(await get('go-template={{.data.k}}')).toBe('v');
});

test('`kubectl get` lists objects by selectors, in all namespaces, page by page and sorted', async () => {
  const kubectl = await Session.start();
  const many = Array.from({ length: 7 }, (_, index) => configMap(`c${index}`, { k: `${index}` }));
  await kubectl.run(['apply', '-f', '-'], { input: many.join('\n---\n') });
  await kubectl.run(['label', 'cm', 'c3', 'pick=me']);
  const names = async (...args: string[]): Promise<readonly string[]> =>
    (await kubectl.run(['get', 'cm', '-o', 'name', ...args])).trim().split('\n');

  expect(await names('--chunk-size=2')).toEqual(
    expect.arrayContaining(['configmap/c0', 'configmap/c6']),
  );
  expect(await names('-l', 'pick=me')).toEqual(['configmap/c3']);
  expect(await names('--field-selector', 'metadata.name=c5')).toEqual(['configmap/c5']);
  expect(await kubectl.run(['get', 'cm', '-A'])).toMatch(/^NAMESPACE +NAME +DATA +AGE\n/);
  const sorted = await names('-l', '!nothing', '--sort-by=.metadata.name');
  expect(sorted).toEqual([...sorted].sort());
});

test('`kubectl get` reports a missing object and an unknown kind', async () => {
  const kubectl = await Session.start();

  const object = await kubectl.try(['get', 'cm', 'nope']);
  const kind = await kubectl.try(['get', 'gizmos']);

  expect(object).toMatchObject({
    code: 1,
    stderr: 'Error from server (NotFound): configmaps "nope" not found\n',
  });
  expect(kind).toMatchObject({
    code: 1,
    stderr: 'error: the server doesn\'t have a resource type "gizmos"\n',
  });
});

test('`kubectl get -w` prints changes when they happen', async () => {
  const kubectl = await Session.start();
  await kubectl.run(['apply', '-f', '-'], { input: configMap('a', { k: '1' }) });
  const leave = new AbortController();
  const watching = kubectl.try(['get', 'cm', 'a', '-w', '--output-watch-events', '-o', 'name'], {
    signal: leave.signal,
  });
  await expect.poll(() => kubectl.server.openWatches, { timeout: 10_000 }).toBe(1);

  kubectl.server.patch('v1', 'ConfigMap', 'default', 'a', { data: { k: '2' } });
  kubectl.server.delete('v1', 'ConfigMap', 'default', 'a');
  kubectl.server.closeWatches('clean');
  const { stdout } = await watching;

  expect(stdout.match(/configmap\/a/g)?.length).toBeGreaterThanOrEqual(3);
});
