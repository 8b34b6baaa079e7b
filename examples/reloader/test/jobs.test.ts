/** Jobs: an active one is replaced, and nothing is lost or done twice on the way. */
import {
  configMap,
  crashPoints,
  eventually,
  type Manifest,
  startOperator,
  startTestEnv,
  type TestEnv,
} from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import {
  type ControllerRevision,
  controllerRevisions,
  type Job,
  jobs,
  pods,
} from 'chancery/kubernetes';
import { describe, expect, test } from 'vitest';
import { hashOfConfigMap } from '../contract/hash.ts';
import { BASELINE } from '../record/baseline.ts';
import { appHash, cronJob, job, jobsOf, liveJob, runsWith, variablesOf } from './support/batch.ts';
import { AUTO, controllersOf, type Reloading, startReloader } from './support/start.ts';

const VARIABLE = 'STAKATER_APP_CONFIGMAP';
const hashOf = (mode: string): string => hashOfConfigMap({ data: { mode } });

const stored = ({ env, namespace }: Reloading): Promise<readonly ControllerRevision[]> =>
  env.list(controllerRevisions, namespace);

/** Ends the Job for good. */
function finish({ env, namespace }: Reloading, name: string): Promise<unknown> {
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' }));
  const times = { startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:01:00Z' };
  const status = { conditions, succeeded: 1, ...times };
  return env.patch('batch/v1', 'Job', namespace, name, { status }, 'status');
}

describe('a change of the ConfigMap of a Job', () => {
  test('[reloader 17] a change replaces an active Job once, and the next process does nothing', async () => {
    const reloader = await startReloader();
    await reloader.config('app', { mode: 'slow' });
    const metadata = { labels: { team: 'night' }, annotations: { ...AUTO, note: 'kept' } };
    await reloader.apply([job('import', { backoffLimit: 2 }, metadata)]);
    const before = await appHash(reloader, 'Job', 'import');
    const old = await liveJob(reloader, 'import');

    await reloader.config('app', { mode: 'fast' });
    await appHash(reloader, 'Job', 'import', before);
    await reloader.operator.stop();
    reloader.startOperator();
    await reloader.handled();

    const now = await liveJob(reloader, 'import');
    expect(now.metadata.uid).not.toBe(old.metadata.uid);
    expect(now.metadata).toMatchObject(metadata);
    expect(now.spec.backoffLimit).toBe(2);
    expect(variablesOf(now)).toEqual({ [VARIABLE]: hashOf('fast') });
    expect(now.spec.template.metadata?.labels).toMatchObject({
      'controller-uid': now.metadata.uid,
      'batch.kubernetes.io/controller-uid': now.metadata.uid,
    });
    expect(await stored(reloader)).toEqual([]);
    expect(createdJobs(reloader)).toHaveLength(2);
  });

  test('[reloader 17] [reloader R12] a change does not replace a finished Job', async () => {
    const reloader = await startReloader();
    await reloader.config('app', { mode: 'slow' });
    await reloader.apply([job('import')]);
    await appHash(reloader, 'Job', 'import');
    await finish(reloader, 'import');
    const finished = await liveJob(reloader, 'import');
    await reloader.handled();

    await reloader.config('app', { mode: 'fast' });
    await reloader.handled();

    const { metadata } = await liveJob(reloader, 'import');
    expect(metadata.resourceVersion).toBe(finished.metadata.resourceVersion);
  });

  test('a change does not replace a suspended Job, which has no Pods and will start with the new content', async () => {
    const reloader = await startReloader();
    await reloader.config('app', { mode: 'slow' });
    await reloader.apply([job('import', { suspend: true })]);
    const before = await appHash(reloader, 'Job', 'import');
    const { uid } = (await liveJob(reloader, 'import')).metadata;

    await reloader.config('app', { mode: 'fast' });
    await appHash(reloader, 'Job', 'import', before);

    expect((await liveJob(reloader, 'import')).metadata.uid).toBe(uid);
  });

  test('a change does not replace a Job that a CronJob controls', async () => {
    const reloader = await startReloader();
    await reloader.config('app', { mode: 'slow' });
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'backup', uid: 'some-uid' };
    const ownerReferences = [{ ...owner, controller: true }];
    await reloader.apply([job('backup-1', {}, { ownerReferences })]);
    await reloader.handled();

    await reloader.config('app', { mode: 'fast' });
    await reloader.handled();

    expect(createdJobs(reloader)).toHaveLength(1);
    expect((await liveJob(reloader, 'backup-1')).metadata.annotations).toEqual(AUTO);
  });

  test('a change replaces a Job that sets its selector itself, and keeps the selector and the labels', async () => {
    const reloader = await startReloader();
    await reloader.config('app', { mode: 'slow' });
    const labels = { 'job-name': 'mine' };
    const template = { metadata: { labels }, ...runsWith('app') };
    const selector = { matchLabels: labels };
    await reloader.apply([job('import', { manualSelector: true, selector, template })]);
    const before = await appHash(reloader, 'Job', 'import');

    await reloader.config('app', { mode: 'fast' });
    await appHash(reloader, 'Job', 'import', before);

    const { spec } = await liveJob(reloader, 'import');
    expect(spec.selector).toEqual(selector);
    expect(spec.template.metadata?.labels).toEqual(labels);
  });
});

