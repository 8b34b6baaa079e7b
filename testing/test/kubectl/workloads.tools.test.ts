/**
 * @module-tag kubectl
 */
import { describe, expect, test } from 'vitest';
import { configMap, deployment, Session } from '../../../test/tools/kubectl-session.ts';

async function rolledOut(replicas = 2): Promise<Session> {
  const kubectl = await Session.start({ workloads: { podReadyMs: 20, podStopMs: 20 } });
  await kubectl.run(['apply', '-f', '-'], { input: deployment('web', replicas) });
  await kubectl.run(['rollout', 'status', 'deployment/web', '--timeout=15s']);
  return kubectl;
}

test('`kubectl scale` changes the replicas, and the Pods follow', async () => {
  const kubectl = await rolledOut();

  await kubectl.run(['scale', 'deployment/web', '--replicas=4']);
  const printed = await kubectl.run(['rollout', 'status', 'deployment/web', '--timeout=15s']);

  expect(printed).toContain('successfully rolled out');
  expect(kubectl.server.list('v1', 'Pod', 'default')).toHaveLength(4);
});

test('`kubectl scale` with a wrong --current-replicas is refused', async () => {
  const kubectl = await rolledOut();

  const { code, stderr } = await kubectl.try([
    'scale',
    'deployment/web',
    '--current-replicas=7',
    '--replicas=1',
  ]);

  expect(code).toBe(1);
  expect(stderr).toContain('Expected replicas to be 7, was 2');
});

describe('`kubectl rollout`', () => {
  test('[F-14] `kubectl rollout restart` replaces every Pod, and `kubectl rollout status` waits for it', async () => {
    const kubectl = await rolledOut();
    const uids = (): readonly (string | undefined)[] =>
      kubectl.server.list('v1', 'Pod', 'default').map(({ metadata }) => metadata.uid);
    const before = uids();

    await kubectl.run(['rollout', 'restart', 'deployment/web']);
    const printed = await kubectl.run(['rollout', 'status', 'deployment/web', '--timeout=15s']);

    expect(printed).toContain('deployment "web" successfully rolled out');
    await expect.poll(() => uids().filter((uid) => before.includes(uid))).toEqual([]);
    expect(uids()).toHaveLength(2);
  });

  test('`kubectl rollout undo` restores the previous template, and `kubectl rollout history` lists both templates', async () => {
    const kubectl = await rolledOut();
    const image = (): Promise<string> =>
      kubectl.run([
        'get',
        'deployment/web',
        '-o',
        'jsonpath={.spec.template.spec.containers[0].image}',
      ]);
    await kubectl.run(['set', 'image', 'deployment/web', 'app=nginx:2']);
    await kubectl.run(['rollout', 'status', 'deployment/web', '--timeout=15s']);
    const history = await kubectl.run(['rollout', 'history', 'deployment/web']);

    await kubectl.run(['rollout', 'undo', 'deployment/web']);
    await kubectl.run(['rollout', 'status', 'deployment/web', '--timeout=15s']);

    expect(history).toMatch(/^1 /m);
    expect(history).toMatch(/^2 /m);
    expect(await image()).toBe('nginx:1.27');
  });

  test('`kubectl rollout pause` delays a change until `kubectl rollout resume`', async () => {
    const kubectl = await rolledOut();
    const images = (): ReadonlySet<string> =>
      new Set(
        kubectl.server
          .list('v1', 'Pod', 'default')
          .map((pod) => (pod as unknown as { spec: { containers: { image: string }[] } }).spec)
          .map(({ containers }) => containers[0]?.image ?? ''),
      );
    await kubectl.run(['rollout', 'pause', 'deployment/web']);
    await kubectl.run(['set', 'image', 'deployment/web', 'app=nginx:2']);
    const paused = await kubectl.run([
      'get',
      'deployment/web',
      '-o',
      'jsonpath={.status.conditions[?(@.type=="Progressing")].reason}',
    ]);
    const held = images();

    await kubectl.run(['rollout', 'resume', 'deployment/web']);
    await kubectl.run(['rollout', 'status', 'deployment/web', '--timeout=15s']);

    expect(paused).toBe('DeploymentPaused');
    expect(held).toEqual(new Set(['nginx:1.27']));
    await expect.poll(images).toEqual(new Set(['nginx:2']));
  });
});

