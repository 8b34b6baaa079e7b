/** What a refused write comes to. */
import { ApiError } from 'chancery';
import { expect, test } from 'vitest';
import { verdictOf } from '../report.ts';

const DENIED = "ValidatingAdmissionPolicy 'team' with binding 'team' denied request: no team";

test('[real R-1] [real R-3] a refusal by a policy is reported, and retried', async () => {
  const message = `statefulsets.apps "a" is forbidden: ${DENIED}`;
  const details = { causes: [{ message: DENIED }] };
  const denied = new ApiError({ code: 422, reason: 'Invalid', message, details });

  const verdict = await verdictOf(Promise.reject(denied));

  expect(verdict).toMatchObject({ status: 'False', reason: 'Refused', event: 'Warning' });
  expect(verdict.next).toEqual({ refusal: { kind: 'policy', name: 'team' } });
});

test('[real R-1] a refusal by a schema is reported, and retried', async () => {
  const details = { causes: [{ field: 'spec.storage' }] };
  const invalid = new ApiError({ code: 422, reason: 'Invalid', message: 'no', details });

  const verdict = await verdictOf(Promise.reject(invalid));

  expect(verdict.reason).toBe('Invalid');
  expect(verdict.next).toEqual({ refusal: { kind: 'invalid', fields: ['spec.storage'] } });
});

test('[real R-3] an error about a missing permission is rethrown', async () => {
  const message =
    'statefulsets.apps is forbidden: User "dev" cannot create resource "statefulsets"';
  const forbidden = new ApiError({ code: 403, reason: 'Forbidden', message });

  await expect(verdictOf(Promise.reject(forbidden))).rejects.toBe(forbidden);
});
