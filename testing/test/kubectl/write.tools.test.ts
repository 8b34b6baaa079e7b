/**
 * @module-tag kubectl
 */
import { describe, expect, test } from 'vitest';
import { configMap, deployment, Session } from '../../../test/tools/kubectl-session.ts';

describe('`kubectl create`', () => {
  test('`kubectl create` makes ConfigMaps, Secrets, Namespaces, ServiceAccounts and Roles from flags', async () => {
    const kubectl = await Session.start();

    await kubectl.run(['create', 'configmap', 'settings', '--from-literal=a=b']);
    await kubectl.run(['create', 'secret', 'generic', 'secret', '--from-literal=p=w']);
    await kubectl.run(['create', 'namespace', 'other']);
    await kubectl.run(['create', 'serviceaccount', 'robot']);
    await kubectl.run(['create', 'role', 'reader', '--verb=get,list', '--resource=pods']);
    await kubectl.run([
      'create',
      'rolebinding',
      'b',
      '--role=reader',
      '--serviceaccount=default:robot',
    ]);

    const { server } = kubectl;
    expect(server.get('v1', 'ConfigMap', 'default', 'settings')).toMatchObject({
      data: { a: 'b' },
    });
    expect(server.get('v1', 'Secret', 'default', 'secret')).toMatchObject({
      data: { p: Buffer.from('w').toString('base64') },
      type: 'Opaque',
    });
    expect(server.get('v1', 'Namespace', undefined, 'other')).toBeDefined();
    expect(server.get('v1', 'ServiceAccount', 'default', 'robot')).toBeDefined();
    expect(server.get('rbac.authorization.k8s.io/v1', 'Role', 'default', 'reader')).toMatchObject({
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
    });
    expect(server.get('rbac.authorization.k8s.io/v1', 'RoleBinding', 'default', 'b')).toMatchObject(
      { roleRef: { kind: 'Role', name: 'reader' } },
    );
  });

  test('`kubectl create` and `kubectl run` make workloads from flags', async () => {
    const kubectl = await Session.start();

    await kubectl.run([
      'create',
      'deployment',
      'web',
      '--image=nginx',
      '--replicas=3',
      '--port=80',
    ]);
    await kubectl.run(['create', 'job', 'once', '--image=busybox', '--', 'true']);
    await kubectl.run(['create', 'cronjob', 'daily', '--image=busybox', '--schedule=0 3 * * *']);
    await kubectl.run(['run', 'bare', '--image=nginx']);
    await kubectl.run(['expose', 'deployment', 'web', '--port=80']);

    const { server } = kubectl;
    expect(server.get('apps/v1', 'Deployment', 'default', 'web')).toMatchObject({
      spec: { replicas: 3, template: { spec: { containers: [{ image: 'nginx' }] } } },
    });
    expect(server.get('batch/v1', 'Job', 'default', 'once')).toMatchObject({
      spec: { template: { spec: { containers: [{ command: ['true'] }] } } },
    });
    expect(server.get('batch/v1', 'CronJob', 'default', 'daily')).toMatchObject({
      spec: { schedule: '0 3 * * *' },
    });
    expect(server.get('v1', 'Pod', 'default', 'bare')).toMatchObject({
      spec: { containers: [{ image: 'nginx' }] },
    });
    expect(server.get('v1', 'Service', 'default', 'web')).toMatchObject({
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    });
  });

  test('`kubectl create` refuses an existing object, and stores nothing in a dry run', async () => {
    const kubectl = await Session.start();
    const create = (...more: string[]): ReturnType<Session['try']> =>
      kubectl.try(['create', 'configmap', 'a', '--from-literal=k=v', ...more]);

    const dry = await create('--dry-run=server');
    expect(kubectl.server.get('v1', 'ConfigMap', 'default', 'a')).toBeUndefined();
    await create();
    const again = await create();

    expect(dry.stdout).toBe('configmap/a created (server dry run)\n');
    expect(again.stderr).toContain('configmaps "a" already exists');
  });
});

