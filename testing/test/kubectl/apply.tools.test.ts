/**
 * @module-tag kubectl
 */
import { describe, expect, test } from 'vitest';
import { configMap, deployment, Session } from '../../../test/tools/kubectl-session.ts';

describe.each([['--server-side=false'], ['--server-side']])('`kubectl apply` %s', (side) => {
  test('`kubectl apply` creates and changes an object, and does not write an equal object', async () => {
    const kubectl = await Session.start();
    const apply = (input: string): Promise<string> =>
      kubectl.run(['apply', side, '-f', '-'], { input });

    const created = await apply(deployment('web'));
    const changed = await apply(deployment('web', 3));
    const before = kubectl.server.get('apps/v1', 'Deployment', 'default', 'web');
    await apply(deployment('web', 3));

    const after = kubectl.server.get('apps/v1', 'Deployment', 'default', 'web');
    expect(created).toMatch(/^deployment.apps\/web (created|serverside-applied)\n$/);
    expect(changed).toMatch(/^deployment.apps\/web (configured|serverside-applied)\n$/);
    expect(after).toMatchObject({ spec: { replicas: 3 } });
    expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  });

  test('`kubectl apply` removes a field that the manifest no longer contains', async () => {
    const kubectl = await Session.start();
    const apply = (data: Record<string, string>): Promise<string> =>
      kubectl.run(['apply', side, '-f', '-'], { input: configMap('a', data) });

    await apply({ kept: '1', dropped: '2' });
    await apply({ kept: '1' });

    const { data } = kubectl.server.get('v1', 'ConfigMap', 'default', 'a') as unknown as {
      data: unknown;
    };
    expect(data).toEqual({ kept: '1' });
  });

  test('`kubectl apply` reports a field that does not exist', async () => {
    const kubectl = await Session.start();
    const input = deployment('web').replace('replicas:', 'replica:');

    const { code, stderr } = await kubectl.try(['apply', side, '-f', '-'], { input });

    expect(code).toBe(1);
    expect(stderr).toContain('replica');
    expect(kubectl.server.list('apps/v1', 'Deployment')).toEqual([]);
  });
});

test('`kubectl apply --server-side` prints the manager in a conflict, and --force-conflicts takes the field over', async () => {
  const kubectl = await Session.start();
  const apply = (value: string, ...more: string[]): ReturnType<Session['try']> =>
    kubectl.try(['apply', '--server-side', ...more, '-f', '-'], {
      input: configMap('a', { k: value }),
    });
  await apply('1', '--field-manager=one');

  const refused = await apply('2', '--field-manager=two');
  const forced = await apply('2', '--field-manager=two', '--force-conflicts');

  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('conflict with "one": .data.k');
  expect(forced.code).toBe(0);
  expect(kubectl.server.get('v1', 'ConfigMap', 'default', 'a')).toMatchObject({ data: { k: '2' } });
});

test('`kubectl apply --prune` deletes objects that the manifests no longer contain', async () => {
  const kubectl = await Session.start();
  const labelled = (name: string): string =>
    configMap(name, { k: 'v' }).replace(
      `{ name: ${name} }`,
      `{ name: ${name}, labels: { set: x } }`,
    );
  const apply = (input: string): Promise<string> =>
    kubectl.run(
      ['apply', '--prune', '-l', 'set=x', '--prune-allowlist=core/v1/ConfigMap', '-f', '-'],
      { input },
    );

  await apply(`${labelled('a')}\n---\n${labelled('b')}`);
  await apply(labelled('a'));

  const names = kubectl.server.list('v1', 'ConfigMap', 'default').map((one) => one.metadata.name);
  expect(names.filter((name) => name !== 'kube-root-ca.crt')).toEqual(['a']);
});

test('`kubectl apply -k` applies the output of kustomize', async () => {
  const kubectl = await Session.start();
  kubectl.file('deployment.yaml', deployment('web'));
  const kustomization = kubectl.file(
    'kustomization.yaml',
    `
namespace: default
namePrefix: my-
resources: [deployment.yaml]
configMapGenerator:
  - name: settings
    literals: [a=b]
`,
  );

  const printed = await kubectl.run(['apply', '-k', kustomization.replace(/\/[^/]+$/, '')]);

  expect(printed).toMatch(/configmap\/my-settings-\w+ created/);
  expect(printed).toContain('deployment.apps/my-web created');
  expect(kubectl.server.get('apps/v1', 'Deployment', 'default', 'my-web')).toBeDefined();
});

test('`kubectl diff` prints a change and exits with 1, and exits with 0 without a change', async () => {
  const kubectl = await Session.start();
  await kubectl.run(['apply', '-f', '-'], { input: deployment('web') });

  const same = await kubectl.try(['diff', '-f', '-'], { input: deployment('web') });
  const other = await kubectl.try(['diff', '-f', '-'], { input: deployment('web', 5) });

  expect(same).toMatchObject({ code: 0, stdout: '' });
  expect(other.code).toBe(1);
  expect(other.stdout).toContain('-  replicas: 2');
  expect(other.stdout).toContain('+  replicas: 5');
  expect(kubectl.server.get('apps/v1', 'Deployment', 'default', 'web')).toMatchObject({
    spec: { replicas: 2 },
  });
});
