/** Every form of a 404, from its bytes to what it means. */
import { expect, test } from 'vitest';
import { responseFailure } from '../../operator/client/response-failure.ts';
import { isNamespaceMissing, isNotFound, isUnserved } from '../../operator/model/not-found.ts';
import { isAdmissionDenied } from '../../operator/model/refusal.ts';
import { ApiError } from '../../operator/model/status.ts';

const PREDICATES = { isAdmissionDenied, isNamespaceMissing, isNotFound, isUnserved };

const meaningOf = (error: unknown): readonly string[] =>
  Object.entries(PREDICATES)
    .filter(([, holds]) => holds(error))
    .map(([name]) => name);

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };

const status = (more: object, metadata: object = {}): string =>
  JSON.stringify({
    ...{ kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure' },
    ...more,
    ...{ reason: 'NotFound', code: 404 },
  });
const NOT_SERVED = 'the server could not find the requested resource';
const PASSED_ON = [{ reason: 'UnexpectedServerResponse', message: '404 page not found' }];

test.each<[what: string, headers: Record<string, string>, body: string, meaning: string[]]>([
  ['a line of text', TEXT, '404 page not found\n', ['isUnserved']],
  ['text of another server', TEXT, 'no such page', ['isUnserved']],
  ['no text', TEXT, '', ['isUnserved']],
  ['a Status without details', JSON_TYPE, status({ message: NOT_SERVED }), ['isUnserved']],
  [
    'a Status with empty details',
    JSON_TYPE,
    status({ message: NOT_SERVED, details: {} }),
    ['isUnserved'],
  ],
  ['a Status without a message', JSON_TYPE, status({}), ['isUnserved']],
  [
    'a Status whose details have only a kind',
    JSON_TYPE,
    status({ message: 'no such metric', details: { kind: 'pods' } }),
    ['isUnserved'],
  ],
  [
    'a Status with an empty name',
    JSON_TYPE,
    status({ message: NOT_SERVED, details: { name: '', kind: 'boats' } }),
    ['isUnserved'],
  ],
  [
    'a Status that a proxy made from a line of text',
    JSON_TYPE,
    status({
      message: `${NOT_SERVED} (get boats.sea.example b)`,
      details: { name: 'b', group: 'sea.example', kind: 'boats', causes: PASSED_ON },
    }),
    ['isUnserved'],
  ],
  [
    'a Status with details of another type',
    JSON_TYPE,
    status({ message: 'odd', details: ['b'] }),
    ['isUnserved'],
  ],
  [
    'a Status with the name of an object',
    JSON_TYPE,
    status({ message: 'boats.sea.example "b" not found', details: { name: 'b', kind: 'boats' } }),
    ['isNotFound'],
  ],
  [
    'a Status with the name of an object of an aggregated API',
    JSON_TYPE,
    status({ message: 'pods.metrics.k8s.io "demo/b" not found', details: { name: 'demo/b' } }),
    ['isNotFound'],
  ],
  [
    'a Status with the name of the namespace',
    JSON_TYPE,
    status({ message: 'namespaces "n" not found', details: { name: 'n', kind: 'namespaces' } }),
    ['isNamespaceMissing', 'isNotFound'],
  ],
  [
    'a webhook that refuses with this status',
    JSON_TYPE,
    status({ message: 'admission webhook "w.sea.example" denied the request: no harbour' }),
    ['isAdmissionDenied'],
  ],
  [
    'a webhook that returns the name of the object',
    JSON_TYPE,
    status({
      message: 'admission webhook "w.sea.example" denied the request: boats "b" not found',
      details: { name: 'b', kind: 'boats' },
    }),
    ['isAdmissionDenied'],
  ],
])('[found 1] [K-48] a 404 response with %s is classified correctly', (_, headers, text, meaning) => {
  expect(meaningOf(responseFailure({ status: 404, headers, text }, 0))).toEqual(meaning);
});

test('[found 1] [K-48] no failure other than a 404 of the API server counts as a missing object or path', () => {
  const failures = [
    new ApiError({ code: 410, reason: 'Gone', message: NOT_SERVED }),
    new ApiError({ code: 409, reason: 'NotFound', details: { name: 'b' } }),
    new ApiError({ code: 503, message: '404 page not found' }),
    responseFailure({ status: 404, headers: { 'content-type': 'text/html' }, text: '<html>' }, 0),
    new Error('404 page not found'),
    undefined,
  ];

  expect(failures.flatMap(meaningOf)).toEqual([]);
});
