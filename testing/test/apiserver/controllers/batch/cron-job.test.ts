import { expect, test } from 'vitest';
import type { WorkloadOptions } from '../../../../src/apiserver/controllers/workloads.ts';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';
import { type SimulatedCluster, simulatedCluster } from '../simulated-cluster.ts';

const CRON_JOBS = 'cronjobs.batch';
const JOBS = 'jobs.batch';
const MINUTE_MS = 60_000;

/** The clock of the simulated cluster begins at 06:29:57 UTC. */
function cronJob(
  { access }: SimulatedCluster,
  spec: Readonly<Record<string, unknown>> = {},
): StoredObject {
  const containers = [{ name: 'app', image: 'nginx:1.27' }];
  return access.create(CRON_JOBS, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tick', namespace: 'demo' },
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers } } } },
      ...spec,
    },
  } as StoredObject);
}

function cluster(options: WorkloadOptions = {}): SimulatedCluster {
  return simulatedCluster({ podReadyMs: 100, podRunMs: 100, ...options });
}

function jobs({ access }: SimulatedCluster): readonly StoredObject[] {
  return access.list(JOBS, 'demo');
}

function statusOf({ access }: SimulatedCluster): object | undefined {
  return access.get(CRON_JOBS, 'demo', 'tick')?.status as object | undefined;
}

/** When Jobs were made, by the events. */
function made({ events }: SimulatedCluster): readonly (string | undefined)[] {
  return events
    .filter(({ resource, type }) => resource === JOBS && type === 'ADDED')
    .map(({ object }) => object.metadata.creationTimestamp);
}

test('a CronJob creates one Job per scheduled time, and the name of the Job contains the scheduled minute', () => {
  const demo = cluster();
  cronJob(demo);

  demo.clock.advance(2 * MINUTE_MS);

  expect(made(demo)).toEqual(['2026-11-21T06:30:00Z', '2026-11-21T06:31:00Z']);
  const minute = Date.parse('2026-11-21T06:30:00Z') / MINUTE_MS;
  expect(jobs(demo)[0]?.metadata).toMatchObject({
    name: `tick-${minute}`,
    annotations: {
      'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-11-21T06:30:00Z',
    },
    ownerReferences: [{ kind: 'CronJob', name: 'tick', controller: true }],
  });
  expect(statusOf(demo)).toMatchObject({
    lastScheduleTime: '2026-11-21T06:31:00Z',
    lastSuccessfulTime: '2026-11-21T06:31:00Z',
  });
});

test.each([
  ['Europe/Berlin', '30 7 * * *'],
  ['Asia/Kolkata', '0 12 * * *'],
  [undefined, '30 6 * * *'],
])('in the time zone %s, the schedule %s is half past six in UTC', (timeZone, schedule) => {
  const demo = cluster();
  cronJob(demo, { schedule, ...(timeZone === undefined ? {} : { timeZone }) });

  demo.clock.advance(MINUTE_MS);

  expect(made(demo)).toEqual(['2026-11-21T06:30:00Z']);
});

test('a CronJob keeps its time of day when daylight saving time begins or ends', () => {
  const demo = cluster();
  // New York: winter time since 1 November, summer time from 14 March.
  cronJob(demo, { schedule: '0 12 13,14 3 *', timeZone: 'America/New_York' });

  demo.clock.advance(130 * 24 * 60 * MINUTE_MS);

  expect(made(demo)).toEqual(['2027-03-13T17:00:00Z', '2027-03-14T16:00:00Z']);
});

test.each([
  ['Allow', 3],
  ['Forbid', 1],
  ['Replace', 1],
])('with concurrencyPolicy %s, a CronJob has %i Jobs after three minutes in which no Job ends', (concurrencyPolicy, count) => {
  const demo = cluster({ podRunMs: 3_600_000, podStopMs: 100 });
  cronJob(demo, { concurrencyPolicy });

  demo.clock.advance(3 * MINUTE_MS);

  expect(jobs(demo)).toHaveLength(count);
  expect(statusOf(demo)).toMatchObject({
    active: jobs(demo).map(({ metadata: { name } }) => ({ name })),
  });
  const first = made(demo)[0];
  expect(jobs(demo)[0]?.metadata.creationTimestamp === first).toBe(concurrencyPolicy !== 'Replace');
});

test('a suspended CronJob creates no Jobs, and a resumed CronJob creates only one Job, for the last missed time', () => {
  const demo = cluster();
  cronJob(demo, { suspend: true });
  demo.clock.advance(5 * MINUTE_MS);
  const before = made(demo);

  demo.access.patch(CRON_JOBS, 'demo', 'tick', { spec: { suspend: false } });
  demo.clock.advance(1_000);

  expect(before).toEqual([]);
  expect(jobs(demo).map(({ metadata }) => metadata.annotations)).toMatchObject([
    { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-11-21T06:34:00Z' },
  ]);
});

test('no Job is created for a scheduled time that was missed for longer than startingDeadlineSeconds', () => {
  const demo = cluster();
  cronJob(demo, { suspend: true, schedule: '30 * * * *', startingDeadlineSeconds: 120 });
  demo.clock.advance(5 * MINUTE_MS);

  demo.access.patch(CRON_JOBS, 'demo', 'tick', { spec: { suspend: false } });
  demo.clock.advance(1_000);

  expect(made(demo)).toEqual([]);
});

test('a CronJob keeps as many ended Jobs as its history limits allow', () => {
  const demo = cluster();
  cronJob(demo, { successfulJobsHistoryLimit: 2 });

  demo.clock.advance(6 * MINUTE_MS);

  expect(made(demo)).toHaveLength(6);
  expect(jobs(demo).map(({ metadata }) => metadata.creationTimestamp)).toEqual([
    '2026-11-21T06:34:00Z',
    '2026-11-21T06:35:00Z',
  ]);
});

test('a CronJob that is resumed after a year creates one Job, and not half a million', () => {
  const demo = cluster();
  cronJob(demo, { suspend: true });
  demo.clock.advance(365 * 24 * 60 * MINUTE_MS);

  demo.access.patch(CRON_JOBS, 'demo', 'tick', { spec: { suspend: false } });
  demo.clock.advance(1_000);

  expect(made(demo)).toHaveLength(1);
});

test('a CronJob writes Events, and no timer is pending after its deletion', () => {
  const demo = cluster();
  cronJob(demo);
  demo.clock.advance(MINUTE_MS);

  demo.access.delete(CRON_JOBS, 'demo', 'tick');
  demo.clock.advance(1_000);

  const told = demo.access
    .list('events', 'demo')
    .filter(({ source }) => (source as { component?: string }).component === 'cronjob-controller')
    .map(({ reason }) => reason);
  expect(told).toEqual(['SuccessfulCreate', 'SawCompletedJob']);
  expect(jobs(demo)).toEqual([]);
  expect(demo.clock.pending).toBe(0);
});
