/** MySQLBackupInstance. */

import { consistently, customResource, eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import type { Setup } from '../../testing/place.ts';
import { REMOVES } from '../labels.ts';
import { CLUSTER, SCHEDULE, type Scene, start, untilReady, VERSION } from './start.ts';

const KIND = 'MySQLBackupInstance';

/** A cluster and a schedule. */
async function startWithSchedule(setup: Partial<Setup> = {}): Promise<Scene> {
  const scene = await start(setup);
  await scene.apply(CLUSTER);
  await scene.apply(SCHEDULE);
  await untilReady(scene.schedule, 'Scheduled');
  return scene;
}

/** A Job never ends by itself. */
const ENDLESS = { workloads: { podReadyMs: 5, podStopMs: 5, podRunMs: 3_600_000 } };

interface StartedJob extends KubernetesObject {
  readonly status?: { readonly startTime?: string };
}

/** As its controller would, when its Pods have failed too often. */
const fail = async ({ env, namespace }: Scene, name: string): Promise<unknown> => {
  // The API server lets no Job end that has not begun, or that has active Pods.
  await eventually(async () => {
    const { status } = (await env.get<StartedJob>('batch/v1', 'Job', namespace, name)) ?? {};
    return status?.startTime !== undefined;
  });
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const times = { lastProbeTime: now, lastTransitionTime: now, reason: 'BackoffLimitExceeded' };
  const conditions = ['FailureTarget', 'Failed'].map((type) => ({
    type,
    status: 'True',
    ...times,
  }));
  const status = { conditions, active: null, ready: null, terminating: null };
  return env.patch('batch/v1', 'Job', namespace, name, { status }, 'status');
};

test('acceptance 5, MY11, MY12: if backups are deleted while the operator is down, their data are removed afterwards', async () => {
  const scene = await startWithSchedule();
  const { env, namespace } = scene;
  await scene.backUp('b1');
  await untilReady(() => scene.instance('b1'), 'Completed');
  expect(await scene.job('b1-delete')).toBeUndefined();
  await scene.operator.kill();

  await env.delete(VERSION, KIND, namespace, 'b1');
  expect((await scene.instance('b1'))?.metadata.deletionTimestamp).toBeDefined();
  scene.startOperator();
  await eventually(async () => (await scene.instance('b1')) === undefined);
  await eventually(async () => (await scene.job('b1-delete')) === undefined);
  await eventually(async () => (await scene.job('b1-create')) === undefined);

  const history = env.events.history('jobs.batch', namespace, 'b1-delete');
  expect(history[0]).toMatchObject({
    spec: {
      template: {
        spec: {
          automountServiceAccountToken: false,
          containers: [{ env: [{ name: 'BACKUP', value: 'b1' }] }],
          volumes: [{ persistentVolumeClaim: { claimName: 'my-backup' } }],
        },
      },
    },
  });
  const ends = history.map((object) => JSON.stringify(object).includes('"Complete"'));
  expect(ends).toContain(true);
});

test('MY13: the phases of a backup follow its Job, as in the original operator, and the Job has no credentials', async () => {
  const scene = await startWithSchedule(ENDLESS);
  const { env, namespace } = scene;
  const b1 = () => scene.instance('b1');
  await scene.backUp('b1');
  const started = await untilReady(b1, 'Started');
  const job = await scene.job('b1-create');
  await fail(scene, 'b1-create');
  const failed = await untilReady(b1, 'Failed');

  expect(started.status?.phase).toBe('Started');
  expect(started.metadata.finalizers).toEqual([`${VERSION.slice(0, -3)}/backup-data`]);
  expect(job).toMatchObject({
    metadata: { ownerReferences: [{ kind: KIND, controller: true }] },
    spec: { template: { spec: { automountServiceAccountToken: false } } },
  });
  expect(failed.status?.phase).toBe('Failed');
  expect(await scene.told('Failed')).toMatchObject([{ type: 'Warning' }]);

  await env.delete('batch/v1', 'Job', namespace, 'b1-create');
  await eventually(async () => (await scene.job('b1-create')) === undefined);
  await consistently(async () => (await scene.job('b1-create')) === undefined);
  expect((await b1())?.status?.phase).toBe('Failed');
});

test('a failed removal is reported and retried, and a running backup is stopped first', async () => {
  const scene = await startWithSchedule(ENDLESS);
  const { env, namespace } = scene;
  await scene.backUp('b1');
  await untilReady(() => scene.instance('b1'), 'Started');

  await env.delete(VERSION, KIND, namespace, 'b1');
  const first = await eventually(() => scene.job('b1-delete'));
  expect(await scene.job('b1-create')).toBeUndefined();
  await fail(scene, 'b1-delete');
  await untilReady(() => scene.instance('b1'), 'DeletionFailed');
  await env.delete('batch/v1', 'Job', namespace, 'b1-delete');
  await eventually(async () => {
    const next = await scene.job('b1-delete');
    return next !== undefined && next.metadata.uid !== first.metadata.uid;
  });
  expect(await scene.told('DeletionFailed')).toMatchObject([{ type: 'Warning' }]);

  const annotations = { [`${VERSION.slice(0, -3)}/keep-data`]: 'true' };
  await env.patch(VERSION, KIND, namespace, 'b1', { metadata: { annotations } });
  await eventually(async () => (await scene.instance('b1')) === undefined);
  expect(await scene.job('b1-delete')).toBeUndefined();
});

test('a foreign Job with the same name is not changed, and the operator waits for its deletion', async () => {
  const scene = await startWithSchedule();
  const { env, namespace } = scene;
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } };
  const job = (name: string, labels = {}): Promise<KubernetesObject> =>
    env.create(
      customResource('batch/v1', 'Job', name, {
        namespace,
        labels,
        spec: { suspend: true, template },
      }),
    );
  const untouched = async (name: string): Promise<unknown> => {
    const { metadata } = (await scene.job(name)) ?? {};
    return metadata?.deletionTimestamp === undefined && metadata?.uid;
  };
  const create = await job('b1-create');
  const remove = await job('b1-delete');
  await job('b2-delete', { [REMOVES]: 'of-an-earlier-backup' });

  await scene.backUp('b1');
  await untilReady(() => scene.instance('b1'), 'NotOwned');
  expect(await untouched('b1-create')).toBe(create.metadata.uid);
  await env.delete('batch/v1', 'Job', namespace, 'b1-create');
  await untilReady(() => scene.instance('b1'), 'Completed');
  await env.delete(VERSION, KIND, namespace, 'b1');
  await untilReady(() => scene.instance('b1'), 'NotOwned');
  expect(await untouched('b1-delete')).toBe(remove.metadata.uid);
  await env.delete('batch/v1', 'Job', namespace, 'b1-delete');
  await eventually(async () => (await scene.instance('b1')) === undefined);

  await scene.backUp('b2');
  await untilReady(() => scene.instance('b2'), 'Completed');
  await env.delete(VERSION, KIND, namespace, 'b2');
  await eventually(async () => (await scene.instance('b2')) === undefined);
});

test('nothing is written to or removed from a volume that belongs to no schedule', async () => {
  const scene = await start();
  const { env, namespace } = scene;
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } };
  await scene.backUp('b1');
  await untilReady(() => scene.instance('b1'), 'ClusterNotFound');
  await scene.apply(CLUSTER);
  await untilReady(() => scene.instance('b1'), 'ClaimNotFound');
  await env.create(customResource('v1', 'PersistentVolumeClaim', 'my-backup', { namespace, spec }));

  await untilReady(() => scene.instance('b1'), 'NotOwned');
  await env.delete(VERSION, KIND, namespace, 'b1');
  await eventually(async () => (await scene.instance('b1')) === undefined);

  const made = ['b1-create', 'b1-delete'].flatMap((name) =>
    env.events.history('jobs.batch', namespace, name),
  );
  expect(made).toEqual([]);
});
