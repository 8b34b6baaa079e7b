/** Texts of a server that are too long for a log line. */
import { expect, test } from 'vitest';
import { responseFailure } from '../../operator/client/response-failure.ts';
import { ProtocolError } from '../../operator/core/errors.ts';
import { boundedText, MAX_TEXT_CHARS } from '../../operator/core/text/visible-text.ts';
import { createLogger } from '../../operator/manager/observe/logger.ts';
import { ApiError } from '../../operator/model/status.ts';
import { decodeLine } from '../../operator/stream/decode.ts';
import { Collector } from '../cli/collector.ts';

const LONG = `begins ${'x'.repeat(20_000_000)} ends`;

/** What a log says of `err`, in characters. */
function lineLength(err: unknown): number {
  const stderr = new Collector();
  createLogger('info', stderr).error({ err }, 'failed');
  return stderr.lines.join('\n').length;
}

const status = (more: object): object => ({
  kind: 'Status',
  status: 'Failure',
  code: 500,
  ...more,
});

test.each([
  ['message', status({ message: LONG })],
  ['reason', status({ message: 'm', reason: LONG })],
  ['message of a cause', status({ message: 'm', details: { causes: [{ message: LONG }] } })],
  ['reason that is not a string', status({ message: 'm', reason: [LONG] })],
  ['message that is not a string', status({ message: { text: LONG } })],
])('[attack A-12] an ERROR event with a %s of 20 MB becomes a short log line and a short error', (_, object) => {
  let error: unknown;
  try {
    decodeLine(JSON.stringify({ type: 'ERROR', object }), {});
  } catch (thrown) {
    error = thrown;
  }

  expect(error).toBeInstanceOf(ApiError);
  expect(JSON.stringify(error).length).toBeLessThan(2 * MAX_TEXT_CHARS);
  expect((error as ApiError).message.length).toBeLessThan(MAX_TEXT_CHARS + 300);
  expect(lineLength(error)).toBeLessThan(2 * MAX_TEXT_CHARS);
});

test('[attack A-12] a long Status in a response becomes a short error and a short log line', () => {
  const text = JSON.stringify(status({ message: LONG }));
  const headers = { 'content-type': 'application/json' };

  const error = responseFailure({ status: 500, headers, text }, 0);

  expect(error).toBeInstanceOf(ApiError);
  expect(lineLength(error)).toBeLessThan(2 * MAX_TEXT_CHARS);
});

test('[attack A-12] a long text in the context or cause of an error becomes a short log line', () => {
  const cause = new Error(LONG);
  const error = new ProtocolError('odd', { code: 'DECODE', context: { got: LONG }, cause });

  expect(String(error.context.got).length).toBeLessThan(MAX_TEXT_CHARS + 100);
  expect(lineLength(error)).toBeLessThan(3 * MAX_TEXT_CHARS);
});

test('[attack A-12] a bounded text keeps its beginning and its end, and says how many characters are omitted', () => {
  const text = boundedText(LONG);

  expect(text).toMatch(/^begins x+ … \(19997964 characters omitted\) … x+ ends$/);
  expect(boundedText('x'.repeat(MAX_TEXT_CHARS))).toBe('x'.repeat(MAX_TEXT_CHARS));
  expect(boundedText('🚢'.repeat(MAX_TEXT_CHARS)).isWellFormed()).toBe(true);
});
