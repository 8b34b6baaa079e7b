/** A HorizontalPodAutoscaler of autoscaling/v1 and of autoscaling/v2 is one object. */
import { expect, test } from 'vitest';
import { startCluster } from '../support/cluster.ts';

const COLLECTION = 'namespaces/default/horizontalpodautoscalers';
const V1 = `/apis/autoscaling/v1/${COLLECTION}`;
const V2 = `/apis/autoscaling/v2/${COLLECTION}`;

const SPEC = {
  scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  minReplicas: 2,
  maxReplicas: 4,
};

function autoscaler(version: string, spec: object): object {
  return {
    apiVersion: `autoscaling/${version}`,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { ...SPEC, ...spec },
  };
}

function cpu(averageUtilization: number): object {
  const target = { type: 'Utilization', averageUtilization };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

test('the CPU target of a v1 autoscaler is a metric in v2', async () => {
  const { send } = await startCluster();

  const created = await send('POST', V1, autoscaler('v1', { targetCPUUtilizationPercentage: 70 }));
  const read = await send('GET', `${V2}/web`);

  expect(created.body).toMatchObject({
    apiVersion: 'autoscaling/v1',
    spec: { ...SPEC, targetCPUUtilizationPercentage: 70 },
  });
  expect(read.body).toMatchObject({
    apiVersion: 'autoscaling/v2',
    metadata: { uid: created.body.metadata.uid },
    spec: { ...SPEC, metrics: [cpu(70)] },
  });
  expect(read.body.spec.targetCPUUtilizationPercentage).toBeUndefined();
});

test('a v2 autoscaler that is read in v1 has only its CPU target', async () => {
  const { send } = await startCluster();
  const memory = { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } };
  const metrics = [{ type: 'Resource', resource: memory }, cpu(60)];

  await send('POST', V2, autoscaler('v2', { metrics }));
  const read = await send('GET', `${V1}/web`);

  expect(read.body.spec).toEqual({ ...SPEC, targetCPUUtilizationPercentage: 60 });
});

test('a write to one version of an autoscaler changes the other version, too', async () => {
  const { send, server } = await startCluster();
  await send('POST', V1, autoscaler('v1', { targetCPUUtilizationPercentage: 70 }));

  const patched = await send('PATCH', `${V2}/web`, { spec: { maxReplicas: 9 } });
  const read = await send('GET', `${V1}/web`);

  expect(patched.status).toBe(200);
  expect(read.body.spec).toMatchObject({ maxReplicas: 9, targetCPUUtilizationPercentage: 70 });
  expect(server.list('autoscaling/v2', 'HorizontalPodAutoscaler')).toHaveLength(1);
});

test('both versions of an autoscaler have the same Table', async () => {
  const { send } = await startCluster();
  await send('POST', V1, autoscaler('v1', { targetCPUUtilizationPercentage: 70 }));
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';

  const first = await send('GET', `${V1}/web`, undefined, { accept });
  const second = await send('GET', `${V2}/web`, undefined, { accept });

  expect(first.body.rows[0].cells).toContain('cpu: <unknown>/70%');
  expect(first.body.columnDefinitions).toEqual(second.body.columnDefinitions);
  expect(first.body.rows[0].cells.slice(0, -1)).toEqual(second.body.rows[0].cells.slice(0, -1));
});