test('[reloader 17] a Job with a running Pod is replaced once, together with its Pod', async () => {
  const workloads = { podReadyMs: 5, podStopMs: 5, podRunMs: 3_600_000 };
  const reloader = await startReloader({ workloads });
  const { env, namespace } = reloader;
  await reloader.config('app', { mode: 'slow' });
  await reloader.apply([job('import')]);
  const before = await appHash(reloader, 'Job', 'import');
  await eventually(async () => (await liveJob(reloader, 'import')).status?.ready === 1);

  await reloader.config('app', { mode: 'fast' });
  await appHash(reloader, 'Job', 'import', before);
  const { uid } = (await liveJob(reloader, 'import')).metadata;
  const running = await eventually(async () => {
    const found = await env.list(pods, namespace);
    const owners = found.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
    return owners.length === 1 && owners[0] === uid && found;
  });

  expect(running[0] && variablesOf({ spec: { template: running[0] } } as unknown as Job)).toEqual({
    [VARIABLE]: hashOf('fast'),
  });
  expect(createdJobs(reloader)).toHaveLength(2);
});

test('[reloader 17] a Job with a finalizer is created again once the old Job is gone, even by the next process', async () => {
  const reloader = await startReloader();
  await reloader.config('app', { mode: 'slow' });
  await reloader.apply([job('import', {}, { finalizers: ['example.com/hold'] })]);
  const before = await appHash(reloader, 'Job', 'import');
  const { uid } = (await liveJob(reloader, 'import')).metadata;

  await reloader.config('app', { mode: 'fast' });
  const { env, namespace } = reloader;
  await eventually(async () => (await liveJob(reloader, 'import')).metadata.deletionTimestamp);
  await reloader.handled();
  expect(createdJobs(reloader)).toHaveLength(1);
  await reloader.operator.stop();
  await env.patch('batch/v1', 'Job', namespace, 'import', { metadata: { finalizers: null } });
  reloader.startOperator();
  await appHash(reloader, 'Job', 'import', before);
  await reloader.idle();

  const { metadata } = await liveJob(reloader, 'import');
  expect(metadata.uid).not.toBe(uid);
  expect(await stored(reloader)).toEqual([]);
});

test('[reloader R12] the stored copy of a Job that finished meanwhile is removed, and never starts', async () => {
  const reloader = await startReloader({ stopped: true });
  const { env, namespace } = reloader;
  await reloader.apply([job('import')]);
  await finish(reloader, 'import');
  const { metadata, spec } = await liveJob(reloader, 'import');
  const name = `import.${metadata.uid}`;
  const labels = { 'reloader.chancery.dev/stored': 'job' };
  const data = { uid: metadata.uid, job: { metadata: { name: 'import' }, spec } };
  await env.create<ControllerRevision>({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, namespace, labels },
    data,
    revision: 1,
  });

  reloader.startOperator();
  await eventually(async () => (await stored(reloader)).length === 0);
  await env.delete('batch/v1', 'Job', namespace, 'import');
  await env.patch('batch/v1', 'Job', namespace, 'import', { metadata: { finalizers: null } });
  await reloader.handled();

  expect(await jobsOf(reloader)).toEqual([]);
});

