/** What RBAC lets an operator write, and its policies do not. */
import type { TestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { send, startGarden, type Uids } from './garden.ts';
import { goodWrites } from './good-writes.ts';
import { hostileWrites } from './hostile-writes.ts';

async function start(bound: boolean): Promise<{ env: TestEnv; uids: Uids }> {
  const garden = await startGarden(bound);
  onTestFinished(() => garden.env.stop());
  return garden;
}

const KINDS = [
  ['v1', 'ConfigMap'],
  ['v1', 'PersistentVolumeClaim'],
  ['v1', 'Pod'],
  ['v1', 'Secret'],
  ['v1', 'Service'],
  ['apps/v1', 'ControllerRevision'],
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['coordination.k8s.io/v1', 'Lease'],
  ['events.k8s.io/v1', 'Event'],
  ['example.dev/v1', 'Bed'],
  ['example.dev/v1', 'Garden'],
  ['networking.k8s.io/v1', 'Ingress'],
] as const;

/** All objects of the kinds that are attacked, in every namespace. */
async function contents(env: TestEnv): Promise<readonly unknown[]> {
  return Promise.all(KINDS.map(([apiVersion, kind]) => env.list(apiVersion, kind, undefined)));
}

test('[security 16] [A-15] [admission 3] the policies refuse each of more than 200 hostile writes that RBAC allows, and no object changes', async () => {
  const { env, uids } = await start(true);
  const writes = hostileWrites(uids);
  const before = await contents(env);

  const passed: string[] = [];
  for (const write of writes) {
    const { status, message } = await send(env, write);
    const isDenied = status === 403 && message.includes('ValidatingAdmissionPolicy');
    if (!isDenied) passed.push(`${write.title}: ${status} ${message.slice(0, 200)}`);
  }

  expect(passed).toEqual([]);
  expect(writes.length).toBeGreaterThan(200);
  expect(new Set(writes.map(({ title }) => title)).size).toBe(writes.length);
  expect(await contents(env)).toEqual(before);
});

test('without the policies, each of the hostile writes is allowed, so it is not RBAC that refuses them', async () => {
  const { env, uids } = await start(false);

  const forbidden: string[] = [];
  for (const write of hostileWrites(uids)) {
    const { status, message } = await send(env, write, { dryRun: 'All' });
    if (status === 403 || status === 404 || status === 405) {
      forbidden.push(`${write.title}: ${status} ${message.slice(0, 200)}`);
    }
  }

  expect(forbidden).toEqual([]);
});

test("[security 16] [A-15] [admission 3] the policies allow the operator's own writes: children, status, finalizers, revisions, attachments, Lease and Events", async () => {
  const { env, uids } = await start(true);
  await env.delete('coordination.k8s.io/v1', 'Lease', 'yard', 'gardener-leader');
  await env.delete('v1', 'ConfigMap', 'yard', 'tools');

  const refused: string[] = [];
  for (const write of goodWrites(uids)) {
    const { status, message } = await send(env, write);
    if (status >= 300) refused.push(`${write.title}: ${status} ${message.slice(0, 500)}`);
  }

  expect(refused).toEqual([]);
});
