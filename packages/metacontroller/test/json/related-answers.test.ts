import { describe, expect, test } from 'vitest';
import { recordingLog } from '../../../../test/support/recording-log.ts';
import { runToEnd } from '../../../../test/support/run-to-end.ts';
import { HookError } from '../../src/hook-error.ts';
import { AnswerReader } from '../../src/json/answer-reader.ts';
import { relatedAnswer } from '../../src/json/related-answer.ts';
import { readAnswer } from '../support/answer.ts';

function rules(text: string, answers: 'loose' | 'strict' = 'loose') {
  const reader = new AnswerReader({ hook: 'customize', answers });
  return runToEnd(relatedAnswer(reader, readAnswer({ text }), recordingLog().logFor({}))).map(
    ({ part: _, ...rule }) => rule,
  );
}

/** The message of the HookError that reading throws. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(HookError);
    expect(error).toMatchObject({ reason: 'InvalidAnswer', layer: 'user-code' });
    return (error as HookError).message.replace(/^the answer of the \w+ hook is unusable: /, '');
  }
  return 'none';
}

describe('[metacontroller 19] related resources', () => {
  const rule = { apiVersion: 'v1', resource: 'secrets' };

  test('related rules may be in an object, or in a bare list as in the documents of Metacontroller', () => {
    const list = [
      { ...rule, labelSelector: {}, names: null, namespace: '' },
      {
        ...rule,
        labelSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
        namespaceSelector: { matchLabels: { team: 'farm' } },
      },
      { ...rule, names: ['a'], namespace: 'farm' },
      { ...rule, names: [] },
    ];
    const expected = [
      { ...rule, labelSelector: {} },
      {
        ...rule,
        labelSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: [] }] },
        namespaceSelector: { matchLabels: { team: 'farm' } },
      },
      { ...rule, names: ['a'], namespace: 'farm' },
      rule,
    ];

    expect(rules(JSON.stringify({ relatedResources: list }))).toEqual(expected);
    expect(rules(JSON.stringify(list), 'strict')).toEqual(expected);
    expect(rules('{}')).toEqual([]);
  });

  test.each([
    ['{"relatedResources": {}}', 'relatedResources must be a list and is an object'],
    ['[null]', '[0] must be an object and is null'],
    ['[{"apiVersion": "v1"}]', '[0].resource is missing'],
    [
      '[{"apiVersion": "v1", "resource": "secrets", "names": "a"}]',
      '[0].names must be a list and is a string',
    ],
    [
      '[{"apiVersion": "v1", "resource": "secrets", "names": [1]}]',
      '[0].names[0] must be a string and is a number',
    ],
    [
      '[{"apiVersion": "v1", "resource": "secrets", "labelSelector": "a=b"}]',
      '[0].labelSelector must be an object and is a string',
    ],
    [
      '[{"apiVersion": "v1", "resource": "secrets", "labelSelector": {"matchLabels": {"a": 1}}}]',
      '[0].labelSelector.matchLabels.a must be a string and is a number',
    ],
  ])('the related rules %s are refused', (text, problem) => {
    expect(refusal(() => rules(text))).toBe(problem);
  });

  test('[metacontroller 11] unknown fields of a related rule and of its selectors are refused only in strict mode', () => {
    const text = (fields: string) => `[{"apiVersion": "v1", "resource": "secrets", ${fields}}]`;

    expect(refusal(() => rules(text('"name": "a"'), 'strict'))).toBe(
      'it has the unknown field [0].name',
    );
    expect(refusal(() => rules(text('"labelSelector": {"app": "a"}'), 'strict'))).toBe(
      'it has the unknown field [0].labelSelector.app',
    );
    expect(rules(text('"name": "a"'))).toEqual([rule]);
  });
});
