/** What the compiler says of a rule: the words and places of cel-go, as a server 1.36 has them. */
import type { StructuralSchema } from 'chancery/internal';
import { describe, expect, test } from 'vitest';
import { judgeRules } from '../../../src/apiserver/cel/compiled-rules.ts';

const SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    host: { type: 'string' },
    port: { type: 'integer' },
    ratio: { type: 'number' },
    tags: { type: 'array', items: { type: 'string' } },
    rows: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          key: { type: 'string' },
          cells: { type: 'array', items: { type: 'integer' } },
        },
      },
    },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    since: { type: 'string', format: 'date-time' },
    note: { type: 'string', nullable: true },
    any: { 'x-kubernetes-int-or-string': true },
  },
};

function refusal(rule: string): string {
  const [verdict] = judgeRules({ ...SCHEMA, 'x-kubernetes-validations': [{ rule }] }, false);
  return verdict !== undefined && 'rejected' in verdict.program ? verdict.program.rejected : '';
}

/** The messages, each with its line and column. */
function messages(rule: string): readonly string[] {
  return Array.from(refusal(rule).matchAll(/ERROR: <input>:(.*)/g), ([, text = '']) => text);
}

describe('[F-11] type errors of CEL rules', () => {
  test.each([
    ['self.host.trimLeft()', ["1:19: undeclared reference to 'trimLeft' (in container '')"]],
    [
      "(self.host + '/').lastIndex('/') == 1",
      ["1:28: undeclared reference to 'lastIndex' (in container '')"],
    ],
    ['trim(self.host)', ["1:5: found no matching overload for 'trim' applied to '(string)'"]],
    ['self.port.isEmpty()', ["1:18: undeclared reference to 'isEmpty' (in container '')"]],
    [
      'strings.upper(self.host)',
      [
        "1:1: undeclared reference to 'strings' (in container '')",
        "1:14: undeclared reference to 'upper' (in container '')",
      ],
    ],
    [
      "self.tags[0][1] == 'a'",
      ["1:13: found no matching overload for '_[_]' applied to '(string, int)'"],
    ],
    [
      "self.labels[self.port] == ''",
      ["1:12: found no matching overload for '_[_]' applied to '(map(string, string), int)'"],
    ],
    [
      'regexp.match(self.host, undefined_one)',
      [
        "1:1: undeclared reference to 'regexp' (in container '')",
        "1:13: undeclared reference to 'match' (in container '')",
        "1:25: undeclared reference to 'undefined_one' (in container '')",
      ],
    ],
    [
      'proto.hasExt(self, x.y)',
      [
        "1:1: undeclared reference to 'proto' (in container '')",
        "1:13: undeclared reference to 'hasExt' (in container '')",
        "1:20: undeclared reference to 'x' (in container '')",
      ],
    ],
    [
      'encoders.base64(self.host)',
      [
        "1:1: undeclared reference to 'encoders' (in container '')",
        "1:16: undeclared reference to 'base64' (in container '')",
      ],
    ],
    [
      'sets.intersects(self.tags, [self.port])',
      [
        "1:16: found no matching overload for 'sets.intersects' applied to '(list(string), list(int))'",
      ],
    ],
    [
      'lists.range(self.ratio).size() > 1',
      ["1:12: found no matching overload for 'lists.range' applied to '(double)'"],
    ],
    [
      'optional.ofNonZeroValue(self.port, 1).hasValue()',
      ["1:24: found no matching overload for 'optional.ofNonZeroValue' applied to '(int, int)'"],
    ],
    ['self.rows.all(row, row.cells)', ["1:23: expected type 'bool' but found 'list(int)'"]],
    [
      'self.rows.exists(row, row.key + row.cells)',
      ["1:31: found no matching overload for '_+_' applied to '(string, list(int))'"],
    ],
    [
      'self.port.filter(p, p > 1).size() == 0',
      [
        "1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
      ],
    ],
    [
      'self.host.map(c, c) == []',
      [
        "1:5: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
      ],
    ],
    ['self.rows.map(row, row.cell)', ["1:23: undefined field 'cell'"]],
    ['has(self.rows)  && has(self.port.x)', ["1:23: type 'int' does not support field selection"]],
    ['has(self.rows[0])', ['1:14: invalid argument to has() macro']],
    ["has('a')", ['1:5: invalid argument to has() macro']],
    ["self.port.name == 'a'", ["1:10: type 'int' does not support field selection"]],
    ['self.tags.?first.hasValue()', ["1:10: type 'list(string)' does not support field selection"]],
    ['self.rows[0].?size.hasValue()', ["1:13: undefined field 'size'"]],
    [
      'self.port || self.ratio',
      [
        "1:5: expected type 'bool' but found 'int'",
        "1:18: expected type 'bool' but found 'double'",
      ],
    ],
    [
      'true && (self.host ? true : false)',
      ["1:20: found no matching overload for '_?_:_' applied to '(string, bool, bool)'"],
    ],
    ['Point{x: self.port}', ["1:6: undeclared reference to 'Point' (in container '')"]],
    ['!self.host', ["1:1: found no matching overload for '!_' applied to '(string)'"]],
    [
      'self.tags == self.labels',
      [
        "1:11: found no matching overload for '_==_' applied to '(list(string), map(string, string))'",
      ],
    ],
    [
      'self.rows + self.tags == []',
      [
        "1:11: found no matching overload for '_+_' applied to '(list(selfType.rows.@idx), list(string))'",
      ],
    ],
    [
      'self.since > self.port',
      ["1:12: found no matching overload for '_>_' applied to '(timestamp, int)'"],
    ],
    [
      'self.note == null',
      ["1:11: found no matching overload for '_==_' applied to '(string, null)'"],
    ],
    ['self.any.foo(self.port)', ["1:13: undeclared reference to 'foo' (in container '')"]],
    [
      'duration(self.port) == self.since',
      ["1:21: found no matching overload for '_==_' applied to '(duration, timestamp)'"],
    ],
    [
      'self.rows.map(r, r.cells.map(c, c + r.key))',
      ["1:35: found no matching overload for '_+_' applied to '(int, string)'"],
    ],
    [
      'self.labels.transformMap(k, v, v * 2) == {}',
      ["1:34: found no matching overload for '_*_' applied to '(string, int)'"],
    ],
    [
      'self.tags.sortBy(t, [t]) == []',
      [
        "1:17: found no matching overload for '@sortByAssociatedKeys' applied to 'list(string).(list(list(string)))'",
      ],
    ],
    ['[?self.port].size() == 1', ["1:7: expected type 'optional_type(int)' but found 'int'"]],
    [
      "{?'p': self.host, 'q': self.host}.size() == 1",
      ["1:12: expected type 'optional_type(string)' but found 'string'"],
    ],
    [
      '[optional.of(1), ?optional.of(2)].size() == 1',
      ["1:30: expected type 'optional_type(int)' but found 'int'"],
    ],
    [
      'self.tags.flatten().size() == 1',
      ["1:18: found no matching overload for 'flatten' applied to 'list(string).()'"],
    ],
    ['self.tags.exists(1, true)', ['1:18: argument must be a simple name']],
    ['self.tags.all(t.u, true)', ['1:16: argument must be a simple name']],
    ['self.rows.all(a, a, true)', ['1:18: duplicate variable name: a']],
    [
      "optional.of(self.host).optMap('x', 1).hasValue()",
      ['1:31: optMap() variable name must be a simple identifier'],
    ],
    [
      'self.port +\n  self.host == 1',
      ["1:11: found no matching overload for '_+_' applied to '(int, string)'"],
    ],
    ["'ü' == self.port", ["1:5: found no matching overload for '_==_' applied to '(string, int)'"]],
    [
      'self.host.size(1) == 1',
      ["1:15: found no matching overload for 'size' applied to 'string.(int)'"],
    ],
    [
      'self.port in self.host',
      ["1:11: found no matching overload for '@in' applied to '(int, string)'"],
    ],
    ["-self.host == ''", ["1:1: found no matching overload for '-_' applied to '(string)'"]],
    [
      "type(self.port) == 'int'",
      ["1:17: found no matching overload for '_==_' applied to '(type(int), string)'"],
    ],
    [
      'self.tags.all(t, t.startsWith(1) && u)',
      [
        "1:30: found no matching overload for 'startsWith' applied to 'string.(int)'",
        "1:37: undeclared reference to 'u' (in container '')",
      ],
    ],
    [
      'zebra(self.host, lion) && self.tiger',
      [
        "1:6: undeclared reference to 'zebra' (in container '')",
        "1:18: undeclared reference to 'lion' (in container '')",
        "1:31: undefined field 'tiger'",
      ],
    ],
  ])('the CEL rule %s causes the expected type errors', (rule, wrong) => {
    expect(messages(rule)).toEqual(wrong);
  });
});

