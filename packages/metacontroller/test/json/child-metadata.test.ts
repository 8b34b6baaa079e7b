/** Names, namespaces and owners of children that no object can have: the answer is refused with their path. */
import { expect, test } from 'vitest';
import { recordingLog } from '../../../../test/support/recording-log.ts';
import { runToEnd } from '../../../../test/support/run-to-end.ts';
import { AnswerReader } from '../../src/json/answer-reader.ts';
import { compositeAnswer } from '../../src/json/children-answers.ts';
import { readAnswer } from '../support/answer.ts';
import { TYPES } from './orchards.ts';

function read(metadata: object): unknown {
  const reader = new AnswerReader({ hook: 'sync', answers: 'strict' });
  const text = JSON.stringify({ children: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata }] });
  const options = {
    types: [TYPES.configMaps],
    emptyChildren: 'refuse',
    extensions: false,
    finalizing: false,
  } as const;
  return runToEnd(
    compositeAnswer(reader, readAnswer({ text }), options, recordingLog().logFor({})),
  );
}

const OWNER = { apiVersion: 'v1', kind: 'Pod', name: 'b' };

test.each([
  [{ name: '.' }, 'name is no name that an object can have'],
  [{ name: '..' }, 'name is no name that an object can have'],
  [{ name: '../pods' }, 'name is no name that an object can have'],
  [{ name: 'a%2fb' }, 'name is no name that an object can have'],
  [{ name: 'a', namespace: '..' }, 'namespace is no name of a namespace'],
  [{ name: 'a', namespace: 'farm/pods' }, 'namespace is no name of a namespace'],
  [{ name: 'a', ownerReferences: 'farm' }, 'ownerReferences must be a list and is a string'],
  [{ name: 'a', ownerReferences: [null] }, 'ownerReferences[0] must be an object and is null'],
  [{ name: 'a', ownerReferences: [OWNER] }, 'ownerReferences[0].uid is missing'],
])('the child metadata %j are refused', (metadata, problem) => {
  expect(() => read(metadata)).toThrow(`children[0].metadata.${problem}`);
});

test.each([
  { name: 'system:farm' },
  { name: 'a', namespace: '' },
  { name: 'a', ownerReferences: null },
  { name: 'a', ownerReferences: [{ ...OWNER, uid: 'u-1' }] },
])('the child metadata %j are passed on unchecked to the API server', (metadata) => {
  expect(read(metadata)).toMatchObject({ children: [{ object: { metadata } }] });
});
