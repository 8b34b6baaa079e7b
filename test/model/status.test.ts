import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isNotFound } from '../../operator/model/not-found.ts';
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isDisruptionRefused,
  isGone,
  isStatus,
  isTooLargeResourceVersion,
  type Status,
} from '../../operator/model/status.ts';

const PREDICATES = {
  isAlreadyExists,
  isConflict,
  isDisruptionRefused,
  isGone,
  isNotFound,
  isTooLargeResourceVersion,
};

/** The names of the predicates that hold for `error`. */
function whatHolds(error: unknown): string[] {
  return Object.entries(PREDICATES)
    .filter(([, holds]) => holds(error))
    .map(([name]) => name);
}

describe('[L-22] predicates of an ApiError', () => {
  test.each<[Omit<Status, 'kind'>, keyof typeof PREDICATES | undefined]>([
    [{ code: 404, reason: 'NotFound', details: { name: 'a' } }, 'isNotFound'],
    [{ code: 404, details: { name: 'a' } }, 'isNotFound'],
    [{ code: 404 }, undefined],
    [{ code: 409, reason: 'Conflict' }, 'isConflict'],
    [{ code: 409, reason: 'AlreadyExists' }, 'isAlreadyExists'],
    [{ code: 409 }, undefined],
    [{ code: 410, reason: 'Expired' }, 'isGone'],
    [{ code: 410, reason: 'Gone' }, 'isGone'],
    [{ code: 410 }, 'isGone'],
    [{ reason: 'Expired' }, 'isGone'],
    [{ code: 429, details: { causes: [{ reason: 'DisruptionBudget' }] } }, 'isDisruptionRefused'],
    [{ code: 429, reason: 'TooManyRequests' }, undefined],
    [{ code: 500, details: { causes: [{ reason: 'DisruptionBudget' }] } }, undefined],
    [
      {
        code: 504,
        reason: 'Timeout',
        details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
      },
      'isTooLargeResourceVersion',
    ],
    [
      {
        code: 504,
        reason: 'Timeout',
        details: { causes: [{ message: 'Too large resource version' }] },
      },
      'isTooLargeResourceVersion',
    ],
    [
      { code: 504, message: 'Timeout: Too large resource version: 9, current: 1' },
      'isTooLargeResourceVersion',
    ],
    [{ code: 504, reason: 'Timeout', message: 'request did not complete' }, undefined],
    [{}, undefined],
  ])('the Status %j is %s', (status, expected) => {
    expect(whatHolds(new ApiError(status))).toEqual(expected === undefined ? [] : [expected]);
  });

  test.each([
    [new Error('410 Gone')],
    [{ status: 410, reason: 'Expired' }],
    [undefined],
    [null],
  ])('every predicate is false for %j, which is not an ApiError', (error) => {
    expect(whatHolds(error)).toEqual([]);
  });

  test('a real server’s refusals of a future resourceVersion are recognised', () => {
    const file = new URL('../recordings/watch-expired.jsonl', import.meta.url);
    const bodies = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).response)
      .filter(({ status }) => status === 504)
      .map(({ body }) => (typeof body === 'string' ? JSON.parse(body) : body));

    const recognised = bodies.map((body) => isTooLargeResourceVersion(new ApiError(body)));

    expect(recognised).toEqual([true, true, true]);
  });
});

describe('ApiError', () => {
  test('the message of an ApiError is the server’s, in one line', () => {
    const error = new ApiError({ code: 403, reason: 'Forbidden', message: 'pods is forbidden' });

    expect(error).toMatchObject({
      name: 'ApiError',
      message: '403 Forbidden: pods is forbidden',
      code: 'API_STATUS',
      layer: 'api-server',
      status: 403,
      reason: 'Forbidden',
      details: {},
      context: { status: 403, reason: 'Forbidden' },
    });
  });

  test.each<[Omit<Status, 'kind'>, string]>([
    [{}, '0: no message'],
    [{ code: 500 }, '500: no message'],
    [{ code: 500, message: 'm' }, '500: m'],
  ])('the message of an ApiError for %j is %j', (status, message) => {
    expect(new ApiError(status).message).toBe(message);
  });

  test('the HTTP status takes precedence over the code in the body', () => {
    expect(new ApiError({ code: 500 }, { httpStatus: 503 }).status).toBe(503);
  });

  test.each([
    ['neither header nor body', undefined, undefined, undefined],
    ['the header if the body has no time', undefined, 2_000, 2_000],
    ['the body if the header has no time', 3, undefined, 3_000],
    ['the body, if its time is longer', 3, 2_000, 3_000],
    ['the header, if its time is longer', 1, 2_000, 2_000],
    ['neither, if both say zero', 0, 0, undefined],
  ])('the wait time of an ApiError is taken from %s', (_what, retryAfterSeconds, retryAfterMs, expected) => {
    const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };

    const error = new ApiError({ code: 429, details }, { retryAfterMs });

    expect(error.retryAfterMs).toBe(expected);
  });
});

describe('isStatus', () => {
  test.each([
    [{ kind: 'Status', apiVersion: 'v1' }, true],
    [{ kind: 'Status' }, true],
    [{ kind: 'ConfigMap' }, false],
    ['Status', false],
    [null, false],
    [undefined, false],
  ])('isStatus(%j) is %s', (value, expected) => {
    expect(isStatus(value)).toBe(expected);
  });
});
