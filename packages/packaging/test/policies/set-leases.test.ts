/** An operator whose replicas share the work writes the Leases of its own set, and no others. */
import type { TestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { policyObjects } from '../../src/command.ts';
import { typeProblems } from './checked-policy.ts';
import { DECLARED, OPTIONS, send, startGarden, type Uids } from './garden.ts';
import { goodWrites } from './good-writes.ts';
import { BEFORE, GOOD, hostileLeases, SHARED } from './set-leases.ts';

async function start(bound: boolean): Promise<{ env: TestEnv; uids: Uids }> {
  const garden = await startGarden(bound, undefined, SHARED);
  onTestFinished(() => garden.env.stop());
  await garden.env.apply(BEFORE);
  return garden;
}

test('[admission 1] the rules for Leases of a set of replicas type-check in the API server', async () => {
  const policies = (await policyObjects(DECLARED, SHARED)).filter(
    ({ kind }) => kind === 'ValidatingAdmissionPolicy',
  );

  expect(policies.flatMap(typeProblems)).toEqual([]);
});

test('[A-15] sharded replicas cannot write Leases of another set, and cannot add fields to the Leases of their set', async () => {
  const { env, uids } = await start(true);
  const leases = () => env.list('coordination.k8s.io/v1', 'Lease', undefined);
  const before = await leases();

  const passed: string[] = [];
  for (const write of hostileLeases(uids)) {
    const { status, message } = await send(env, write);
    const isDenied = status === 403 && message.includes('ValidatingAdmissionPolicy');
    if (!isDenied) passed.push(`${write.title}: ${status} ${message.slice(0, 200)}`);
  }

  expect(passed).toEqual([]);
  expect(await leases()).toEqual(before);
});

test('without the policies, each of the hostile Lease writes is allowed', async () => {
  const { env, uids } = await start(false);

  const forbidden: string[] = [];
  for (const write of hostileLeases(uids)) {
    const { status, message } = await send(env, write, { dryRun: 'All' });
    if (status === 403 || status === 404) forbidden.push(`${write.title}: ${status} ${message}`);
  }

  expect(forbidden).toEqual([]);
});

test('[A-15] the policies allow the Lease writes of sharded replicas, and all other writes of the operator', async () => {
  const { env, uids } = await start(true);
  await env.delete('v1', 'ConfigMap', 'yard', 'tools');

  const refused: string[] = [];
  const others = goodWrites(uids).filter(({ title }) => title !== 'creates its Lease');
  for (const write of [...GOOD, ...others]) {
    const { status, message } = await send(env, write);
    if (status >= 300) refused.push(`${write.title}: ${status} ${message.slice(0, 500)}`);
  }

  expect(refused).toEqual([]);
});

test('without `--shards` the policies allow no writes of group Leases, whatever their labels are', async () => {
  const { env } = await startGarden(true, undefined, OPTIONS);
  onTestFinished(() => env.stop());
  await env.apply(BEFORE);

  const statuses: number[] = [];
  for (const write of GOOD) statuses.push((await send(env, write)).status);

  expect(new Set(statuses)).toEqual(new Set([403]));
});

test('if no Lease name is set, the set of replicas has the name of the first controller', async () => {
  const { leaderElection } = SHARED;
  const placed = { ...SHARED, leaderElection: { namespace: 'yard', sharded: true } };
  const named = { ...SHARED, leaderElection: { ...leaderElection, leaseName: 'garden-leader' } };

  expect(await policyObjects(DECLARED, placed)).toEqual(
    await policyObjects(DECLARED, named as typeof SHARED),
  );
});
