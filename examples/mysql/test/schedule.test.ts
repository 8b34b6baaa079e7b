/** MySQLBackupSchedule. */

import { customResource, eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { CronJob, PersistentVolumeClaim } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { BACKUP, SCHEDULE as SCHEDULE_LABEL } from '../labels.ts';
import type { Instance } from '../resources.ts';
import { CLUSTER, PATIENT, SCHEDULE, type Scene, start, untilReady, VERSION } from './start.ts';

const claim = ({ env, namespace }: Scene, name: string) =>
  env.get<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim', namespace, name);

const backups = ({ env, namespace }: Scene): Promise<readonly Instance[]> =>
  env.list<Instance>(VERSION, 'MySQLBackupInstance', namespace);

/** Of `my-cluster`, and of the same name, as the original's command line makes it. */
const sameName = ({ namespace }: Scene, time: string): KubernetesObject =>
  customResource(VERSION, 'MySQLBackupSchedule', 'my-cluster', {
    namespace,
    spec: { cluster: 'my-cluster', time },
  });

test('acceptance 4, MY10: if the CronJob cannot be created, there is no claim, and a Service of that name is not changed', async () => {
  const scene = await start();
  const { env, namespace } = scene;
  await scene.apply(CLUSTER);
  await untilReady(scene.cluster, 'ReplicasReady');
  const before = await scene.service('my-cluster');
  const spec = { schedule: '0 0 * * *', jobTemplate: job() };
  await env.create(customResource('batch/v1', 'CronJob', 'my-cluster-job', { namespace, spec }));

  await env.create(sameName(scene, '*/5 * * * *'));
  const schedule = await untilReady(() => scene.schedule('my-cluster'), 'NotOwned');
  await env.patch(VERSION, 'MySQLBackupSchedule', namespace, 'my-cluster', {
    spec: { time: 'at noon' },
  });
  // Or the operator may hear of the end of the CronJob first, when the time was still a good one.
  await untilReady(() => scene.schedule('my-cluster'), 'NotOwned');
  await env.delete('batch/v1', 'CronJob', namespace, 'my-cluster-job');
  await env.patch(VERSION, 'MySQLBackupSchedule', namespace, 'my-cluster', {
    spec: { time: 'before noon' },
  });
  await untilReady(() => scene.schedule('my-cluster'), 'Invalid');

  expect(schedule.status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
  expect(await scene.told('NotOwned')).toMatchObject([{ type: 'Warning' }]);
  expect(env.events.history('persistentvolumeclaims', namespace, 'my-cluster')).toEqual([]);
  const after = await scene.service('my-cluster');
  expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  expect(scene.writes().filter((write) => write.startsWith('delete'))).toEqual([]);

  await env.patch(VERSION, 'MySQLBackupSchedule', namespace, 'my-cluster', {
    spec: { time: '0 4 * * *' },
  });
  await untilReady(() => scene.schedule('my-cluster'), 'Scheduled');

  expect((await claim(scene, 'my-cluster'))?.spec?.resources?.requests?.storage).toBe('1Gi');
});

const job = (): { readonly spec: object } => ({
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } },
  },
});

/** As the controller of CronJobs makes a Job of that time. */
async function ring(scene: Scene, name: string, time: string): Promise<void> {
  const { env, namespace } = scene;
  const cron = await env.get<CronJob>('batch/v1', 'CronJob', namespace, 'my-backup-job');
  if (cron === undefined) expect.unreachable('the schedule has made no CronJob');
  const { labels, annotations } = cron.spec.jobTemplate.metadata ?? {};
  const scheduled = `2017-12-14T${time}:00Z`;
  const { uid = '' } = cron.metadata;
  const metadata = {
    namespace,
    ...(labels && { labels }),
    annotations: { ...annotations, 'batch.kubernetes.io/cronjob-scheduled-timestamp': scheduled },
    ownerReferences: [
      { apiVersion: 'batch/v1', kind: 'CronJob', name: 'my-backup-job', uid, controller: true },
    ],
  };
  const { spec } = cron.spec.jobTemplate;
  await env.create(customResource('batch/v1', 'Job', name, { ...metadata, spec }));
}

