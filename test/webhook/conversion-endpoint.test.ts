import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { aborted } from '../../operator/core/abort.ts';
import { ProtocolError } from '../../operator/core/errors.ts';
import { conversionEndpoint } from '../../operator/webhook/conversion-endpoint.ts';
import { recordingLog } from '../support/recording-log.ts';

const LIMITS = { timeoutMs: 29_000, signal: new AbortController().signal };

test('conversions get the parsed review, and their answer keeps integers that a number cannot hold', async () => {
  const { logFor } = recordingLog();
  const endpoint = conversionEndpoint(async (review) => ({ of: review }), logFor({}));

  const answer = await endpoint.answer('{"size":9007199254740993}', LIMITS);

  expect(answer).toEqual({
    status: 200,
    text: '{"of":{"size":9007199254740993}}',
    outcome: 'allowed',
  });
});

test('a failed conversion is answered with its review, logged and counted as failed', async () => {
  const { lines, logFor } = recordingLog();
  const failure = new Error('no way back');
  const endpoint = conversionEndpoint(async (_review, { onFailure }) => {
    onFailure(failure);
    return { response: { result: { status: 'Failure' } } };
  }, logFor({}));

  const answer = await endpoint.answer('{}', LIMITS);

  expect([answer.status, answer.outcome]).toEqual([200, 'failed']);
  expect(lines).toMatchObject([{ level: 'error', fields: { err: failure } }]);
});

test('a conversion that takes too long is told to end, and becomes a failure', async () => {
  const { lines, logFor } = recordingLog();
  const clock = new FakeClock();
  const endpoint = conversionEndpoint(
    async (_review, { onFailure, signal }) => {
      await aborted(signal);
      onFailure(signal.reason);
      return { response: { result: { status: 'Failure' } } };
    },
    logFor({}),
    clock,
  );

  const answer = endpoint.answer('{}', LIMITS);
  await eventually(() => clock.pending > 0);
  clock.advance(LIMITS.timeoutMs);

  expect(await answer).toMatchObject({ status: 200, outcome: 'failed' });
  expect(lines).toMatchObject([
    { fields: { err: { message: 'the conversion has not ended within 29000 ms' } } },
  ]);
});

test('a body that is no JSON never reaches a conversion', async () => {
  const { logFor } = recordingLog();
  const endpoint = conversionEndpoint(() => expect.unreachable('asked'), logFor({}));

  await expect(endpoint.answer('{"a":', LIMITS)).rejects.toBeInstanceOf(ProtocolError);
});
