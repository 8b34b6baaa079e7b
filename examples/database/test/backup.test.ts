/** The plan backup: at its times, one that was missed is caught up with, and the oldest goes. */
import { consistently, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { conditionOf, type DbPlace, isReady, planOf, startDb } from './place.ts';

const db = (spec: object = {}) => ({
  apiVersion: 'example.dev/v1',
  kind: 'SampleDB',
  metadata: { name: 'orders' },
  spec: {
    image: 'postgres:17.1',
    storage: { size: '1Gi' },
    backup: { schedule: '*/5 * * * *', retention: 2, command: ['pg_dump'] },
    ...spec,
  },
});

const backups = async (place: DbPlace): Promise<readonly string[]> => {
  const jobs = await place.jobs('backup');
  return jobs.map(({ metadata }) => metadata.name.replace('orders-backup-', '')).toSorted();
};

/** Lets minutes pass for the operator, a little at a time, so that no request runs into its limit. */
async function pass(place: DbPlace, clock: FakeClock, minutes: number): Promise<void> {
  for (let second = 0; second < minutes * 60; second += 5) {
    await place.idle();
    await clock.advanceAndSettle(5_000);
  }
}

test('acceptance 4, SD4: one backup is made at a due time, and one for several missed times, and the oldest backup is deleted', async () => {
  const clock = new FakeClock(Date.parse('2030-01-01T11:59:30Z'));
  const place = await startDb({ clock });
  await place.apply([db()]);
  await place.until(isReady);
  await place.until(({ status }) => status?.backup?.next === '2030-01-01T12:00:00Z');

  await pass(place, clock, 1);
  const first = await place.job(/-backup-203001011200$/);
  await place.end(first, 'Complete');
  await place.until((live) => planOf(live, 'backup') === 'COMPLETE');
  await place.operator.kill();
  clock.advance(12 * 60_000); // over 12:05 and 12:10
  place.startOperator();
  await place.end(await place.job(/-backup-203001011210$/), 'Complete');
  await place.until((live) => live.status?.backup?.since === '2030-01-01T12:10:00Z');
  const caughtUp = await backups(place);
  await pass(place, clock, 3);
  await place.end(await place.job(/-backup-203001011215$/), 'Complete');
  const kept = await place.soon(async () => {
    const found = await backups(place);
    return found.length === 2 && found;
  });

  expect(caughtUp).toEqual(['203001011200', '203001011210']);
  expect(kept).toEqual(['203001011210', '203001011215']);
  const { env, namespace } = place;
  const added = env.events.of({ type: 'ADDED', resource: 'jobs.batch', namespace });
  expect(added).toHaveLength(3);
});

test('SD4: a time far in the future in the status does not stop backups', async () => {
  const place = await startDb({ stopped: true });
  const { env, namespace } = place;
  const backup = { schedule: '*/5 * * * * Etc/UTC', since: '2999-01-01T00:00:00Z' };
  const plans = {};
  const status = { phase: '', replicas: 0, readyReplicas: 0, selector: '', backup, plans };
  await place.apply([db()]);
  await env.patch('example.dev/v1', 'SampleDB', namespace, 'orders', { status }, 'status');

  place.startOperator();
  const live = await place.until((one) => one.status?.backup?.since !== backup.since);

  const since = Date.parse(live.status?.backup?.since ?? '');
  expect(Date.now() - since).toBeLessThan(300_000);
});

test('SD4: a backup made just before the operator was killed is not made again', async () => {
  const clock = new FakeClock(Date.parse('2030-01-01T11:59:30Z'));
  const place = await startDb({ clock });
  await place.apply([db()]);
  const { status } = await place.until(
    (live) => isReady(live) && live.status?.backup !== undefined,
  );
  await pass(place, clock, 1);
  await place.job(/-backup-203001011200$/);

  await place.operator.kill();
  const before = { status: { backup: status?.backup } }; // as if it had not come to write it
  const { env, namespace } = place;
  await env.patch('example.dev/v1', 'SampleDB', namespace, 'orders', before, 'status');
  place.startOperator();
  await place.until((live) => live.status?.backup?.since === '2030-01-01T12:00:00Z');

  expect(await backups(place)).toEqual(['203001011200']);
  expect(env.events.of({ type: 'ADDED', resource: 'jobs.batch', namespace })).toHaveLength(1);
});

test('no backup starts while another one runs, and a failed backup does not delete a good backup', async () => {
  const clock = new FakeClock(Date.parse('2030-01-01T11:59:30Z'));
  const place = await startDb({ clock });
  await place.apply([db({ backup: { schedule: '*/5 * * * *', retention: 1, command: ['x'] } })]);
  await place.until((live) => isReady(live) && live.status?.backup !== undefined);
  await pass(place, clock, 1);
  const slow = await place.job(/-backup-203001011200$/);

  await pass(place, clock, 10);
  await place.until(({ status }) => status?.backup?.next === '2030-01-01T12:15:00Z');
  const during = await backups(place);
  await place.end(slow, 'Complete');
  await place.end(await place.job(/-backup-203001011210$/), 'Failed');
  const failed = await place.until((live) => planOf(live, 'backup') === 'FATAL_ERROR');
  const events = await place.told('BackupFailed');

  expect(during).toEqual(['203001011200']);
  expect(await backups(place)).toEqual(['203001011200', '203001011210']);
  expect(isReady(failed)).toBe(true);
  expect(events).toMatchObject([{ type: 'Warning' }]);
});

test('SD5: an invalid schedule or time zone causes a condition and an Event, and no other write', async () => {
  const place = await startDb();
  const backup = { schedule: '61 * * * *', command: ['x'] };

  await place.apply([db({ backup })]);
  const live = await place.until((one) => conditionOf(one, 'Ready') !== undefined);
  const events = await place.told('InvalidSchedule');
  await consistently(() => new Set(place.writes()).size === 2);
  const wrong = { spec: { backup: { schedule: '@daily', timeZone: 'Europe/Atlantis' } } };
  await place.env.patch('example.dev/v1', 'SampleDB', place.namespace, 'orders', wrong);
  const second = await place.until((one) => conditionOf(one, 'Ready') !== undefined);
  const mended = { spec: { backup: { timeZone: 'Europe/Berlin' } } };
  await place.env.patch('example.dev/v1', 'SampleDB', place.namespace, 'orders', mended);

  expect(conditionOf(live, 'Ready')).toMatchObject({ status: 'False', reason: 'InvalidSchedule' });
  expect(conditionOf(second, 'Ready')?.message).toContain('Europe/Atlantis');
  expect(events).toMatchObject([{ type: 'Warning' }]);
  expect([...new Set(place.writes())].slice(0, 2)).toEqual([
    'patch sampledbs.example.dev',
    'patch sampledbs.example.dev status',
  ]);
  await place.until(isReady);
});
