import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { TerminalError } from '../../../operator/controller/errors.ts';
import type { Attempt, AttemptEnd } from '../../../operator/controller/run/middleware.ts';
import { AmbassadorError, OperatorError } from '../../../operator/core/errors.ts';
import { errorWords } from '../../../operator/manager/status-page/error-words.ts';
import { ReconcileHistory } from '../../../operator/manager/status-page/reconcile-history.ts';
import { objectKey } from '../../../operator/model/object.ts';
import { ApiError } from '../../../operator/model/status.ts';

const attempt: Attempt = {
  controller: 'web',
  key: objectKey('ns', 'a'),
  reconcileId: 'id',
  attempt: 0,
  priority: 0,
};

function history(): {
  history: ReconcileHistory;
  ends: (end: Partial<AttemptEnd>) => Promise<AttemptEnd>;
} {
  const kept = new ReconcileHistory(new FakeClock());
  return {
    history: kept,
    ends: (end) =>
      kept.around(attempt, async () => ({ outcome: 'success', durationMs: 1, ...end })),
  };
}

test('the reconcile history records an attempt, and does not change its result', async () => {
  const { history: kept, ends } = history();

  const end = await ends({ outcome: 'requeue_after', durationMs: 5, requeueAfterMs: 10 });

  expect(end).toEqual({ outcome: 'requeue_after', durationMs: 5, requeueAfterMs: 10 });
  expect(kept.recent).toMatchObject([
    { controller: 'web', key: 'ns/a', outcome: 'requeue_after', durationMs: 5, error: undefined },
  ]);
});

test('the history counts failures, but not lost races or stops, and has the median and slowest duration', async () => {
  const { history: kept, ends } = history();

  for (const outcome of ['success', 'error', 'terminal', 'panic', 'conflict', 'aborted'] as const) {
    await ends({ outcome, durationMs: 10 });
  }
  await ends({ durationMs: 100 });

  expect(kept.tallyOf('web')).toEqual({ reconciles: 7, errors: 3, medianMs: 10, slowestMs: 100 });
  expect(kept.tallyOf('other')).toMatchObject({ reconciles: 0, medianMs: undefined });
});

test('the history keeps the latest fifty attempts, latest first, and the latest two hundred durations', async () => {
  const { history: kept, ends } = history();

  await ends({ durationMs: 99_999 });
  for (let index = 0; index < 200; index++) await ends({ durationMs: index });

  expect(kept.recent).toHaveLength(50);
  expect(kept.recent[0]?.durationMs).toBe(199);
  expect(kept.tallyOf('web').slowestMs).toBe(199);
});

test.each([
  [
    'a refusal of the API server, which quotes the value',
    new ApiError({ code: 422, reason: 'Invalid', message: 'data: Invalid value: "hunter2"' }),
    '422 Invalid',
  ],
  ['an error of user code, which may contain anything', new TypeError('hunter2'), 'TypeError'],
  ['a thrown value that is not an error', 'hunter2', 'string'],
  [
    'a TerminalError, whose message the reconciler writes',
    new TerminalError('password hunter2 is too short', { context: { value: 'hunter2' } }),
    'TerminalError USER_CODE (user-code)',
  ],
  [
    'an error of the ambassador, which quotes the answer',
    new AmbassadorError('the proxy said hunter2', { code: 'AMBASSADOR_UPSTREAM', fate: 'unknown' }),
    'AmbassadorError AMBASSADOR_UPSTREAM (ambassador)',
  ],
  [
    'a refusal of a webhook, which may send any reason',
    new ApiError({ code: 403, reason: 'password hunter2 is too short', message: 'denied' }),
    '403',
  ],
  [
    'an error from user code whose name is a sentence',
    Object.assign(new Error('no'), { name: 'hunter2 is too short' }),
    'Error',
  ],
  [
    'an error whose message the toolkit wrote',
    new OperatorError('reconcile timed out', { code: 'USER_CODE', layer: 'user-code' }),
    'OperatorError USER_CODE (user-code)',
  ],
])('[attack A-4] the public error text hides the message of %s', (_what, error, words) => {
  expect(errorWords(error)).toBe(words);
});
