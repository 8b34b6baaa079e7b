/** A child that the API server refuses, and what the Prometheus says of it. */
import { ApiError, type ReconcileContext } from 'chancery';
import { expect, test } from 'vitest';
import { reconcile } from '../reconcile.ts';
import type { Prometheus } from '../resources.ts';

test('[real R-1] [real R-3] a refusal by a quota is reported, and retried', async () => {
  const message =
    'secrets "a" is forbidden: exceeded quota: rq, requested: secrets=1, used: secrets=1';
  const stated: object[] = [];
  const told: string[] = [];
  const context = {
    store: () => ({ list: () => [], get: () => undefined }),
    applyOwned: async () => {
      throw new ApiError({ code: 403, reason: 'Forbidden', message });
    },
    setStatus: async (status: object) => stated.push(status),
    event: (_type: string, reason: string) => told.push(reason),
  } as unknown as ReconcileContext<Prometheus>;
  const prometheus = {
    apiVersion: 'example.dev/v1',
    kind: 'Prometheus',
    metadata: { name: 'main', namespace: 'demo', uid: 'u-1' },
    spec: { replicas: 1, version: 'v3.0.0', scrapeInterval: '30s', retention: '1d' },
  } as unknown as Prometheus;

  const next = await reconcile(prometheus, context);

  expect(next).toEqual({ refusal: { kind: 'quota', name: 'rq' } });
  expect(told).toEqual(['Refused']);
  expect(JSON.stringify(stated)).toContain('exceeded quota: rq');
});