describe('[F-11] invalid literals in CEL rules', () => {
  test.each([
    ['[self.port, self.host].size() == 2', ["1:17: expected type 'int' but found 'string'"]],
    ['{self.host: 1, self.port: 2}.size() == 2', ["1:20: expected type 'string' but found 'int'"]],
    [
      "{'n': self.port, 'r': self.ratio}.size() == 2",
      ["1:27: expected type 'int' but found 'double'"],
    ],
    ['[[1], [self.host]].size() == 1', ["1:7: expected type 'list(int)' but found 'list(string)'"]],
    ["'%s-%s'.format([self.host]) == ''", ['1:15: index 1 out of range']],
    [
      "'%d'.format([self.ratio]) == ''",
      [
        '1:18: error during formatting: decimal clause can only be used on integers, was given double',
      ],
    ],
    [
      "'%x'.format([self.tags]) == ''",
      [
        '1:18: error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given list',
      ],
    ],
    [
      "'%s'.format([[self.rows[0]]]) == ''",
      [
        '1:24: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given selfType.rows.@idx',
      ],
    ],
    [
      "'%b %z'.format([1, 2]) == ''",
      ['1:15: could not parse formatting clause: unrecognized formatting clause "z"'],
    ],
    ["'100%'.format([]) == ''", ['1:14: unexpected end of string']],
    [
      "'%.2d'.format([self.host]) == ''",
      [
        '1:20: error during formatting: decimal clause can only be used on integers, was given string',
      ],
    ],
    [
      "'none'.format([self.port]) == ''",
      ['1:14: too many arguments supplied to string.format (expected 0, got 1)'],
    ],
    [
      "'%.x'.format([1]) == ''",
      [
        '1:13: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      ],
    ],
    ["self.host.matches('a{2,1}')", ['1:19: invalid matches argument']],
    ["self.tags.all(t, t.matches('[z-a]'))", ['1:28: invalid matches argument']],
    ["duration('3 hours') < duration('1h')", ['1:10: invalid duration argument']],
    [
      "timestamp('2024-02-30') > timestamp('2024-01-01T00:00:00Z')",
      ['1:11: invalid timestamp argument'],
    ],
    ['timestamp(999999999999999) == self.since', ['1:11: invalid timestamp argument']],
  ])('the CEL rule %s causes the expected errors about its literals', (rule, wrong) => {
    expect(messages(rule)).toEqual(wrong);
  });
});

test.each([
  [
    "self.host.find('*a') == ''",
    ['error parsing regexp: missing argument to repetition operator: `*`'],
  ],
  ["self.host.findAll('(?P<n') == []", ['error parsing regexp: invalid named capture: `(?P<n`']],
  ["int('12a') == self.port", ["type conversion error from 'string' to 'int'"]],
  ['uint(-3) == uint(self.port)', ['unsigned integer overflow']],
  ["double('1e999') > self.ratio", ["type conversion error from 'string' to 'double'"]],
  ["bool('maybe')", ["type conversion error from 'string' to 'bool'"]],
  ['int(1e19) == self.port', ['integer overflow']],
])('[F-11] the CEL rule %s compiles but cannot be instantiated', (rule, [why]) => {
  expect(refusal(rule)).toBe(`program instantiation failed: ${why}`);
});

test('[F-11] a CEL error quotes the line, and marks the position below it with a caret', () => {
  expect(refusal("self.host == '\u00fc' + 1 &&\n\tself.port")).toBe(
    [
      "compilation failed: ERROR: <input>:1:18: found no matching overload for '_+_' applied to '(string, int)'",
      " | self.host == '\u00fc' + 1 &&",
      ' | ..............\uff0e..^',
      "ERROR: <input>:2:6: expected type 'bool' but found 'int'",
      ' |  self.port',
      ' | .....^',
    ].join('\n'),
  );
});

test('[F-11] a rule must return a bool, and a messageExpression a string', () => {
  const rules = [{ rule: 'self.any' }, { rule: 'true', messageExpression: 'self.port' }];

  const [rule, message] = judgeRules({ ...SCHEMA, 'x-kubernetes-validations': rules }, false);

  expect(rule?.program).toEqual({ rejected: 'cel expression must evaluate to a bool' });
  expect(message?.messageProgram).toEqual({
    rejected: 'messageExpression must evaluate to a string',
  });
});
