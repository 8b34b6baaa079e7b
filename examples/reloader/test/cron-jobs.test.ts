/** CronJobs: a Job for each change, a patched template, or nothing. */
import { describe, expect, test } from 'vitest';
import { hashOfConfigMap } from '../contract/hash.ts';
import { JOBS_STARTED } from '../workloads/cron-job.ts';
import { appHash, cronJob, jobsOf, liveCronJob, variablesOf } from './support/batch.ts';
import { AUTO, startReloader } from './support/start.ts';

const VARIABLE = 'STAKATER_APP_CONFIGMAP';

describe('a change of the ConfigMap of a CronJob', () => {
  test('[reloader 17] [reloader R1] a change for a CronJob starts one Job from its template, and the next process starts no Job', async () => {
    const reloader = await startReloader();
    await reloader.config('app', { mode: 'slow' });
    const jobMetadata = { labels: { team: 'night' }, annotations: { note: 'kept' } };
    await reloader.apply([cronJob('backup', { jobMetadata, jobSpec: { backoffLimit: 2 } })]);
    const before = await appHash(reloader, 'CronJob', 'backup');
    const { generation, uid } = (await liveCronJob(reloader, 'backup')).metadata;

    await reloader.config('app', { mode: 'fast' });
    await appHash(reloader, 'CronJob', 'backup', before);
    await reloader.operator.stop();
    reloader.startOperator();
    await reloader.handled();

    const [started, ...others] = await jobsOf(reloader);
    expect(others).toEqual([]);
    expect(started?.metadata).toMatchObject({
      generateName: 'backup-',
      name: expect.stringMatching(/^backup-[0-9a-f]{10}$/),
      labels: { team: 'night' },
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual', note: 'kept' },
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: 'backup', uid, controller: true },
      ],
    });
    expect(started?.spec.backoffLimit).toBe(2);
    expect(started && variablesOf(started)).toEqual({
      [VARIABLE]: hashOfConfigMap({ data: { mode: 'fast' } }),
    });
    expect((await liveCronJob(reloader, 'backup')).metadata.generation).toBe(generation);
    expect(reloader.refusals()).toEqual([]);
  });

  test('[reloader R1] a change for a CronJob while the operator is down starts one Job', async () => {
    const reloader = await startReloader();
    await reloader.config('app', { mode: 'slow' });
    await reloader.apply([cronJob('backup')]);
    const before = await appHash(reloader, 'CronJob', 'backup');
    await reloader.operator.stop();
    await reloader.config('app', { mode: 'fast' });

    reloader.startOperator();
    await appHash(reloader, 'CronJob', 'backup', before);
    await reloader.handled();

    expect(await jobsOf(reloader)).toHaveLength(1);
  });

  test('[reloader R1] a change back to earlier content starts another Job of a CronJob', async () => {
    const reloader = await startReloader();
    await reloader.config('app', { mode: 'a' });
    await reloader.apply([cronJob('backup')]);
    let hash = await appHash(reloader, 'CronJob', 'backup');

    for (const mode of ['b', 'a', 'b']) {
      await reloader.config('app', { mode });
      hash = await appHash(reloader, 'CronJob', 'backup', hash);
    }

    const started = await jobsOf(reloader);
    const values = started.map((each) => variablesOf(each)[VARIABLE]);
    expect(values.toSorted()).toEqual(
      ['b', 'a', 'b'].map((mode) => hashOfConfigMap({ data: { mode } })).toSorted(),
    );
  });

  test('[reloader 17] [reloader R12] a change for a suspended CronJob starts no Job, even when the CronJob is resumed', async () => {
    const reloader = await startReloader();
    await reloader.config('app', { mode: 'slow' });
    await reloader.apply([cronJob('backup', { suspend: true })]);
    const before = await appHash(reloader, 'CronJob', 'backup');

    await reloader.config('app', { mode: 'fast' });
    await appHash(reloader, 'CronJob', 'backup', before);
    await reloader.apply([cronJob('backup', { suspend: false })]);
    await reloader.handled();

    expect(await jobsOf(reloader)).toEqual([]);
  });

  test('a change for a CronJob counts as done if its Job exists, even if the process ended before it recorded the Job', async () => {
    const reloader = await startReloader();
    await reloader.config('app', { mode: 'slow' });
    await reloader.apply([cronJob('backup')]);
    const before = await appHash(reloader, 'CronJob', 'backup');
    const old = (await liveCronJob(reloader, 'backup')).metadata.annotations ?? {};
    await reloader.config('app', { mode: 'fast' });
    const after = await appHash(reloader, 'CronJob', 'backup', before);
    await reloader.operator.stop();
    const annotations = { ...old, [JOBS_STARTED]: null };
    const { env, namespace } = reloader;
    await env.patch('batch/v1', 'CronJob', namespace, 'backup', { metadata: { annotations } });

    reloader.startOperator();

    expect(await appHash(reloader, 'CronJob', 'backup', before)).toBe(after);
    expect(await jobsOf(reloader)).toHaveLength(1);
  });

  test('with --reload-strategy=annotations, a change for a CronJob starts a Job whose Pod template mentions the resource', async () => {
    const reloader = await startReloader({ args: ['--reload-strategy=annotations'] });
    await reloader.config('app', { mode: 'slow' });
    await reloader.apply([cronJob('backup')]);
    const before = await appHash(reloader, 'CronJob', 'backup');

    await reloader.config('app', { mode: 'fast' });
    const hash = await appHash(reloader, 'CronJob', 'backup', before);

    const [started] = await jobsOf(reloader);
    const { annotations = {} } = started?.spec.template.metadata ?? {};
    const written = JSON.parse(annotations['reloader.stakater.com/last-reloaded-from'] ?? '{}');
    expect(written).toMatchObject({ type: 'CONFIGMAP', name: 'app', hash, containerRefs: ['app'] });
  });
});

test("--cronjob-mode=patch changes the CronJob's template once, and starts no Job", async () => {
  const reloader = await startReloader({ args: ['--cronjob-mode=patch'] });
  await reloader.config('app', { mode: 'slow' });
  await reloader.apply([cronJob('backup')]);
  const before = await appHash(reloader, 'CronJob', 'backup');

  await reloader.config('app', { mode: 'fast' });
  const hash = await appHash(reloader, 'CronJob', 'backup', before);
  await reloader.handled();

  const { metadata, spec } = await liveCronJob(reloader, 'backup');
  expect(metadata.generation).toBe(2);
  expect(spec.jobTemplate.spec && variablesOf({ spec: spec.jobTemplate.spec })).toEqual({
    [VARIABLE]: hash,
  });
  expect(await jobsOf(reloader)).toEqual([]);
});

test('--cronjob-mode=none does not change CronJobs', async () => {
  const reloader = await startReloader({ args: ['--cronjob-mode=none'] });
  await reloader.config('app', { mode: 'slow' });
  await reloader.apply([cronJob('backup')]);
  await reloader.handled();

  await reloader.config('app', { mode: 'fast' });
  await reloader.handled();

  expect((await liveCronJob(reloader, 'backup')).metadata.annotations).toEqual(AUTO);
  expect(await jobsOf(reloader)).toEqual([]);
});