describe('`kubectl wait`', () => {
  test('`kubectl wait` waits for a condition, a value and a deletion', async () => {
    const kubectl = await rolledOut();

    const available = await kubectl.run(['wait', '--for=condition=Available', 'deployment/web']);
    const replicas = await kubectl.run([
      'wait',
      '--for=jsonpath={.status.readyReplicas}=2',
      'deployment/web',
      '--timeout=15s',
    ]);
    const ending = kubectl.run(['wait', '--for=delete', 'deployment/web', '--timeout=15s']);
    await kubectl.run(['delete', 'deployment/web', '--wait=false']);

    expect(available).toBe('deployment.apps/web condition met\n');
    expect(replicas).toBe('deployment.apps/web condition met\n');
    expect(await ending).toMatch(/^(deployment.apps\/web condition met\n)?$/);
  });

  test('`kubectl wait` fails after its timeout', async () => {
    const kubectl = await Session.start();
    await kubectl.run(['apply', '-f', '-'], { input: deployment('web') });

    const { code, stderr } = await kubectl.try([
      'wait',
      '--for=condition=Available',
      'deployment/web',
      '--timeout=100ms',
    ]);

    expect(code).toBe(1);
    expect(stderr).toContain('timed out waiting for the condition');
  });
});

describe('`kubectl delete`', () => {
  test.each([
    ['background', 0],
    ['foreground', 0],
    ['orphan', 2],
  ])('after `kubectl delete --cascade=%s` there are %i Pods', async (cascade, left) => {
    const kubectl = await rolledOut();

    await kubectl.run(['delete', 'deployment/web', `--cascade=${cascade}`, '--timeout=15s']);

    expect(kubectl.server.get('apps/v1', 'Deployment', 'default', 'web')).toBeUndefined();
    await expect
      .poll(() => kubectl.server.list('apps/v1', 'ReplicaSet', 'default').length)
      .toBe(left === 0 ? 0 : 1);
    await expect.poll(() => kubectl.server.list('v1', 'Pod', 'default').length).toBe(left);
  });

  test('`kubectl delete` can delete objects by selector, and all objects of a kind', async () => {
    const kubectl = await Session.start();
    const input = ['a', 'b', 'c'].map((name) => configMap(name, { k: name })).join('\n---\n');
    await kubectl.run(['apply', '-f', '-'], { input });
    await kubectl.run(['label', 'cm/b', 'pick=me']);

    const picked = await kubectl.run(['delete', 'cm', '-l', 'pick=me']);
    await kubectl.run(['delete', 'cm', '--all']);

    expect(picked).toBe('configmap "b" deleted\n');
    const left = kubectl.server.list('v1', 'ConfigMap', 'default');
    expect(left.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')).toEqual([]);
  });

  test('`kubectl delete --force` removes a Pod at once, and a namespace is deleted with its contents', async () => {
    const kubectl = await Session.start({ workloads: { podReadyMs: 20, podStopMs: 20 } });
    await kubectl.run(['create', 'namespace', 'short']);
    await kubectl.run(['run', 'bare', '--image=nginx', '-n', 'short']);
    await kubectl.run(['create', 'configmap', 'a', '-n', 'short']);

    await kubectl.run(['delete', 'pod/bare', '-n', 'short', '--force', '--grace-period=0']);
    const pods = kubectl.server.list('v1', 'Pod', 'short');
    await kubectl.run(['delete', 'namespace', 'short', '--timeout=15s']);

    expect(pods).toEqual([]);
    expect(kubectl.server.get('v1', 'Namespace', undefined, 'short')).toBeUndefined();
    expect(kubectl.server.list('v1', 'ConfigMap', 'short')).toEqual([]);
  });
});

test('`kubectl describe` prints an object, its Pods and its Events', async () => {
  const kubectl = await rolledOut();

  const described = await kubectl.run(['describe', 'deployment/web']);
  const pod = await kubectl.run(['describe', 'pod', '-l', 'app=web']);

  expect(described).toContain('2 desired | 2 updated | 2 total | 2 available | 0 unavailable');
  expect(described).toMatch(
    /Normal +ScalingReplicaSet .*Scaled up replica set web-\S+ (from 0 )?to 2/,
  );
  expect(pod).toMatch(/Controlled By: +ReplicaSet\/web-/);
});

test('`kubectl events` lists the Events of controllers, for all objects or for one object', async () => {
  const kubectl = await rolledOut();

  const all = await kubectl.run(['events']);
  const some = await kubectl.run(['events', '--for', 'deployment/web']);

  expect(all).toContain('SuccessfulCreate');
  expect(some).toMatch(/LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n/);
  expect(some).toContain('ScalingReplicaSet');
  expect(some).not.toContain('SuccessfulCreate');
});