test('`kubectl edit` stores what the editor has written', async () => {
  const kubectl = await Session.start();
  await kubectl.run(['apply', '-f', '-'], { input: configMap('a', { k: 'before' }) });
  const editor = kubectl.file('editor.sh', '#!/bin/sh\nsed -i s/before/after/ "$1"\n', 0o700);

  const printed = await kubectl.run(['edit', 'configmap/a'], { env: { KUBE_EDITOR: editor } });

  expect(printed).toBe('configmap/a edited\n');
  expect(kubectl.server.get('v1', 'ConfigMap', 'default', 'a')).toMatchObject({
    data: { k: 'after' },
  });
});

test('`kubectl replace` stores the whole object, and refuses an old version', async () => {
  const kubectl = await Session.start();
  await kubectl.run(['create', '-f', '-'], { input: configMap('a', { k: '1' }) });
  const old = await kubectl.run(['get', 'cm', 'a', '-o', 'json']);
  await kubectl.run(['replace', '-f', '-'], { input: configMap('a', { k: '2' }) });

  const stale = await kubectl.try(['replace', '-f', '-'], { input: old });

  expect(stale.code).toBe(1);
  expect(stale.stderr).toContain('the object has been modified');
  expect(kubectl.server.get('v1', 'ConfigMap', 'default', 'a')).toMatchObject({ data: { k: '2' } });
});

describe('`kubectl patch`', () => {
  test.each([
    ['strategic', '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"b"}]}}}}'],
    [
      'json',
      '[{"op":"add","path":"/spec/template/spec/containers/0","value":{"name":"side","image":"b"}}]',
    ],
    [
      'merge',
      '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"b"},{"name":"app","image":"nginx:1.27"}]}}}}',
    ],
  ])('`kubectl patch --type=%s` adds a container', async (type, patch) => {
    const kubectl = await Session.start();
    await kubectl.run(['apply', '-f', '-'], { input: deployment('web') });

    await kubectl.run(['patch', 'deployment/web', `--type=${type}`, '-p', patch]);

    const names = await kubectl.run([
      'get',
      'deployment/web',
      '-o',
      'jsonpath={.spec.template.spec.containers[*].name}',
    ]);
    expect(names).toBe('side app');
  });

  test('[F-9] `kubectl patch --subresource=status` changes only the status', async () => {
    const kubectl = await Session.start();
    await kubectl.run(['apply', '-f', '-'], { input: deployment('web') });

    await kubectl.run([
      'patch',
      'deployment/web',
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"replicas":7},"spec":{"replicas":9}}',
    ]);

    expect(kubectl.server.get('apps/v1', 'Deployment', 'default', 'web')).toMatchObject({
      status: { replicas: 7 },
      spec: { replicas: 2 },
    });
  });
});

test('`kubectl label` and `kubectl annotate` set and remove values, and overwrite a value only with --overwrite', async () => {
  const kubectl = await Session.start();
  await kubectl.run(['apply', '-f', '-'], { input: configMap('a', { k: 'v' }) });
  await kubectl.run(['label', 'cm/a', 'tier=front', 'gone=soon']);
  await kubectl.run(['annotate', 'cm/a', 'note=hello']);

  const refused = await kubectl.try(['label', 'cm/a', 'tier=back']);
  await kubectl.run(['label', 'cm/a', 'tier=back', '--overwrite']);
  await kubectl.run(['label', 'cm/a', 'gone-']);

  expect(refused.stderr).toContain('already has a value (front), and --overwrite is false');
  const { metadata } = kubectl.server.get('v1', 'ConfigMap', 'default', 'a') ?? {};
  expect(metadata?.labels).toEqual({ tier: 'back' });
  expect(metadata?.annotations).toMatchObject({ note: 'hello' });
});

test('`kubectl set image` and `kubectl set env` change the template', async () => {
  const kubectl = await Session.start();
  await kubectl.run(['apply', '-f', '-'], { input: deployment('web') });

  await kubectl.run(['set', 'image', 'deployment/web', 'app=nginx:2']);
  await kubectl.run(['set', 'env', 'deployment/web', 'A=b']);

  expect(kubectl.server.get('apps/v1', 'Deployment', 'default', 'web')).toMatchObject({
    spec: {
      template: { spec: { containers: [{ image: 'nginx:2', env: [{ name: 'A', value: 'b' }] }] } },
    },
  });
});