test('[reloader R12] a refused creation of the Job is repeated until it succeeds', async () => {
  const reloader = await startReloader({ withheld: () => false });
  await reloader.config('app', { mode: 'slow' });
  await reloader.apply([job('import')]);
  const before = await appHash(reloader, 'Job', 'import');
  const { env, namespace } = reloader;
  const hard = { 'count/jobs.batch': '0' };
  await reloader.apply([
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none' },
      spec: { hard },
    } as object,
  ] as Manifest);

  await reloader.config('app', { mode: 'fast' });
  await reloader.told('ReloadFail');
  expect(await jobsOf(reloader)).toEqual([]);
  expect(await stored(reloader)).toHaveLength(1);
  await env.delete('v1', 'ResourceQuota', namespace, 'none');

  expect(await appHash(reloader, 'Job', 'import', before)).toBe(hashOf('fast'));
  await reloader.idle();
  expect(await stored(reloader)).toEqual([]);
});

describe('a change while the operator is killed', () => {
  test('[reloader 17] [reloader R1] after a crash at any request, a change still replaces an active Job once', async () => {
    const points = await crashPoints({
      ...crashing(job('import'), 'Job'),
      calls: ({ verb, resource }) =>
        ['jobs.batch', 'controllerrevisions.apps'].includes(resource ?? '') &&
        ['create', 'delete', 'patch'].includes(verb),
    });

    const calls = points.map(({ when, call }) => `${when} ${call.verb} ${call.resource}`);
    for (const call of [
      'create controllerrevisions.apps',
      'delete jobs.batch',
      'create jobs.batch',
      'delete controllerrevisions.apps',
    ]) {
      expect(calls).toContain(`before ${call}`);
      expect(calls).toContain(`after ${call}`);
    }
  });

  test('[reloader 17] [reloader R1] after a crash at any request, a change still starts one Job of a CronJob', async () => {
    const points = await crashPoints({
      ...crashing(cronJob('import'), 'CronJob'),
      calls: ({ verb, resource }) =>
        ['jobs.batch', 'cronjobs.batch'].includes(resource ?? '') &&
        ['create', 'patch'].includes(verb),
    });

    const calls = points.map(({ when, call }) => `${when} ${call.verb} ${call.resource}`);
    expect(calls).toContain('after create jobs.batch');
    expect(calls).toContain('before patch cronjobs.batch');
  });
});

/** A workload `import` is recorded, and its ConfigMap changes once. */
function crashing(workload: KubernetesObject, kind: 'Job' | 'CronJob') {
  const config = (namespace: string, mode: string) => [
    configMap('app', { namespace, data: { mode } }),
  ];
  return {
    // Without controllers, so that no Job finishes before its ConfigMap has changed.
    env: () => startTestEnv({ backend: 'embedded' as const, embedded: { workloads: false } }),
    arrange: async (env: TestEnv, namespace: string) => {
      await env.apply(config(namespace, 'slow'));
      await env.apply([workload], { namespace });
    },
    start: async (url: string, namespace: string) =>
      startOperator({ url, namespace, controllers: await controllersOf({}) }),
    act: async (env: TestEnv, namespace: string) => {
      await appHash({ env, namespace }, kind, 'import');
      await env.apply(config(namespace, 'fast'));
    },
    until: async (env: TestEnv, namespace: string) => {
      const found = await env.get('batch/v1', kind, namespace, 'import');
      const isRecorded = found?.metadata.annotations?.[BASELINE]?.includes(hashOf('fast')) === true;
      return isRecorded && (await env.list(controllerRevisions, namespace)).length === 0;
    },
    state: async (env: TestEnv, namespace: string) => ({
      created: createdJobs({ env, namespace }).map(({ object }) => variablesOf(object as Job)),
      left: (await env.list(jobs, namespace)).map(variablesOf),
      stored: (await env.list(controllerRevisions, namespace)).length,
    }),
    timeoutMs: 30_000,
  };
}

/** Every Job that was created, the replacement included. */
function createdJobs({ env, namespace }: Pick<Reloading, 'env' | 'namespace'>) {
  return env.events.of({ resource: 'jobs.batch', namespace, type: 'ADDED' });
}
