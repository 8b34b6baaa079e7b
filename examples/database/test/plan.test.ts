/** How a plan goes on from what its steps say, and from what they throw. */
import { ApiError, BeingDeletedError } from 'chancery';
import { expect, test } from 'vitest';
import { COMPLETE, type Phase, type Progress, runPlan } from '../plan.ts';

const { signal } = new AbortController();

const phases = (...steps: readonly (() => Progress)[]): readonly Phase[] =>
  steps.map((run, at) => ({ name: `phase-${at}`, steps: [{ name: `step-${at}`, run }] }));

const thrown = (error: Error) => (): Progress => {
  throw error;
};

test('later steps of a plan wait until an unfinished step is done', async () => {
  const inProgress = (): Progress => ({ status: 'IN_PROGRESS', message: 'wait' });

  const { plan, failure } = await runPlan(
    phases(
      () => COMPLETE,
      inProgress,
      () => COMPLETE,
    ),
    signal,
  );

  expect(plan.status).toBe('IN_PROGRESS');
  expect(plan.phases.map(({ status }) => status)).toEqual(['COMPLETE', 'IN_PROGRESS', 'PENDING']);
  expect(failure).toBeUndefined();
});

test('an invalid request is not retried until the user changes the object, and any other error is retried', async () => {
  const api = (code: number) =>
    new ApiError({ code, message: 'no', details: { causes: [{ field: 'spec' }] } });

  const invalid = await runPlan(phases(thrown(api(422))), signal);
  const down = await runPlan(phases(thrown(api(503))), signal);
  const going = await runPlan(phases(thrown(new BeingDeletedError('it goes'))), signal);

  expect(invalid).toMatchObject({ progress: { status: 'FATAL_ERROR', reason: 'Invalid' } });
  expect(invalid.progress.retry).toEqual({ refusal: { kind: 'invalid', fields: ['spec'] } });
  expect(invalid.failure).toBeUndefined();
  expect(down).toMatchObject({ progress: { status: 'ERROR' }, failure: { status: 503 } });
  expect(going.progress.status).toBe('IN_PROGRESS');
  expect(going.failure).toBeInstanceOf(BeingDeletedError);
});

test('only the beginning of a long message of another program is reported', async () => {
  const message = 'x'.repeat(100_000);

  const { plan, progress } = await runPlan(
    phases(() => ({ status: 'FATAL_ERROR', message })),
    signal,
  );

  expect(progress.message).toHaveLength(1_000);
  expect(plan.phases[0]?.steps[0]?.message).toHaveLength(1_000);
});

test('[real R-1] [real R-3] a refusal by a quota is reported, and the toolkit retries', async () => {
  const message = 'secrets "a" is forbidden: exceeded quota: rq, requested: secrets=1';
  const full = new ApiError({ code: 403, reason: 'Forbidden', message });

  const { progress, failure } = await runPlan(phases(thrown(full)), signal);

  expect(progress).toMatchObject({ status: 'ERROR', reason: 'Refused' });
  expect(progress.message).toContain('exceeded quota: rq');
  expect(failure).toBe(full);
});

test('[real R-1] a refusal by a policy is retried, and not reported as a mistake in the object', async () => {
  const message =
    "secrets \"a\" is forbidden: ValidatingAdmissionPolicy 'team' with binding 'team' denied request: no";
  const causes = [{ message }];
  const denied = new ApiError({ code: 422, reason: 'Invalid', message, details: { causes } });

  const { progress, failure } = await runPlan(phases(thrown(denied)), signal);

  expect(progress).toMatchObject({ status: 'ERROR', reason: 'Refused' });
  expect(failure).toBe(denied);
});
