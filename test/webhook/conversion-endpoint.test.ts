import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { aborted } from '../../operator/core/abort.ts';
import { ProtocolError } from '../../operator/core/errors.ts';
import type { DefinedResource } from '../../operator/model/custom-resource-definition.ts';
import { answerConversion } from '../../operator/webhook/answer-conversion.ts';
import { conversionEndpoint } from '../../operator/webhook/conversion-endpoint.ts';
import { boat, boats } from '../schema/conversion/boats.ts';
import { recordingLog } from '../support/recording-log.ts';

const LIMITS = { timeoutMs: 29_000, signal: new AbortController().signal };

test('a conversion gets the parsed review, and its response keeps integers beyond doubles', async () => {
  const { logFor } = recordingLog();
  const endpoint = conversionEndpoint(async (review) => ({ of: review }), logFor({}));

  const answer = await endpoint.answer('{"size":9007199254740993}', LIMITS);

  expect(answer).toEqual({
    status: 200,
    text: '{"of":{"size":9007199254740993}}',
    outcome: 'allowed',
  });
});

test('a failed conversion gets a response with the failed review, is logged, and counts as failed', async () => {
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

test('a conversion ends when the client has gone', async () => {
  const { lines, logFor } = recordingLog();
  const gone = new AbortController();
  const given: string[] = [];
  const object = boat('v1alpha1', { spec: { length: '5m' } });
  const resource: DefinedResource = {
    ...boats,
    convert: (each) => {
      given.push(each.metadata.name ?? '');
      gone.abort(new Error('the client has gone away'));
      return each;
    },
  };
  const endpoint = conversionEndpoint(
    (review, options) => answerConversion([resource], review, options),
    logFor({}),
  );
  const request = { uid: 'u', desiredAPIVersion: 'harbour.example/v1', objects: [object, object] };
  const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };

  const answer = endpoint.answer(JSON.stringify(review), { ...LIMITS, signal: gone.signal });

  await expect(answer).rejects.toThrow('the client has gone away');
  expect([given, lines]).toEqual([['ann'], []]);
});

test('a conversion that takes too long is aborted, and fails', async () => {
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

test('a body that is invalid JSON never reaches a conversion', async () => {
  const { logFor } = recordingLog();
  const endpoint = conversionEndpoint(() => expect.unreachable('asked'), logFor({}));

  await expect(endpoint.answer('{"a":', LIMITS)).rejects.toBeInstanceOf(ProtocolError);
});
