/** What rules give: optional items, conversions, amounts and texts, as cel-go and the libraries of Kubernetes have them. */
import type { StructuralSchema } from 'chancery/internal';
import { expect, test } from 'vitest';
import { judgeRules } from '../../../src/apiserver/cel/compiled-rules.ts';
import { Budget } from '../../../src/apiserver/cel/runtime/budget.ts';
import { runtimeErrorWords } from '../../../src/apiserver/cel/runtime/runtime-error.ts';

const SCHEMA: StructuralSchema = { type: 'string' };

/** The result of a rule about the text `x`, or why there is none. */
function result(rule: string): unknown {
  const [verdict] = judgeRules({ ...SCHEMA, 'x-kubernetes-validations': [{ rule }] }, false);
  if (verdict === undefined || 'rejected' in verdict.program) return verdict?.program;
  try {
    return verdict.program.run({ self: 'x' }, new Budget(1_000_000));
  } catch (error) {
    return runtimeErrorWords(error);
  }
}

test.each([
  '[?optional.of(3), 4, ?optional.none()] == [3, 4]',
  '[?optional.none()].size() == 0',
  "{?'a': optional.of(7), 'b': 8, ?'c': optional.none()} == {'a': 7, 'b': 8}",
  "{?'k': {'n': 5}[?'n']}['k'] == 5",
  '[?1 > 2 ? optional.of(1) : optional.none()].size() == 0',
  '[1, 2][?1].value() == 2',
  '[[1], [?optional.of(2)]] == [[1], [2]]',
  "[duration('20m'), duration('41m')].sum() == duration('1h1m')",
  "[duration('5s')].filter(d, false).sum() == duration('0s')",
  "!quantity('3').add(quantity('1500m')).isInteger()",
  "quantity('4Ki').asInteger() == 4096",
  "!quantity('250m').add(quantity('750m')).isInteger()",
  "quantity('2.5k').asInteger() == 2500",
  "sign(quantity('-3m')) == -1",
  "'añ😀b'.substring(2, 3) == '😀'",
  "'añb'.substring(1) == 'ñb'",
  "int('-042') == -42",
  "uint('7') == 7u",
  "double('1.5e3') == 1500.0",
  "double('-0x1.8p1') == -3.0",
  "bool('F') == false",
  "duration('-1.5m') == duration('-90s')",
  "duration('1h0.5s') > duration('60m')",
  "timestamp('2021-03-04T05:06:07+02:00') == timestamp('2021-03-04T03:06:07Z')",
  "int(timestamp('1970-01-01T00:01:05Z')) == 65",
  "int(duration('1ms')) == 1000000",
  'int(-3.9) == -3',
  'uint(3.9) == 3u',
])('[F-11] %s is true', (rule) => {
  expect(result(rule)).toBe(true);
});

test.each([
  ["'abc'.substring(4) == ''", 'index out of range: 4'],
  ["'abc'.substring(1, 7) == ''", 'index out of range: 7'],
  ["'abc'.substring(3, 2) == ''", 'invalid substring range. start: 3, end: 2'],
  ["'abc'.substring(-2, 2) == ''", 'index out of range: -2'],
  ["int(self + '3x') == 3", "type conversion error from 'string' to 'int'"],
  ['uint(self) == 3u', "type conversion error from 'string' to 'uint'"],
  ['double(self) == 3.0', "type conversion error from 'string' to 'double'"],
  ['bool(self)', "type conversion error from 'string' to 'bool'"],
  [
    "duration(self + 'h') == duration('1h')",
    "type conversion error from 'string' to 'google.protobuf.Duration'",
  ],
  [
    'timestamp(self) == timestamp(0)',
    "type conversion error from 'string' to 'google.protobuf.Timestamp'",
  ],
  ["int(double('1e19') + double(self.size())) == 1", 'integer overflow'],
  ['uint(0 - self.size()) == 1u', 'unsigned integer overflow'],
  ['timestamp(self.size() * 999999999999) == timestamp(0)', 'timestamp overflow'],
  [
    "quantity(self + '1') == quantity('1')",
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  ["quantity('1.0').asInteger() == 1", 'cannot convert value to integer'],
  ['optional.none().value() == self', 'optional.none() dereference'],
  ["'ab'.substring(self.size() + 5) == ''", 'index out of range: 6'],
])('[F-11] the evaluation of %s fails: %s', (rule, why) => {
  expect(result(rule)).toBe(why);
});