test('MY1, MY13: a trigger results in one backup, and several missed triggers result in one backup', async () => {
  const scene = await start();
  await scene.apply(SCHEDULE);
  await untilReady(scene.schedule, 'ClusterNotFound');
  await scene.apply(CLUSTER);
  await untilReady(scene.schedule, 'Scheduled');
  await scene.operator.stop();
  await ring(scene, 'ring-1', '01:22');
  await ring(scene, 'ring-2', '01:17');
  const labels = { [SCHEDULE_LABEL]: 'my-backup' };
  const { namespace } = scene;
  await scene.env.create(
    customResource('batch/v1', 'Job', 'other', { namespace, labels, ...job() }),
  );
  scene.startOperator();

  const [made, ...more] = await eventually(async () => {
    const found = await backups(scene);
    return found.length > 0 && found;
  });
  const name = made?.metadata.name ?? '';
  const markOf = async (name: string): Promise<string | undefined> =>
    (await scene.job(name))?.metadata.annotations?.[BACKUP];
  const marks = await eventually(async () => {
    const found = [await markOf('ring-1'), await markOf('ring-2')];
    return found.every((mark) => mark !== undefined) && found;
  });
  await untilReady(() => scene.instance(name), 'Completed');
  await scene.env.delete(VERSION, 'MySQLBackupInstance', scene.namespace, name);
  await eventually(async () => (await scene.instance(name)) === undefined);
  await scene.operator.stop();
  scene.startOperator();
  await eventually(() => scene.operator.ready, PATIENT);
  await scene.idle(); // and has looked at all rings again

  expect(await backups(scene)).toEqual([]);
  expect(more).toEqual([]);
  expect(name).toBe('my-backup-2017-12-14-01-22-00');
  expect(marks).toEqual([name, 'none']);
  expect(await markOf('other')).toBeUndefined();
  expect(made).toMatchObject({
    metadata: { labels: { schedule: 'my-backup', cluster: 'my-cluster' } },
    spec: { schedule: 'my-backup', cluster: 'my-cluster' },
  });
  expect((await scene.schedule())?.status?.lastBackup).toBe(name);
  expect(await scene.cronJob()).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'MySQLBackupSchedule', controller: true }] },
    spec: {
      jobTemplate: { spec: { template: { spec: { automountServiceAccountToken: false } } } },
    },
  });
  await scene.operator.stop();
  const events = await scene.events('Scheduled');
  const told = events.map(({ note }) => note).filter((note) => !note.startsWith('Successfully')); // Pods
  expect(told.toSorted()).toEqual([
    'backups are made at the times of the schedule',
    `the last backup is ${name}`,
  ]);
});

test('the operator waits for the deletion of a foreign claim, and a claim stays when its schedule is deleted', async () => {
  const scene = await start();
  const { env, namespace } = scene;
  await scene.apply(CLUSTER);
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } };
  await env.create(
    customResource('v1', 'PersistentVolumeClaim', 'my-cluster', { namespace, spec }),
  );
  await env.create(sameName(scene, '0 4 * * *'));
  await scene.apply(SCHEDULE);
  await untilReady(() => scene.schedule('my-cluster'), 'NotOwned');
  await untilReady(scene.schedule, 'Scheduled');

  await env.delete(VERSION, 'MySQLBackupSchedule', namespace, 'my-backup');
  await eventually(async () => (await scene.cronJob()) === undefined);

  const foreign = await claim(scene, 'my-cluster');
  expect(foreign?.metadata.labels).toBeUndefined();
  expect(foreign?.spec?.resources?.requests?.storage).toBe('3Gi');
  expect((await claim(scene, 'my-backup'))?.metadata.deletionTimestamp).toBeUndefined();
  await env.delete('v1', 'PersistentVolumeClaim', namespace, 'my-cluster');
  await untilReady(() => scene.schedule('my-cluster'), 'Scheduled');
  expect((await claim(scene, 'my-cluster'))?.spec?.resources?.requests?.storage).toBe('1Gi');
});

test('invalid names, strings that are too long, and later changes of sizes are refused', async () => {
  const scene = await start({ stopped: true });
  const { env, namespace } = scene;
  const create = (kind: string, name: string, time = '0 4 * * *'): Promise<unknown> => {
    const spec = { secret: 's', cluster: 'c', schedule: 's', time };
    return env.create(customResource(VERSION, kind, name, { namespace, spec }));
  };
  await create('MySQLBackupSchedule', 'a'.repeat(36));

  await expect(create('MySQLCluster', '1st')).rejects.toThrow('begins with a letter');
  await expect(create('MySQLCluster', 'a'.repeat(53))).rejects.toThrow('52 characters');
  await expect(create('MySQLBackupSchedule', 'a.b')).rejects.toThrow('DNS label');
  await expect(create('MySQLBackupSchedule', 'a'.repeat(37))).rejects.toThrow('36 characters');
  await expect(create('MySQLBackupInstance', 'a'.repeat(57))).rejects.toThrow('56 characters');
  await expect(create('MySQLBackupSchedule', 'b', ' '.repeat(1_025))).rejects.toThrow('spec.time');
  const later = { spec: { storage: '2Gi' } };
  const patched = env.patch(VERSION, 'MySQLBackupSchedule', namespace, 'a'.repeat(36), later);
  await expect(patched).rejects.toThrow('volumes keep the size');
  const sized = { secret: 's', cluster: 'c', time: '0 4 * * *', storage: '1Gi' };
  await env.create(
    customResource(VERSION, 'MySQLBackupSchedule', 'sized', { namespace, spec: sized }),
  );
  const none = { spec: { storage: null } };
  const unsized = env.patch(VERSION, 'MySQLBackupSchedule', namespace, 'sized', none);
  await expect(unsized).rejects.toThrow('volumes keep the size');
});
