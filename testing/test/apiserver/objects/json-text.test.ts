import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText as jsonTexts, jsonValue } from '../../../../test/support/json-arbitraries.ts';
import { parseGoJson } from '../../../src/apiserver/objects/go-json.ts';
import { isDeeper, jsonText, READABLE_LEVELS } from '../../../src/apiserver/objects/json-text.ts';
import { rebuildJson } from '../../../src/apiserver/objects/json-walk.ts';

test('[attack A-7] jsonText writes the same text as JSON.stringify, and can also write long integers', () => {
  fc.assert(
    fc.property(jsonValue(), fc.constantFrom('', '  '), (value, indent) => {
      const expected = JSON.stringify({ a: value, b: '\u0000' }, undefined, indent);
      const written = jsonText({ a: value, b: 9007199254740993n, c: undefined }, indent);
      expect(written.replace('9007199254740993', '"\\u0000"')).toBe(expected);
    }),
  );
});

test('[attack A-1] jsonText refuses a value that contains itself', () => {
  const value: Record<string, unknown> = {};
  value.self = value;

  expect(() => jsonText(value)).toThrow(TypeError);
});

test('[attack A-1] jsonText does not indent a value that is nested too deep to read', () => {
  const levels = READABLE_LEVELS + 1;
  const text = '['.repeat(levels) + ']'.repeat(levels);
  const value = parseGoJson(text).value;

  expect([isDeeper(value, levels - 1), isDeeper(value, levels)]).toEqual([true, false]);
  expect(jsonText(value, '  ')).toBe(text);
});

test('[attack A-1] rebuildJson returns a copy that has the same JSON text and shares no object with the original', () => {
  fc.assert(
    fc.property(jsonTexts(), (text) => {
      const { value } = parseGoJson(text);
      const copy = rebuildJson(value);

      expect(jsonText(copy)).toBe(jsonText(value));
      if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
    }),
  );
});
