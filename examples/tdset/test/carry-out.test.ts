/** What becomes of an answer of the API server that no test cluster gives. */
import { ApiError, objectKey } from 'chancery';
import { expect, test } from 'vitest';
import { carryOut, type Task } from '../carry-out.ts';
import type { TDSet } from '../resource.ts';

/** A TDSet without a Deployment, whose creation is answered so. */
function taskWith(answer: ApiError): Task {
  const set = {
    apiVersion: 'schedule.rs/v1',
    kind: 'TDSet',
    metadata: { name: 'shop', namespace: 'demo', uid: 'u1' },
    spec: { container: { image: 'nginx', port: 80 }, schedulingConfig: [], defaultReplica: 3 },
  } as TDSet;
  const context = {
    store: () => ({ get: () => undefined, byIndex: () => [] }),
    applyOwned: () => Promise.reject(answer),
  } as unknown as Task['context'];
  const plan = { replicas: 3, window: undefined, nextAtMs: undefined };
  return { key: objectKey('demo', 'shop'), set, plan, nowMs: 0, createServices: false, context };
}

test('TD8: a refusal by a quota is reported, and retried after a minute', async () => {
  const message = 'deployments.apps "shop" is forbidden: exceeded quota: small';

  const done = await carryOut(taskWith(new ApiError({ code: 403, reason: 'Forbidden', message })));

  const refusal = { kind: 'quota', name: 'small' };
  expect(done).toMatchObject({ trouble: { reason: 'Refused' }, retry: { refusal } });
  expect(done.trouble?.message).toContain('exceeded quota');
});

test.each([
  ['a server that fails', { code: 500, reason: 'InternalError', message: 'etcdserver: no leader' }],
  ['a lost race', { code: 409, reason: 'Conflict', message: 'the object has been modified' }],
])('TD8: %s is rethrown, and the key is retried with back-off', async (_, status) => {
  const answer = new ApiError(status);

  await expect(carryOut(taskWith(answer))).rejects.toBe(answer);
});
