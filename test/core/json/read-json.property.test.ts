/** Texts of others, as values: what is read is what JSON.parse reads, and what is refused is refused in small steps. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  JSON_LIMITS,
  type JsonLimits,
  JsonTextError,
} from '../../../operator/core/json/json-limits.ts';
import { parseExact } from '../../../operator/core/json/parse-exact.ts';
import { JsonSyntaxError } from '../../../operator/core/json/parse-in-pieces.ts';
import { readJsonDocuments, readJsonValue } from '../../../operator/core/json/read-json.ts';
import { jsonValue } from '../../support/json-arbitraries.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { runToEnd } from '../../support/run-to-end.ts';

/** Larger than a piece, so that what stands around it is read in pieces. */
const LONG = 'x'.repeat(70_000);

/** JSON with white space in places, of which some parts are larger than a piece. */
const largeValue = fc
  .tuple(
    jsonValue({ maxDepth: 4 }),
    fc.array(jsonValue({ maxDepth: 2 }), { maxLength: 4 }),
    fc.nat(3),
  )
  .map(([value, others, form]) => {
    const large = [LONG, { a: LONG, b: value, c: [LONG, ...others], __proto__: null }][form % 2];
    return [
      [large, value, ...others],
      { first: value, large, last: others },
      { ['__proto__']: large, value },
      [[others, [value, large]], large, {}],
    ][form];
  });

const written = fc
  .tuple(largeValue, fc.constantFrom(undefined, 1, '\t'))
  .map(([value, space]) => JSON.stringify(value, undefined, space));

/** JSON with the keys in their order, and with bigints. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? `${member}n` : member,
  );

/** A text with one character more, less or another. No backslash, for the reason of `memberName`. */
const damaged = fc
  .tuple(
    written,
    fc.nat(),
    fc.constantFrom('', ',', ']', '}', '{', '"', ':', '1', '\u0000', '\u00a0', '\u0001'),
    fc.boolean(),
  )
  .map(([text, at, character, replaces]) => {
    if (at % 7 === 0) return character + text;
    if (at % 7 === 1) return text + character;
    // Near one of the marks: most of a text is one long string.
    const marks = [...text.matchAll(/[[\]{},:"]/g)].map(({ index }) => index);
    const place = marks[at % Math.max(marks.length, 1)] ?? 0;
    return text.slice(0, place) + character + text.slice(place + (replaces ? 1 : 0));
  });

test('[found 3] the JSON reader accepts and refuses the same texts as JSON.parse', () => {
  fc.assert(
    fc.property(fc.oneof(written, damaged), (text) => {
      let expected: unknown;
      let isJson = true;
      try {
        expected = parseExact(text);
      } catch {
        isJson = false;
      }
      let actual: unknown;
      let problem: unknown;
      try {
        actual = runToEnd(readJsonValue(text, JSON_LIMITS)).value;
      } catch (error) {
        problem = error;
      }
      if (isJson) {
        expect(problem).toBeUndefined();
        expect(textOf(actual) === textOf(expected)).toBe(true);
      } else {
        expect(problem instanceof JsonSyntaxError || problem instanceof JsonTextError).toBe(true);
        expect(String(problem)).not.toContain('xx');
      }
    }),
    propertyRuns(3),
  );
});

/** Texts that are cheap to write and dear to read. */
const hostile = fc.oneof(
  fc.tuple(fc.constantFrom('[', '{"a":', '[{"":', '[[],'), fc.integer({ min: 1, max: 300_000 })),
  fc.tuple(fc.constantFrom('{}\n', '[1]', '{"a":1}'), fc.integer({ min: 1, max: 200_000 })),
  fc.tuple(
    fc.constantFrom('1', '-', '1e', 'true', '\\', '"', ',', ']', '}', '\u2028'),
    fc.integer({ min: 1, max: 500_000 }),
  ),
);

test('[found 3] a text that is costly to read is read in steps, or refused by a limit or a syntax error', () => {
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1, maxLength: 3 }), (parts) => {
      const text = parts.map(([piece, times]) => piece.repeat(times)).join('');
      for (const read of [() => readJsonDocuments(text), () => readJsonValue(text, JSON_LIMITS)]) {
        try {
          runToEnd<unknown>(read());
        } catch (error) {
          const isExpected = error instanceof JsonTextError || error instanceof JsonSyntaxError;
          expect(isExpected, String(error)).toBe(true);
          expect((error as Error).message.length).toBeLessThan(200);
        }
      }
    }),
    propertyRuns(0.5),
  );
});

const few: JsonLimits = {
  levels: 3,
  values: 12,
  members: 3,
  documents: 2,
  documentChars: 40,
  documentValues: 8,
};

test.each([
  ['levels', '[[[]]]', '[[[[]]]]', 'has more than 3 levels'],
  ['values', '[1,2,3,4,5,6,7]', '[1,2,3,4,5,6,7,8,9]', 'has more than 8 values'],
  [
    'members',
    '{"a":1,"b":2,"c":3}',
    '{"a":1,"b":2,"c":3,"d":4}',
    'has an object with more than 3 members',
  ],
  ['documents', '[] []', '[] [] []', 'is beyond the limit of 2 documents'],
  [
    'characters',
    `["${'x'.repeat(36)}"]`,
    `["${'x'.repeat(37)}"]`,
    'has 41 characters, more than the 40',
  ],
])('[found 3] the JSON reader accepts exactly as many %s as its limit allows', (_what, within, beyond, problem) => {
  const read = (text: string) => runToEnd(readJsonValue(text, few));

  if (_what === 'documents') expect(() => read(within)).toThrow(JsonSyntaxError);
  else expect(read(within).value).toEqual(JSON.parse(within));
  expect(() => read(beyond)).toThrow(problem);
});

test('[found 3] the number of values in a file, and the length of a number, are limited', () => {
  const text = '[1,2,3,4,5,6]'.repeat(3);

  expect(() => runToEnd(readJsonValue(text, { ...few, documents: 3 }))).toThrow(
    'the file has more than 12 values up to it',
  );
  expect(() => runToEnd(readJsonDocuments(`[${'9'.repeat(1_002)}]`))).toThrow(
    'more than 1000 characters',
  );
});

test.each([
  '\\"',
  '\\"x',
  '\\\\\\"',
  '\\\\',
])('[found 3] a long string of %s is scanned in steps, with the same result as JSON.parse', (piece) => {
  const text = `["${piece.repeat(2_000_000 / piece.length)}",1]`;
  const work = readJsonValue(text, JSON_LIMITS);
  let steps = 0;
  let step = work.next();
  for (; step.done !== true; step = work.next()) steps += 1;

  expect(step.value.value).toEqual(JSON.parse(text));
  expect(steps).toBeGreaterThan(piece.includes('"') ? 3 : 0);
});
