/** No answer, however hostile, gives another error than HookError. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText, memberName } from '../../../../test/support/json-arbitraries.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { recordingLog } from '../../../../test/support/recording-log.ts';
import { runToEnd } from '../../../../test/support/run-to-end.ts';
import { HookError } from '../../src/hook-error.ts';
import type { HookAnswer } from '../../src/hook-function.ts';
import { AnswerReader } from '../../src/json/answer-reader.ts';
import type { AnswerValue } from '../../src/json/answer-value.ts';
import { compositeAnswer, decorationAnswer } from '../../src/json/children-answers.ts';
import { relatedAnswer } from '../../src/json/related-answer.ts';
import { readAnswer } from '../support/answer.ts';
import { TYPES } from './orchards.ts';

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withSparseArray: true,
  withNullPrototype: true,
  withObjectString: true,
  key: memberName(),
});

/** Nearly right: the fields of answers, with values that are right, and values that are anything. */
const near = fc.record(
  {
    children: fc.oneof(anything, fc.array(nearObject())),
    attachments: fc.oneof(anything, fc.array(nearObject())),
    status: anything,
    labels: fc.oneof(anything, fc.dictionary(memberName(), fc.oneof(fc.string(), anything))),
    annotations: anything,
    resyncAfterSeconds: fc.oneof(fc.double(), anything),
    finalized: fc.oneof(fc.boolean(), anything),
    events: fc.oneof(anything, fc.array(anything)),
    relatedResources: fc.oneof(anything, fc.array(nearRule())),
    [`__proto__`]: anything,
  },
  { requiredKeys: [] },
);

function nearObject(): fc.Arbitrary<object> {
  return fc.record(
    {
      apiVersion: fc.oneof(fc.constant('v1'), anything),
      kind: fc.oneof(fc.constant('ConfigMap'), anything),
      metadata: fc.oneof(
        fc.record({ name: fc.string(), labels: anything }, { requiredKeys: [] }),
        anything,
      ),
    },
    { requiredKeys: [] },
  );
}

function nearRule(): fc.Arbitrary<object> {
  return fc.record(
    {
      apiVersion: fc.oneof(fc.constant('v1'), anything),
      resource: fc.oneof(fc.constant('secrets'), anything),
      names: fc.oneof(fc.array(fc.string()), anything),
      labelSelector: fc.oneof(
        anything,
        fc.record({ matchLabels: anything, matchExpressions: fc.array(anything) }),
      ),
    },
    { requiredKeys: [] },
  );
}

/** Pieces of JSON in any order: brackets that do not match, cut texts, names that are repeated. */
const broken = fc
  .array(
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"children"', '"a"', 'null', '1e999', '-', '\\"'),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''));

const deep = fc
  .tuple(fc.integer({ min: 1, max: 20_000 }), fc.constantFrom('[', '{"a":'))
  .map(([levels, open]) => {
    const close = open === '[' ? ']' : '}';
    return `{"children": [], "status": {"a": ${open.repeat(levels)}1${close.repeat(levels)}}}`;
  });

const answers: fc.Arbitrary<HookAnswer> = fc.oneof(
  near.map((value) => ({ value })),
  anything.map((value) => ({ value })),
  near.map((value) => ({ text: textOf(value) })),
  jsonText().map((text) => ({ text })),
  fc.string({ unit: 'binary' }).map((text) => ({ text })),
  broken.map((text) => ({ text })),
  deep.map((text) => ({ text })),
);

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? String(member) : member,
  );
}

const readers = {
  composite: compositeAnswer,
  decorator: decorationAnswer,
  customize: (
    reader: AnswerReader,
    answer: AnswerValue,
    _: unknown,
    log: Parameters<typeof relatedAnswer>[2],
  ) => relatedAnswer(reader, answer, log),
};

test.each(
  Object.entries(readers),
)('any answer of a %s hook is either read or refused with a typed error', (_, read) => {
  const { configMaps, deployments } = TYPES;
  const log = recordingLog().logFor({});

  fc.assert(
    fc.property(
      answers,
      fc.constantFrom('loose' as const, 'strict' as const),
      fc.boolean(),
      (answer, mode, flag) => {
        const reader = new AnswerReader({ hook: 'sync', answers: mode });
        const options = {
          types: [configMaps, deployments],
          emptyChildren: flag ? ('delete' as const) : ('refuse' as const),
          extensions: flag,
          finalizing: flag,
        };
        try {
          const work: Generator<void, unknown, undefined> = read(
            reader,
            readAnswer(answer),
            options,
            log,
          );
          runToEnd(work);
        } catch (error) {
          expect(error).toBeInstanceOf(HookError);
          expect((error as HookError).message.length).toBeLessThan(3_000);
        }
      },
    ),
    propertyRuns(10),
  );
});
