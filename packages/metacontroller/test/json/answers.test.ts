import { describe, expect, test } from 'vitest';
import { type LogLine, recordingLog } from '../../../../test/support/recording-log.ts';
import { runToEnd } from '../../../../test/support/run-to-end.ts';
import { HookError } from '../../src/hook-error.ts';
import type { HookAnswer } from '../../src/hook-function.ts';
import { AnswerReader, type AnswerReaderOptions } from '../../src/json/answer-reader.ts';
import {
  type CompositeAnswer,
  compositeAnswer,
  type DecorationAnswer,
  decorationAnswer,
  type SyncAnswerOptions,
} from '../../src/json/children-answers.ts';
import { readAnswer } from '../support/answer.ts';
import { TYPES } from './orchards.ts';

const { configMaps, deployments } = TYPES;

type Options = Partial<SyncAnswerOptions & AnswerReaderOptions>;

function sync(
  text: string,
  { answers = 'loose', ...options }: Options = {},
): CompositeAnswer & { readonly lines: readonly LogLine[] } {
  const { lines, logFor } = recordingLog();
  const reader = new AnswerReader({ hook: 'sync', answers });
  return {
    ...runToEnd(compositeAnswer(reader, readAnswer({ text }), { ...SYNC, ...options }, logFor({}))),
    lines,
  };
}

const SYNC: SyncAnswerOptions = {
  types: [configMaps, deployments],
  emptyChildren: 'refuse',
  extensions: false,
  finalizing: false,
};

