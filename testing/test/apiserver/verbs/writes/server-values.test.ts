/** Values that the server sets or drops when it stores an object, as v1.36.2 does. */
import { describe, expect, test } from 'vitest';
import { type Answer, startCluster, type TestCluster } from '../../support/cluster.ts';

const CORE = '/api/v1/namespaces/default';
const NETWORK = '/apis/networking.k8s.io/v1/namespaces/default';

const named = (apiVersion: string, kind: string, rest: object, metadata: object = {}): object => ({
  ...{ apiVersion, kind },
  metadata: { name: 'a', ...metadata },
  ...rest,
});

const containers = [{ name: 'c', image: 'i' }];
const pods = (labels?: object): object => ({ metadata: { labels }, spec: { containers } });

function patch({ send }: TestCluster, path: string, body: object, manager = 'm'): Promise<Answer> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  return send('PATCH', `${path}?fieldManager=${manager}`, body, headers);
}

test('a Service that loses its affinity loses what configured it', async () => {
  const cluster = await startCluster();
  const spec = {
    ports: [{ port: 8080 }],
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 30 } },
  };
  await cluster.send('POST', `${CORE}/services`, named('v1', 'Service', { spec }));

  const { status, body } = await patch(cluster, `${CORE}/services/a`, {
    spec: { sessionAffinity: null },
  });

  expect(status).toBe(200);
  expect(body.spec.sessionAffinity).toBe('None');
  expect(body.spec).not.toHaveProperty('sessionAffinityConfig');
});
