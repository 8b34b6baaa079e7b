import { describe, expect, test } from 'vitest';
import { eventually } from '../../../src/time/eventually.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const PODS = '/api/v1/namespaces/guarded/pods';
const SAFE = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const SAFE_POD = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };

async function guarded(level: string, options: object = {}): Promise<TestCluster> {
  const cluster = await startCluster(options);
  const labels = { 'pod-security.kubernetes.io/enforce': level };
  await cluster.send('POST', '/api/v1/namespaces', { metadata: { name: 'guarded', labels } });
  return cluster;
}

const pod = (container: object = {}, spec: object = {}): object => ({
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'nginx:1', ...container }], ...spec },
});

describe('[F-17] Pod Security', () => {
  test('a restricted namespace refuses a plain Pod with the message of Kubernetes', async () => {
    const { send } = await guarded('restricted');

    const { status, body } = await send('POST', PODS, pod());

    expect([status, body.reason, body.details]).toEqual([
      403,
      'Forbidden',
      { name: 'p', kind: 'pods' },
    ]);
    expect(body.message).toBe(
      'pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
  });

  test.each([
    ['restricted', pod({ securityContext: SAFE }, { securityContext: SAFE_POD })],
    ['restricted', pod({ securityContext: { ...SAFE, ...SAFE_POD } })],
    ['baseline', pod()],
    ['privileged', pod({ securityContext: { privileged: true } })],
  ])('a namespace of level %s accepts a Pod that complies with this level', async (level, object) => {
    const { send } = await guarded(level);

    const { status } = await send('POST', PODS, object);

    expect(status).toBe(201);
  });

  test.each([
    [
      pod({ securityContext: { privileged: true } }),
      'privileged (container "c" must not set securityContext.privileged=true)',
    ],
    [
      pod({}, { hostNetwork: true, hostPID: true }),
      'host namespaces (hostNetwork=true, hostPID=true)',
    ],
    [
      pod({}, { volumes: [{ name: 'v', hostPath: { path: '/x' } }] }),
      'hostPath volumes (volume "v")',
    ],
    [
      pod({ ports: [{ containerPort: 80, hostPort: 80 }] }),
      'hostPort (container "c" uses hostPort 80)',
    ],
    [
      pod({ securityContext: { capabilities: { add: ['NET_ADMIN', 'CHOWN'] } } }),
      'non-default capabilities (container "c" must not include "NET_ADMIN" in securityContext.capabilities.add)',
    ],
  ])('a namespace of level baseline refuses a Pod with access to the node: %#', async (object, violation) => {
    const { send } = await guarded('baseline');

    const { status, body } = await send('POST', PODS, object);

    expect([status, body.message]).toEqual([
      403,
      `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${violation}`,
    ]);
  });

  test.each([
    [
      pod({ securityContext: { ...SAFE, runAsUser: 0 } }, { securityContext: SAFE_POD }),
      'runAsUser=0 (container "c" must not set runAsUser=0)',
    ],
    [
      pod({ securityContext: { ...SAFE, runAsNonRoot: false } }, { securityContext: SAFE_POD }),
      'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
    ],
    [
      pod(
        { securityContext: SAFE },
        { securityContext: SAFE_POD, volumes: [{ name: 'v', nfs: { server: 's', path: '/' } }] },
      ),
      'restricted volume types (volume "v" uses restricted volume type "nfs")',
    ],
  ])('a namespace of level restricted reports only the actual violations: %#', async (object, violation) => {
    const { send } = await guarded('restricted');

    const { body } = await send('POST', PODS, object);

    expect(body.message).toBe(
      `pods "p" is forbidden: violates PodSecurity "restricted:latest": ${violation}`,
    );
  });

  test('Pod Security accepts a Deployment but refuses its Pods, until the namespace loses the label', async () => {
    const { send, server } = await guarded('restricted', { workloads: {} });
    const created = await send('POST', '/apis/apps/v1/namespaces/guarded/deployments', {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
        },
      },
    });
    const sets = '/apis/apps/v1/namespaces/guarded/replicasets';
    await eventually(async () => {
      const { body } = await send('GET', sets);
      return body.items[0]?.status.conditions?.[0].reason === 'FailedCreate';
    });
    const { body } = await send('GET', PODS);
    server.patch('v1', 'Namespace', undefined, 'guarded', {
      metadata: { labels: { 'pod-security.kubernetes.io/enforce': null } },
    });

    const unlabelled = await send('POST', PODS, pod());

    expect([created.status, body.items, unlabelled.status]).toEqual([201, [], 201]);
  });
});
