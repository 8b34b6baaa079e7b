/** The plan upgrade: the Job first, then the image, and never the Job again. */

import { consistently, eventually } from '@chancery/testing';
import type { Service, StatefulSet } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { conditionOf, type DbPlace, isReady, planOf, startDb } from './place.ts';

const version = (text: string) => ({ version: text, image: `postgres:${text}` });
const db = (text: string) => ({
  apiVersion: 'example.dev/v1',
  kind: 'SampleDB',
  metadata: { name: 'orders' },
  spec: { ...version(text), storage: { size: '1Gi' }, upgrade: { command: ['pg_upgrade'] } },
});

const imageOf = async (place: DbPlace) => {
  const set = await place.get<StatefulSet>('apps/v1', 'StatefulSet', 'orders');
  return set?.spec.template.spec?.containers[0]?.image;
};

async function running(): Promise<DbPlace> {
  const place = await startDb();
  await place.apply([db('16.9')]);
  await place.until(isReady);
  return place;
}

const change = ({ env, namespace }: DbPlace, spec: object) =>
  env.patch('example.dev/v1', 'SampleDB', namespace, 'orders', { spec });

const madeJobs = ({ env, namespace }: DbPlace) =>
  env.events.of({ type: 'ADDED', resource: 'jobs.batch', namespace }).map(({ name }) => name);

test('acceptance 5: for a higher version, the upgrade Job runs first, and then the image changes', async () => {
  const place = await running();

  await change(place, version('17.1'));
  const job = await place.job(/^orders-upgrade-16-9-17-1$/);
  await consistently(async () => (await imageOf(place)) === 'postgres:16.9');
  const during = await place.until((live) => live.status?.phase === 'Upgrading');
  await place.end(job, 'Complete');
  const after = await place.until(
    (live) => planOf(live, 'upgrade') === 'COMPLETE' && isReady(live),
  );

  expect(during.status?.version).toBe('16.9');
  expect(after.status).toMatchObject({ version: '17.1', phase: 'Running' });
  expect(await imageOf(place)).toBe('postgres:17.1');
  expect(madeJobs(place)).toEqual(['orders-upgrade-16-9-17-1']);
});

test('acceptance 5, SD2: after a crash between the end of the Job and the change of the image, no second Job runs', async () => {
  const place = await running();
  await change(place, version('17.1'));
  const job = await place.job(/^orders-upgrade/);

  await place.operator.kill();
  await place.end(job, 'Complete');
  const between = await imageOf(place);
  place.startOperator();
  await place.until((live) => planOf(live, 'upgrade') === 'COMPLETE');
  await place.operator.kill();
  await place.env.delete('batch/v1', 'Job', place.namespace, job.metadata.name);
  place.startOperator(); // what has been done is known without the Job as well
  await change(place, { replicas: 2, port: 5433 });
  await place.until((live) => isReady(live) && live.status?.replicas === 2);

  const service = await place.get<Service>('v1', 'Service', 'orders');
  expect(service?.spec?.ports).toMatchObject([{ port: 5433, targetPort: 'database' }]);
  const set = await place.get<StatefulSet>('apps/v1', 'StatefulSet', 'orders');
  expect(set?.spec.template.spec?.containers[0]?.ports).toMatchObject([{ containerPort: 5433 }]);
  expect(between).toBe('postgres:16.9');
  expect(await imageOf(place)).toBe('postgres:17.1');
  expect(madeJobs(place)).toEqual(['orders-upgrade-16-9-17-1']);
});

test("if the version is raised again during an upgrade, the second upgrade waits and starts from the data's version", async () => {
  const place = await running();
  await change(place, version('17.1'));
  const first = await place.job(/^orders-upgrade-16-9-17-1$/);

  await change(place, version('18.0'));
  await consistently(() => madeJobs(place).length === 1);
  await place.end(first, 'Complete');
  await place.end(await place.job(/^orders-upgrade-17-1-18-0$/), 'Complete');
  await place.until((live) => live.status?.version === '18.0' && isReady(live));

  const images = () =>
    place.env.events
      .history('statefulsets.apps', place.namespace, 'orders')
      .map((set) => (set as StatefulSet).spec.template.spec?.containers[0]?.image);
  await eventually(() => images().at(-1) === 'postgres:18.0'); // the status may be a write ahead
  expect([...new Set(images())]).toEqual(['postgres:16.9', 'postgres:18.0']);
});

test('the image stays unchanged if the Job fails, and a lower version is refused', async () => {
  const place = await running();

  await change(place, version('17.1'));
  await place.end(await place.job(/^orders-upgrade/), 'Failed');
  const failed = await place.until((live) => planOf(live, 'upgrade') === 'FATAL_ERROR');
  await change(place, version('16.2'));
  const lowered = await place.until((live) => live.status?.phase === 'Invalid');
  const events = await place.told('DowngradeRefused');

  expect(conditionOf(failed, 'Ready')).toMatchObject({ status: 'False', reason: 'JobFailed' });
  expect(conditionOf(lowered, 'Ready')?.reason).toBe('DowngradeRefused');
  expect(events).toMatchObject([{ type: 'Warning' }]);
  expect(await imageOf(place)).toBe('postgres:16.9');
});
