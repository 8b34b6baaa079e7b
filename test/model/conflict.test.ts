/**
 * Bodies are those of the recordings where a real server said them; the others are in its words.
 */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isNamespaceMissing, isNotFound } from '../../operator/model/not-found.ts';
import {
  applyConflictsOf,
  isApplyConflict,
  isBeingDeleted,
  isInvalid,
  isNamespaceTerminating,
  isUidMismatch,
  isUndeclaredField,
  isVersionConflict,
} from '../../operator/model/refusal.ts';
import { ApiError, isAlreadyExists, isConflict, type Status } from '../../operator/model/status.ts';

const PREDICATES = {
  isAlreadyExists,
  isApplyConflict,
  isBeingDeleted,
  isConflict,
  isInvalid,
  isNamespaceMissing,
  isNamespaceTerminating,
  isNotFound,
  isUidMismatch,
  isUndeclaredField,
  isVersionConflict,
};

interface Recorded {
  readonly request?: { readonly method: string; readonly path: string; readonly body?: string };
  readonly response?: { readonly status: number; readonly body: string };
}

/** The one refusal of `chapter` whose request and answer hold each of `texts`. */
function recorded(chapter: string, ...texts: readonly string[]): ApiError {
  const file = new URL(`../recordings/${chapter}.jsonl`, import.meta.url);
  const found = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Recorded)
    .filter(({ request, response }) => {
      const { method = '', path = '', body = '' } = request ?? {};
      const whole = [method, path, body, response?.body ?? ''].join(' ');
      return (response?.status ?? 0) >= 400 && texts.every((text) => whole.includes(text));
    });
  expect(found).toHaveLength(1);
  const { status = 0, body = '{}' } = found[0]?.response ?? {};
  return new ApiError(JSON.parse(body) as Status, { httpStatus: status });
}

function said(code: number, status: Omit<Status, 'kind'>): ApiError {
  return new ApiError(status, { httpStatus: code });
}

const QUOTA =
  'Operation cannot be fulfilled on resourcequotas "quota": the object has been modified; please apply your changes to the latest version and try again';

test.each<[string, ApiError, (keyof typeof PREDICATES)[]]>([
  [
    'an update of an older version',
    recorded('errors', 'PUT', '"resourceVersion":"1"', 'object has been modified'),
    ['isConflict', 'isVersionConflict'],
  ],
  [
    'a patch of an older version',
    recorded('errors', 'PATCH', '"resourceVersion":"1"'),
    ['isConflict', 'isVersionConflict'],
  ],
  [
    'an apply of an older version',
    recorded('patches', 'fieldManager=three', 'object has been modified'),
    ['isConflict', 'isVersionConflict'],
  ],
  [
    'a delete of an older version',
    recorded('errors', 'DELETE', 'ResourceVersion in the precondition'),
    ['isConflict', 'isVersionConflict'],
  ],
  [
    'an update of another uid',
    recorded('errors', 'UID in precondition'),
    ['isConflict', 'isUidMismatch'],
  ],
  [
    'a delete of another uid',
    recorded('errors', 'DELETE', 'the UID in the precondition'),
    ['isConflict', 'isUidMismatch'],
  ],
  [
    'an apply to an object that is gone',
    said(409, {
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid x, and no existing object was found',
      details: { name: 'a', kind: 'configmaps' },
    }),
    ['isConflict', 'isUidMismatch'],
  ],
  [
    'an apply to an object that was created again',
    said(422, {
      reason: 'Invalid',
      message: 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "x": field is immutable',
      details: { causes: [{ reason: 'FieldValueInvalid', field: 'metadata.uid' }] },
    }),
    ['isUidMismatch'],
  ],
  [
    'an apply of a field that another manager has',
    recorded('patches', 'fieldManager=two', 'Apply failed'),
    ['isApplyConflict', 'isConflict'],
  ],
  [
    'a name that is already taken',
    recorded('errors', 'configmaps \\"alpha\\" already exists'),
    ['isAlreadyExists'],
  ],
  [
    'a name whose object is being deleted',
    said(409, {
      reason: 'AlreadyExists',
      message: 'object is being deleted: configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    }),
    ['isAlreadyExists', 'isBeingDeleted'],
  ],
  [
    'an apply of a field that another manager has, with the object in the details',
    said(409, {
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.k',
      details: {
        name: 'a',
        kind: 'configmaps',
        causes: [
          { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' },
        ],
      },
    }),
    ['isApplyConflict', 'isConflict'],
  ],
  [
    'a webhook that refuses with 409',
    said(409, {
      reason: 'Conflict',
      message: 'admission webhook "w.example.dev" denied the request: not now',
    }),
    ['isConflict'],
  ],
  [
    'a webhook that refuses with 409, with the object in the details',
    said(409, {
      reason: 'Conflict',
      message: 'admission webhook "w.example.dev" denied the request: not now',
      details: { name: 'a', kind: 'configmaps' },
    }),
    ['isConflict'],
  ],
  ['a 409 without details', said(409, {}), []],
  [
    'a quota that another writer has changed',
    said(409, {
      reason: 'Conflict',
      message: QUOTA,
      details: { name: 'quota', kind: 'resourcequotas' },
    }),
    ['isConflict', 'isVersionConflict'],
  ],
  [
    '[K-46] a namespace that does not exist',
    recorded('errors', 'POST', '/namespaces/nope/'),
    ['isNamespaceMissing', 'isNotFound'],
  ],
  [
    '[K-46] a namespace that is being deleted',
    recorded('errors', 'NamespaceTerminating'),
    ['isNamespaceTerminating'],
  ],
  ['a violated rule of the API', recorded('errors', 'field is immutable when'), ['isInvalid']],
  [
    'an apply of a field that the installed definition does not have',
    said(500, {
      message:
        'failed to create typed patch object (default/a; example.dev/v1, Kind=Site): .status.words: field not declared in schema',
    }),
    ['isUndeclaredField'],
  ],
  ['another failure of the server', said(500, { message: 'etcdserver: request timed out' }), []],
  ['an object that does not exist', recorded('errors', 'PUT', 'created-by-put'), ['isNotFound']],
])('[K-43] the predicates for refusals return the correct results for %s', (_, error, expected) => {
  const holding = Object.entries(PREDICATES)
    .filter(([, holds]) => holds(error))
    .map(([name]) => name);

  expect(holding).toEqual(expected);
});

test('[K-40] the error for an apply conflict contains the managers and their fields', () => {
  expect(applyConflictsOf(recorded('patches', 'fieldManager=hpa', 'Apply failed'))).toEqual([
    { manager: 'operator', field: '.spec.replicas' },
  ]);
  const two = said(409, {
    reason: 'Conflict',
    details: {
      causes: [
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "kubectl" with subresource "scale" using apps/v1',
          field: '.spec.replicas',
        },
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "a \\"b\\"" using v1',
          field: '.x',
        },
      ],
    },
  });

  expect(applyConflictsOf(two)).toEqual([
    { manager: 'kubectl', field: '.spec.replicas' },
    { manager: 'a "b"', field: '.x' },
  ]);
  expect(applyConflictsOf(new Error('other'))).toEqual([]);
});