function decoration(text: string, options: Options = {}): DecorationAnswer {
  const reader = new AnswerReader({ hook: 'sync', answers: 'strict' });
  const { logFor } = recordingLog();
  return runToEnd(
    decorationAnswer(reader, readAnswer({ text }), { ...SYNC, ...options }, logFor({})),
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

function child(fields: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...fields };
}

function withChild(one: unknown): string {
  return JSON.stringify({ children: [child(), one] });
}

describe('children in an answer', () => {
  test('[contract 31] [metacontroller 10] an empty list of children is valid, and each child has its declared type', () => {
    const text = withChild({ ...child(), apiVersion: 'apps/v1', kind: 'Deployment' });

    expect(sync('{"children": []}').children).toEqual([]);
    expect(sync(text).children.map(({ resource }) => resource)).toEqual([configMaps, deployments]);
  });

  test.each([
    '{}',
    '{"children": null}',
    '{"status": {"ready": 1}}',
  ])('[contract 30] [metacontroller 10] [metacontroller M2] the answer %s is an error, or means no children if `emptyChildren` is `delete`', (text) => {
    expect(refusal(() => sync(text))).toBe(
      `children must be a list and is ${kindOfChildren(text)}`,
    );
    expect(sync(text, { emptyChildren: 'delete' }).children).toEqual([]);
  });

  test('[metacontroller M2] the list of children may be missing if no types are declared, and in the last answer of a finalize hook', () => {
    const finalized = '{"finalized": true}';

    expect(sync('{}', { types: [] }).children).toEqual([]);
    expect(sync(finalized, { finalizing: true }).children).toEqual([]);
    expect(refusal(() => sync(finalized))).toBe('children must be a list and is missing');
    expect(refusal(() => decoration('{}'))).toBe('attachments must be a list and is missing');
    expect(decoration('{}', { types: [] }).children).toEqual([]);
  });

  test.each([
    ['null', null, 'must be an object and is null'],
    ['a string', 'a', 'must be an object and is a string'],
    ['a list', [], 'must be an object and is a list'],
    ['an empty object', {}, { kind: 'is missing' }],
    [
      'an object without apiVersion',
      child({ apiVersion: undefined }),
      { apiVersion: 'is missing' },
    ],
    ['an object with an empty kind', child({ kind: '' }), { kind: 'is empty' }],
    [
      'an object whose kind is a number',
      child({ kind: 5 }),
      { kind: 'must be a string and is a number' },
    ],
    ['an object without metadata', child({ metadata: undefined }), { metadata: 'is missing' }],
    [
      '[contract 13] an object without a name',
      child({ metadata: {} }),
      { 'metadata.name': 'is missing' },
    ],
    [
      'an object with generateName',
      child({ metadata: { generateName: 'a-' } }),
      {
        'metadata.name': 'is missing: generateName cannot name an object that is to be found again',
      },
    ],
    [
      'an object whose namespace is a number',
      child({ metadata: { name: 'a', namespace: 1 } }),
      { 'metadata.namespace': 'must be a string and is a number' },
    ],
    [
      'an object with a label that is not a string',
      child({ metadata: { name: 'a', labels: { 'app/tier': 2 } } }),
      { 'metadata.labels["app/tier"]': 'must be a string and is a number' },
    ],
    [
      'an object with an annotation that is null',
      child({ metadata: { name: 'a', annotations: { note: null } } }),
      { 'metadata.annotations.note': 'must be a string and is null' },
    ],
    [
      'an object of an undeclared kind',
      child({ kind: 'Secret' }),
      'is a Secret of v1, a type that the controller does not declare',
    ],
    [
      'an object of another version',
      child({ apiVersion: 'apps/v1beta1', kind: 'Deployment' }),
      'is a Deployment of "apps/v1beta1", a type that the controller does not declare',
    ],
  ])('[contract 13] [contract 32] [metacontroller M21] %s as a child is refused with its path', (_, one, problem) => {
    const [[field, what] = ['', problem]] =
      typeof problem === 'string' ? [] : Object.entries(problem);

    const path = `children[1]${field === '' ? '' : `.${field}`}`;
    expect(refusal(() => sync(withChild(one)))).toBe(`${path} ${what}`);
    expect(sync(withChild(child())).children).toHaveLength(2);
  });

  test('[contract 32] [metacontroller M21] null in the list of attachments is refused, too', () => {
    expect(refusal(() => decoration('{"attachments": [null]}'))).toBe(
      'attachments[0] must be an object and is null',
    );
  });

  test("[contract 11] the names of an answer's fields are case-sensitive", () => {
    expect(refusal(() => sync('{"Children": []}'))).toBe('children must be a list and is missing');
    expect(sync('{"children": [], "Status": {}}').status).toBeNull();
  });
});

function kindOfChildren(text: string): string {
  return text.includes('null') ? 'null' : 'missing';
}

describe('status, times and finalizers', () => {
  test.each([
    ['null', null],
    ['{}', {}],
    ['{"ready": 12345678901234567890, "ratio": 0.5}', { ready: 12345678901234567890n, ratio: 0.5 }],
  ])('the status of an answer may be %s', (status, expected) => {
    expect(sync(`{"children": [], "status": ${status}}`).status).toEqual(expected);
  });

  test.each([
    ['"status": []', 'status must be an object and is a list'],
    ['"status": "ready"', 'status must be an object and is a string'],
    ['"finalized": "yes"', 'finalized must be true or false and is a string'],
    ['"resyncAfterSeconds": "5"', 'resyncAfterSeconds must be a number and is a string'],
  ])('the field %s is refused', (field, problem) => {
    expect(refusal(() => sync(`{"children": [], ${field}}`))).toBe(problem);
  });

  test.each([
    ['0.5', 500],
    ['30', 30_000],
    ['0.0000001', 1],
    ['0', undefined],
    ['-0.0', undefined],
    ['null', undefined],
    ['31622400', 31_622_400_000],
  ])('[contract 35] [metacontroller M18] resyncAfterSeconds %s is %s ms', (seconds, ms) => {
    const text = `{"children": [], "resyncAfterSeconds": ${seconds}}`;

    expect(sync(text).resyncAfterMs).toBe(ms);
  });

  test.each([
    ['-1', 'is negative'],
    ['-1e-9', 'is negative'],
    ['31622401', 'is more than a year'],
    ['1e400', 'is more than a year'],
    ['99999999999999999999', 'is more than a year'],
  ])('[contract 36] [metacontroller M18] resyncAfterSeconds %s is refused', (seconds, problem) => {
    const text = `{"children": [], "resyncAfterSeconds": ${seconds}}`;

    expect(refusal(() => sync(text))).toBe(`resyncAfterSeconds ${problem}`);
  });

  test('[contract 33] [metacontroller M22] only a finalize hook can say that a parent is finalized', () => {
    const text = '{"children": [], "finalized": true}';

    expect(sync(text, { finalizing: true }).finalized).toBe(true);
    expect(sync(text, { finalizing: false }).finalized).toBe(false);
    expect(decoration('{"attachments": [], "finalized": true}').finalized).toBe(false);
  });
});

describe('labels and annotations of a decorated object', () => {
  test('[metacontroller 16] null deletes a label or annotation, and a missing map changes nothing', () => {
    const text = '{"attachments": [], "labels": {"a": "1", "b": null}, "annotations": null}';

    const { labels, annotations } = decoration(text);

    expect({ labels, annotations }).toEqual({ labels: { a: '1', b: null }, annotations: {} });
  });

  test.each([
    ['"labels": ["a"]', 'labels must be an object and is a list'],
    ['"labels": {"a": true}', 'labels.a must be a string and is a boolean'],
    ['"annotations": {"x-y": {}}', 'annotations["x-y"] must be a string and is an object'],
  ])("the field %s of a decorator's answer is refused", (field, problem) => {
    expect(refusal(() => decoration(`{"attachments": [], ${field}}`))).toBe(problem);
  });
});

describe('unknown and repeated fields', () => {
  test.each([
    ['{"children": [], "chidren": []}', 'unknown field chidren'],
    ['{"children": [], "status": {}, "status": {"a": 1}}', 'repeated field status'],
    ['{"children": [], "status": {"a": {"b": 1, "\\u0062": 2}}}', 'repeated field status.a.b'],
    [
      '{"children": [], "status": {"l": [0, {"x-y": 1, "x-y": 2}]}}',
      'repeated field status.l[1]["x-y"]',
    ],
    ['{"children": [], "labels": {}}', 'unknown field labels'],
    ['{"children": [], "events": []}', 'unknown field events'],
  ])('[contract 12] [metacontroller 11] for %s, strict mode makes the answer fail with the path, and loose mode logs the path once', (text, found) => {
    expect(refusal(() => sync(text, { answers: 'strict' }))).toBe(`it has the ${found}`);
    expect(sync(text).lines).toEqual([
      {
        level: 'warn',
        message: 'the answer of a hook is not strictly valid, and is accepted',
        fields: { hook: 'sync', found },
      },
    ]);
  });

  test('[metacontroller 11] in loose mode, each problem of an answer is logged once in the life of a controller', () => {
    const reader = new AnswerReader({ hook: 'sync', answers: 'loose' });
    const { lines, logFor } = recordingLog();

    for (const extra of ['a', 'a', 'b']) {
      const answer = readAnswer({ text: `{"children": [], "${extra}": 1}` });
      runToEnd(compositeAnswer(reader, answer, SYNC, logFor({})));
    }

    expect(lines.map(({ fields }) => fields.found)).toEqual(['unknown field a', 'unknown field b']);
  });

  test('[metacontroller 11] a repeated field within a child is not an error, even in a strict answer', () => {
    const text =
      '{"children": [{"kind": "ConfigMap", "kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}}]}';

    const { children, lines } = sync(text, { answers: 'strict' });

    expect(children).toHaveLength(1);
    expect(lines.map(({ fields }) => fields.found)).toEqual(['repeated field children[0].kind']);
  });

  test('colons, braces and escaped quotes within strings do not count as repeated fields', () => {
    const status = { a: ':"{}[],\\"', 'b:"': '::', c: { a: '\\', b: '"a": 1, "a": 2' } };

    const { lines } = sync(JSON.stringify({ children: [], status }), { answers: 'strict' });

    expect(lines).toEqual([]);
  });

  test('messages shorten a field name of the answer, and escape its invisible characters', () => {
    const name = `\u202e${'x'.repeat(100)}`;

    const said = refusal(() =>
      sync(JSON.stringify({ children: [], [name]: 1 }), { answers: 'strict' }),
    );

    expect(said).toBe(`it has the unknown field ["\\u202e${'x'.repeat(39)}"]`);
  });
});

describe('contents that are not an answer', () => {
  test.each([
    ['', 'it is empty'],
    [' \n', 'it is empty'],
    ['<html>502</html>', 'it is HTML or XML, not JSON'],
    ['{"children": [', 'it is JSON that ends too early'],
    ['{"children": [}', 'it is not JSON'],
    [`{"children": [],, ${' '.repeat(100)}}`, 'it is not JSON, at position 16'],
    ['null', 'it must be an object and is null'],
    ['[]', 'it must be an object and is a list'],
    ['"ok"', 'it must be an object and is a string'],
    [`{"children": ${'['.repeat(2_000)}${']'.repeat(2_000)}}`, 'it has more than 1000 levels'],
    [
      `{"children": [], "status": {"n": 12345678901234567890, "a": ${'{"b":'.repeat(9_000)}1${'}'.repeat(9_000)}}}`,
      'it has more than 1000 levels',
    ],
    [
      JSON.stringify({ children: Array.from({ length: 10_001 }, () => child()) }),
      'children has more than 10000 items',
    ],
    [`{"children": [${'0,'.repeat(500_000)}0]}`, 'it has more than 500000 values'],
    [
      `{"children": [], "status": {${Array.from({ length: 10_001 }, (_, at) => `"${at}":0`).join(',')}}}`,
      'it has an object with more than 10000 members',
    ],
    [
      `{"children": [], "status": {"n": ${'9'.repeat(5_000)}}}`,
      'it has a number or a word of more than 1000 characters',
    ],
  ])('[found 3] the answer %.60s is refused', (text, problem) => {
    expect(refusal(() => sync(text))).toBe(problem);
  });

  test('an error message quotes nothing of the answer', () => {
    const secret = 'c2VjcmV0LXBhc3N3b3Jk';
    const texts = [
      `{"children": [], "status": "${secret}"}`,
      `{"children": [{"data": "${secret}"}]}`,
      `{"children": [], "a": "${secret}" ?`,
      `${secret}`,
      `{"children": "${secret}"}`,
    ];

    for (const text of texts) {
      const said = refusal(() => sync(text));

      expect(said).not.toBe('none');
      expect(said).not.toContain(secret);
    }
  });
});

describe('values of modules', () => {
  function fromModule(value: unknown): CompositeAnswer {
    const answer: HookAnswer = { value };
    const reader = new AnswerReader({ hook: 'sync', answers: 'strict' });
    return runToEnd(compositeAnswer(reader, readAnswer(answer), SYNC, recordingLog().logFor({})));
  }

  test('the value of a module loses the properties that JSON omits, and a bigint becomes an integer', () => {
    const status = { count: 2n ** 60n, left: undefined, at: new Date(0) };

    const answer = fromModule({ children: [child()], status, finalized: undefined });

    expect(answer.status).toEqual({ count: 2n ** 60n, at: '1970-01-01T00:00:00.000Z' });
    expect(answer.children).toHaveLength(1);
  });

  test('an answer does not change when the module later changes the value that it returned', () => {
    const value = { children: [], status: { ready: 1 } };

    const { status } = fromModule(value);
    value.status.ready = 2;

    expect(status).toEqual({ ready: 1 });
  });

  const cycle: Record<string, unknown> = {};
  cycle.cycle = cycle;

  test.each([
    ['undefined', undefined, 'it is nothing'],
    ['a function', () => ({ children: [] }), 'it is nothing'],
    [
      'a cycle',
      { children: [], status: cycle },
      'it has more than 500000 values, or contains itself',
    ],
    ['NaN', { children: [], status: { ratio: Number.NaN } }, 'it cannot be written as JSON'],
    [
      'a getter that throws',
      {
        get children(): never {
          throw new Error('password');
        },
      },
      'it cannot be written as JSON',
    ],
    [
      'more values than an answer may have',
      { children: [], status: { all: Array.from({ length: 500_001 }, () => 0) } },
      'it has more than 500000 values, or contains itself',
    ],
    [
      'a longer string than an answer may have',
      { children: [], status: { a: 'x'.repeat(6_000_000), b: 'x'.repeat(6_000_000) } },
      'it has more than 10000000 characters',
    ],
    ['a Map', { children: [], status: new Map([['ready', 1]]) }, 'none'],
  ])('the value of a module with %s is refused, unless JSON can represent the value', (_, value, problem) => {
    expect(refusal(() => fromModule(value))).toBe(problem);
  });
});

describe('[metacontroller M15] Events', () => {
  const on = { extensions: true, answers: 'strict' } as const;
  const withEvents = (events: unknown): string => JSON.stringify({ children: [], events });

  test('[contract 49] Events in an answer are read only if extensions are enabled', () => {
    const text = withEvents([
      { type: 'Warning', reason: 'LowStock', message: 'two trees are left' },
      { reason: 'Planted', message: 'm'.repeat(2_000) },
    ]);

    expect(sync(text, on).events).toEqual([
      { type: 'Warning', reason: 'LowStock', message: 'two trees are left' },
      { type: 'Normal', reason: 'Planted', message: 'm'.repeat(1_024) },
    ]);
    expect(sync(text, { extensions: false }).events).toEqual([]);
    expect(sync('{"children": []}', on).events).toEqual([]);
  });

  test.each([
    [[null], 'events[0] must be an object and is null'],
    [
      [{ reason: 'low stock', message: 'm' }],
      'events[0].reason must be CamelCase, with at most 128 characters',
    ],
    [[{ reason: 'A', message: '' }], 'events[0].message is empty'],
    [[{ type: 'Error', reason: 'A', message: 'm' }], 'events[0].type must be Normal or Warning'],
    [[{ reason: 'A', message: 'm', note: 'n' }], 'it has the unknown field events[0].note'],
    [
      Array.from({ length: 11 }, () => ({ reason: 'A', message: 'm' })),
      'events has more than 10 items',
    ],
  ])('the Events %j are refused', (events, problem) => {
    expect(refusal(() => sync(withEvents(events), on))).toBe(problem);
  });
});
