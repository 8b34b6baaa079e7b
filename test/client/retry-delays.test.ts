import { FakeClock, RecordingMeter } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { CallHandler } from '../../operator/client/call.ts';
import type { Client } from '../../operator/client/client.ts';
import { clientOf, intercept } from '../../operator/client/client-of.ts';
import {
  DEFAULT_RETRY_BUDGET_MS,
  type RetryOptions,
  retry,
} from '../../operator/client/interceptors/retry.ts';
import { responseFailure } from '../../operator/client/response-failure.ts';
import { sleep } from '../../operator/core/clock.ts';
import { AmbassadorError, ProtocolError } from '../../operator/core/errors.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { ApiError } from '../../operator/model/status.ts';

const target = { namespace: 'demo', name: 'a' };
const never = new AbortController().signal;
const refused = new AmbassadorError('refused', {
  code: 'AMBASSADOR_UNREACHABLE',
  fate: 'not-sent',
});

const OBJECT = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...target, resourceVersion: '7' },
} as const;

/** A client that repeats, in front of `attempt`. */
function retrying(options: RetryOptions, attempt: CallHandler): Client {
  return intercept(clientOf(attempt), retry(options));
}

interface Run {
  /** When each attempt began. */
  readonly at: readonly number[];
  readonly error: unknown;
  /** When the call ended. */
  readonly endedAt: number;
}

/** A call that fails with `errors`, in turn, and with the last one ever after, until it ends. */
async function run(
  errors: readonly unknown[],
  options: { budgetMs?: number; random?: number; meter?: RecordingMeter } = {},
): Promise<Run> {
  const { random = 0, ...rest } = options;
  const clock = new FakeClock();
  const at: number[] = [];
  let ended: Run | undefined;
  const client = retrying({ clock, random: () => random, host: 'h:1', ...rest }, async () => {
    at.push(clock.monotonic());
    throw errors[Math.min(at.length, errors.length) - 1];
  });
  const running = client.get(configMaps, target).catch((error: unknown) => {
    ended = { at, error, endedAt: clock.monotonic() };
  });
  while (ended === undefined) await clock.advanceAndSettle(clock.nextInMs ?? 0);
  await running;
  return ended;
}

function busy(status: 429 | 503, header?: string, retryAfterSeconds?: unknown): unknown {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  return responseFailure(
    {
      status,
      headers: {
        'content-type': 'application/json',
        ...(header === undefined ? {} : { 'retry-after': header }),
      },
      text: JSON.stringify({ kind: 'Status', status: 'Failure', code: status, ...details }),
    },
    0,
  );
}

test.each<[string, unknown, number]>([
  ['seconds in the header', busy(429, '3'), 3_000],
  ['seconds in the body', busy(503, undefined, 4), 4_000],
  ['the body, if its delay is longer', busy(429, '3', 4), 4_000],
  ['the header, if its delay is longer', busy(503, '5', 4), 5_000],
  ['a date', busy(429, 'Thu, 01 Jan 1970 00:00:07 GMT'), 7_000],
  ['a year: one minute', busy(429, '31536000'), 60_000],
  ['a date in a century: one minute', busy(503, 'Fri, 01 Jan 2100 00:00:00 GMT'), 60_000],
  ['a year in the body: one minute', busy(429, undefined, 31_536_000), 60_000],
  ['a number with hundreds of digits: the back-off', busy(429, '9'.repeat(400)), 500],
  ['nothing: the back-off', busy(429), 500],
  ['a negative number: the back-off', busy(429, '-5', -5), 500],
  ['zero: the back-off', busy(503, '0', 0), 500],
  ['the past: the back-off', busy(429, 'Thu, 01 Jan 1970 00:00:00 GMT'), 500],
  ['other text: the back-off', busy(429, 'soon', 'later'), 500],
])('[P-14] the delay before the retry of a request to a busy server: %s', async (_, error, delayMs) => {
  const { at } = await run([error, new Error('over')], { budgetMs: 120_000 });

  expect(at).toEqual([0, delayMs]);
});

