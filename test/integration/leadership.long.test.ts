/** Replicas of one operator as processes: who writes, and who does not any more. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ConfigMap, Lease } from '../../operator/model/builtin.ts';
import { isWrite, Replicas, TIMING } from '../leadership/replicas.ts';

/** Processes take seconds to start where others use the machine, and leases seconds to expire. */
vi.setConfig({ testTimeout: 120_000 });

/** The writers leave the cores to other tests. */
const CALM = { environment: { WRITER_PAUSE_MS: '40' } };

const LEASE_MS = TIMING.leaseSeconds * 1_000;
const RENEW_DEADLINE_MS = TIMING.renewDeadlineSeconds * 1_000;

async function started(): Promise<Replicas> {
  const replicas = await Replicas.start(CALM);
  onTestFinished(() => replicas[Symbol.asyncDispose]());
  return replicas;
}

function isLease({ resource }: { readonly resource: string }): boolean {
  return resource.startsWith('leases.');
}

/** When `who` took the Lease, after `sinceMs`: at the start both may have tried to make it. */
function takenBy(replicas: Replicas, who: string, sinceMs: number): number {
  const writes = replicas.writesOf(who).filter(({ atMs }) => atMs > sinceMs);
  return writes.find(({ call }) => isLease(call))?.atMs ?? expect.unreachable('nobody took it');
}

/** When the request began that the server has taken last as a renewal, as the holder's wall has it. */
function renewedAt({ server }: Replicas): number {
  const { spec } = server.get('coordination.k8s.io/v1', 'Lease', 'demo', LEASE_NAME) as Lease;
  return Date.parse(spec?.renewTime ?? '');
}

const LEASE_NAME = 'busy-writer-leader';

test('[LE-9] [D-5] if renewals get lost, no write is sent after the deadline, and a hanging process exits before its lease ends', async () => {
  const replicas = await started();
  const leader = await replicas.replica('a', { module: 'hanging-stop.ts' });
  await replicas.until(() => replicas.appliesOf('a').length > 20, 'the leader writes');

  leader.gate = { before: (call) => (isLease(call) ? 'hold' : 'pass') };
  const exit = await leader.exit;
  const goneAt = Date.now();

  const journal = replicas.server.get('v1', 'ConfigMap', 'demo', 'journal-0') as ConfigMap;
  const lastSentAt = Number(journal.data?.sentAt);
  expect(exit).toBe(3);
  expect(lastSentAt - renewedAt(replicas)).toBeLessThanOrEqual(RENEW_DEADLINE_MS);
  expect(lastSentAt - renewedAt(replicas)).toBeGreaterThan(RENEW_DEADLINE_MS / 2);
  expect(goneAt - renewedAt(replicas)).toBeLessThan(LEASE_MS);
});

test('[LE-9] [H61] if the API server stalls, the holder exits before another process leads, and writes nothing later', async () => {
  const replicas = await started();
  const { leader, standby } = await replicas.pair();

  const stalledAt = performance.now();
  leader.gate = { before: () => 'hold' };
  let goneAt = Number.POSITIVE_INFINITY;
  const exit = leader.exit.then((code) => {
    goneAt = performance.now();
    return code;
  });
  await replicas.until(() => replicas.appliesOf(standby.name).length > 0, 'the standby writes');

  const takenAt = takenBy(replicas, standby.name, stalledAt);
  const late = replicas.arrivals.filter(
    ({ who, call, atMs }) => who === leader.name && isWrite(call) && atMs >= takenAt,
  );
  expect(await exit).toBe(3);
  expect(goneAt).toBeLessThan(takenAt);
  expect(late).toEqual([]);
});

test('[LE-11] a writer that blocks its event loop for longer than its lease is refused at its next write', async () => {
  const replicas = await started();
  const leader = await replicas.replica('a', { module: 'blocked-loop.ts' });

  const exit = await leader.exit;

  const lost = { code: 'LEADERSHIP_LOST', layer: 'process' };
  expect(leader.log.find((record) => 'first' in record)).toEqual({ first: lost, second: lost });
  expect(replicas.appliesOf('a')).toHaveLength(1);
  expect(exit).toBe(3);
});

test('[LE-13] [D-5] a leader that is stopped exits with 0, releases the Lease last, and the standby leads at once', async () => {
  const replicas = await started();
  const { leader, standby } = await replicas.pair();

  const askedAt = performance.now();
  leader.kill('SIGTERM');
  const exit = await leader.exit;
  await replicas.until(() => replicas.appliesOf(standby.name).length > 0, 'the standby writes');

  const last = replicas.writesOf(leader.name).at(-1);
  const takenAt = takenBy(replicas, standby.name, askedAt);
  expect(exit).toBe(0);
  expect(last?.call).toMatchObject({ verb: 'update', resource: 'leases.coordination.k8s.io' });
  expect(takenAt - (last?.atMs ?? 0)).toBeGreaterThan(0);
  // Not after the lease: how soon exactly is for a test whose clock is its own.
  expect(takenAt - (last?.atMs ?? 0)).toBeLessThan(LEASE_MS);
  expect(replicas.server.get('coordination.k8s.io/v1', 'Lease', 'demo', LEASE_NAME)).toMatchObject({
    spec: { leaseTransitions: 1 },
  });
});
