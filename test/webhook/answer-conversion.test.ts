/** The answer to a ConversionReview of the API server. */
import { expect, test } from 'vitest';
import type { OperatorError } from '../../operator/core/errors.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { conversion, customResource } from '../../operator/schema.ts';
import { answerConversion } from '../../operator/webhook/answer-conversion.ts';
import {
  alphaToBeta,
  betaToV1,
  boat,
  boats,
  v1,
  v1alpha1,
  v1beta1,
} from '../schema/conversion/boats.ts';

const review = (objects: readonly unknown[], desiredAPIVersion = 'harbour.example/v1'): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: { uid: 'a-uid', desiredAPIVersion, objects },
});

const numbered = (count: number): readonly KubernetesObject[] =>
  Array.from({ length: count }, (_none, at) =>
    boat(
      at % 2 === 0 ? 'v1alpha1' : 'v1beta1',
      {
        spec: at % 2 === 0 ? { length: `${at}m` } : { meters: at },
      },
      { name: `boat-${at}`, uid: `uid-${at}` },
    ),
  );

test('[admission 17] a conversion review of 500 objects is answered with all of them, in order and with its uid', async () => {
  const answer = await answerConversion([boats], review(numbered(500)));

  expect(answer).toMatchObject({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: { uid: 'a-uid', result: { status: 'Success' } },
  });
  expect(answer.response.convertedObjects).toEqual(
    numbered(500).map(({ metadata }, at) => ({
      ...boat('v1', { spec: { hull: { meters: at } } }),
      metadata,
    })),
  );
});

test('objects that already have the wanted version pass unchanged, whatever they contain', async () => {
  const odd = boat('v1', { spec: 7, other: [] });
  const foreign = { ...odd, kind: 'Ship' };

  const { response } = await answerConversion([boats], review([odd, foreign]));

  expect(response.convertedObjects).toEqual([odd, foreign]);
});

test('[A-9] [admission 18] the message of a failed conversion contains versions and object name but no content, and the cause is logged', async () => {
  const resource = customResource({
    group: 'harbour.example',
    kind: 'Boat',
    ...v1beta1,
    otherVersions: [v1alpha1],
    convert: [
      conversion(v1alpha1, v1beta1, {
        up: ({ spec }) => {
          throw new Error(`no crew: ${JSON.stringify(spec)}`);
        },
        down: () => ({ spec: { length: '1m' }, status: undefined }),
      }),
    ],
  });
  const failures: OperatorError[] = [];
  const object = boat('v1alpha1', { spec: { length: '5m', color: 'hush' } });

  const { response } = await answerConversion(
    [resource],
    review([object], 'harbour.example/v1beta1'),
    { onFailure: (error) => failures.push(error) },
  );

  expect(response).toEqual({
    uid: 'a-uid',
    convertedObjects: [],
    result: {
      status: 'Failure',
      message:
        "v1alpha1 → v1beta1 of boats.harbour.example quay/ann: the function threw Error: the operator's log has the cause",
    },
  });
  expect(failures.map(({ cause }) => (cause as Error).message)).toEqual([
    'no crew: {"length":"5m","color":"hush"}',
  ]);
});

test('one bad object fails its conversion review, and the next review is answered', async () => {
  const resource = customResource({
    group: 'harbour.example',
    kind: 'Boat',
    ...v1,
    otherVersions: [v1alpha1, v1beta1],
    convert: [
      {
        ...alphaToBeta,
        up: ({ metadata }: KubernetesObject) =>
          metadata.name === 'boat-2' ? undefined : { spec: { meters: 1 } },
      },
      betaToV1,
    ],
  });

  const failed = await answerConversion([resource], review(numbered(4)));
  const fine = await answerConversion([resource], review(numbered(2)));

  expect(failed.response).toMatchObject({
    convertedObjects: [],
    result: { message: expect.stringContaining('quay/boat-2: the function returned no object') },
  });
  expect(fine.response.convertedObjects).toHaveLength(2);
});

test.each([
  [
    'a kind that no resource converts',
    { ...boat('v1beta1', {}), kind: 'Ship' },
    'objects[0]: this operator does not convert harbour.example/v1beta1 Ship to harbour.example/v1',
  ],
  [
    'a version that is not declared',
    boat('v7', {}),
    'harbour.example/v7 Boat is no version and kind of boats.harbour.example',
  ],
  [
    'another group',
    { ...boat('v1', {}), apiVersion: 'docks.example/v1' },
    'objects[0]: this operator does not convert docks.example/v1 Boat to harbour.example/v1',
  ],
  [
    'no metadata',
    { apiVersion: 'harbour.example/v1beta1', kind: 'Boat' },
    'objects[0] has no apiVersion, kind or metadata',
  ],
  ['a string', 'boat', 'objects[0] has no apiVersion, kind or metadata'],
])('the conversion of an object of %s fails', async (_what, object, message) => {
  const { response } = await answerConversion([boats], review([object]));

  expect(response).toEqual({
    uid: 'a-uid',
    convertedObjects: [],
    result: { status: 'Failure', message },
  });
});

test('a conversion review of more than 10,000 objects fails', async () => {
  const many = Array.from({ length: 10_001 }, () => boat('v1', {}));

  const { response } = await answerConversion([boats], review(many));

  expect(response.result).toEqual({
    status: 'Failure',
    message: 'a review of 10001 objects has more than 10000',
  });
});

test.each([
  ['no content', undefined, 'the body is no ConversionReview of apiextensions.k8s.io/v1'],
  ['a list', [], 'the body is no ConversionReview of apiextensions.k8s.io/v1'],
  [
    'an AdmissionReview',
    { ...review([]), kind: 'AdmissionReview' },
    'the body is no ConversionReview',
  ],
  [
    'the version v1beta1',
    { ...review([]), apiVersion: 'apiextensions.k8s.io/v1beta1' },
    'the body is no ConversionReview',
  ],
  ['no request', { ...review([]), request: null }, 'the ConversionReview has no uid'],
  ['an empty uid', { ...review([]), request: { uid: '' } }, 'the ConversionReview has no uid'],
  [
    'no objects',
    { ...review([]), request: { uid: 'u', desiredAPIVersion: 'a/v1' } },
    'or no list of objects',
  ],
])('a conversion request with %s is not answered with a ConversionReview', async (_what, body, message) => {
  await expect(answerConversion([boats], body)).rejects.toThrow(message);
});

test('the conversion of a large list does not block the event loop', async () => {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);

  await answerConversion([boats], review(numbered(5_000)));
  isDone = true;

  expect(turns).toBeGreaterThan(1);
});