test('[P-14] without a Retry-After, the delays double from half a second to 30 s', async () => {
  const { at } = await run([busy(503)], { budgetMs: 150_000 });

  const delays = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test('[P-14] jitter makes every delay longer by at most a fifth', async () => {
  const { at } = await run([busy(429, '3'), refused, new Error('over')], { random: 0.999_999 });

  expect(at[1]).toBeGreaterThan(3_599);
  expect(at[1]).toBeLessThan(3_600);
  expect((at[2] ?? 0) - (at[1] ?? 0)).toBeLessThan(120);
});

test('[P-14] a request is not repeated after a 429 that a disruption budget caused', async () => {
  const error = new ApiError({
    code: 429,
    details: { retryAfterSeconds: 1, causes: [{ reason: 'DisruptionBudget' }] },
  });

  expect(await run([error])).toEqual({ at: [0], error, endedAt: 0 });
});

test.each([
  ['a refusal', new ApiError({ code: 403, reason: 'Forbidden' })],
  ['a Status with 500', new ApiError({ code: 500, reason: 'InternalError' })],
  ['a response that is not from Kubernetes', new ProtocolError('html', { code: 'NOT_KUBERNETES' })],
  [
    'the filter of the ambassador',
    new AmbassadorError('no', { code: 'AMBASSADOR_FORBIDDEN', fate: 'not-sent' }),
  ],
  ['a bug', new TypeError('x is undefined')],
])('[P-13] a request is not repeated after this error: %s', async (_, error) => {
  expect(await run([error])).toEqual({ at: [0], error, endedAt: 0 });
});

test('[P-15] a 429 is thrown at once if its Retry-After is longer than the retry budget', async () => {
  const error = busy(429, '5');

  expect(await run([error], { budgetMs: 1_000 })).toEqual({ at: [0], error, endedAt: 0 });
});

test('[P-15] no attempt starts after the retry budget of 10 s', async () => {
  const { at, error, endedAt } = await run([refused]);

  expect(at).toEqual([0, 100, 300, 700, 1_500, 3_100, 6_300]);
  expect(error).toBe(refused);
  expect(endedAt).toBeLessThanOrEqual(DEFAULT_RETRY_BUDGET_MS);
});

test('[P-15] an abort during a delay is thrown with its reason, and no timer is left', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const reason = new Error('stopped');
  let attempts = 0;
  const client = retrying({ clock }, async () => {
    attempts++;
    throw refused;
  });
  const running = client.get(configMaps, target, { signal: stop.signal });
  running.catch(() => {});
  await clock.advanceAndSettle(0);

  stop.abort(reason);

  await expect(running).rejects.toBe(reason);
  expect(attempts).toBe(1);
  expect(clock.pending).toBe(0);
});

test('[P-15] an aborted call is not repeated, whatever its failure', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const client = retrying({ clock }, async () => {
    stop.abort();
    throw refused;
  });

  const running = client.get(configMaps, target, { signal: stop.signal });

  await expect(running).rejects.toBe(refused);
  expect(clock.pending).toBe(0);
});

test('[P-15] an attempt may run longer than the retry budget', async () => {
  const clock = new FakeClock();
  const client = retrying({ clock }, async () => {
    await sleep(clock, 50_000, never);
    return OBJECT;
  });

  const running = client.get(configMaps, target);
  await clock.advanceAndSettle(50_000);

  expect(await running).toBe(OBJECT);
});

test('[P-13] the outcome of a write stays unknown if the read that should clarify it fails', async () => {
  const clock = new FakeClock();
  const unknown = new AmbassadorError('lost', { code: 'CONNECTION_LOST', fate: 'unknown' });
  const errors = [unknown, new ApiError({ code: 409, reason: 'Conflict' })];
  const client = retrying({ clock }, async ({ verb }) => {
    throw verb === 'find' ? refused : errors.shift();
  });

  const running = client.update(configMaps, OBJECT);
  running.catch(() => {});
  await clock.advanceAndSettle(1_000);

  await expect(running).rejects.toBe(unknown);
});

test('[P-15] an abort during the read after an unknown outcome is thrown with its reason', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const unknown = new AmbassadorError('lost', { code: 'CONNECTION_LOST', fate: 'unknown' });
  const errors = [unknown, new ApiError({ code: 409, reason: 'Conflict' })];
  const client = retrying({ clock }, async ({ verb }) => {
    if (verb !== 'find') throw errors.shift();
    stop.abort();
    throw refused;
  });

  const running = client.update(configMaps, OBJECT, { signal: stop.signal });
  running.catch(() => {});
  await clock.advanceAndSettle(1_000);

  await expect(running).rejects.toBe(stop.signal.reason);
});

test('[P-21] the metric of repeated requests has the status code of the previous attempt', async () => {
  const meter = new RecordingMeter();

  await run([busy(429), refused, refused, new Error('over')], { meter });

  const name = 'rest_client_request_retries_total';
  const labels = { verb: 'GET', host: 'h:1' };
  expect(meter.value(name, { ...labels, code: '429' })).toBe(1);
  expect(meter.value(name, { ...labels, code: '<error>' })).toBe(2);
});
