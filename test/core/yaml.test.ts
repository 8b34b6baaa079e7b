import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import {
  changedYaml,
  formatYaml,
  parseYaml,
  parseYamlDocuments,
  yamlWithItem,
} from '../../operator/core/yaml.ts';
import { propertyRuns } from '../support/property-runs.ts';

/** Ten anchors, each ten times the one before: 10^10 scalars in 400 bytes. */
const ALIAS_BOMB = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
  .map((name, index, names) => {
    const item = index === 0 ? 'x' : `*${names[index - 1]}`;
    return `${name}: &${name} [${Array(10).fill(item).join(', ')}]`;
  })
  .join('\n');

function caught(attempt: () => unknown): Error {
  try {
    attempt();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was accepted');
}

/** Both readers, as one that answers the first document. */
const READERS = [
  ['parseYaml', parseYaml],
  ['parseYamlDocuments', (text: string) => parseYamlDocuments(text)[0]],
] as const;

describe.each(READERS)('%s', (_name, read) => {
  test.each([
    ['an unclosed list', 'a: 1\nb: [1', /^invalid YAML: .* at line 2, column 6/],
    ['a tab for indentation', 'a:\n\tb: 1', /^invalid YAML: Tabs .* at line 2, column 1/],
    ['a mapping under a scalar', 'a: b\n  c: d', /^invalid YAML: .* at line 1, column 4/],
    ['an alias without its anchor', 'a: *missing', /^invalid YAML: Unresolved alias [^:]*$/],
    ['a bomb of aliases', ALIAS_BOMB, /^invalid YAML: Excessive alias count/],
  ])('the YAML parser refuses %s, and the error says where it is', (_what, text, message) => {
    const attempt = (): unknown => read(text);

    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).toThrow(message);
  });

  test('the message of a YAML error is one line', () => {
    const attempt = (): unknown => read('a: [1');

    expect(attempt).toThrow(/^[^\n]+$/);
  });

  test.each([
    ['an alias', 'a: *s3cr3t'],
    ['a tag', 'a: !s3cr3t!x b'],
    ['a verbatim tag', 'a: !<s3cr3t b'],
    ['a tag without a suffix', '%TAG !s3cr3t! tag:x\n---\na: !s3cr3t! b'],
    ['the header of a block', 'a: |s3cr3t\n  b'],
    ['an escape sequence', 'a: "\\us3cr3t"'],
    ['a broken line', 'a: b: s3cr3t'],
    ['the line before', 's3cr3t: [1,\nb'],
    ['text after a quoted value', '"a"s3cr3t: b'],
    ['a line that looks like a position', 'a: *s3cr3t at line 7, column 3:s3cr3t'],
  ])('[found 8] neither the error for %s nor its cause quotes the document', (_what, text) => {
    const refusal = caught(() => read(text));

    expect(refusal.message).toMatch(/^invalid YAML: \S/);
    expect(inspect(refusal, { depth: 5 }).split('\n    at ')[0]).not.toContain('s3cr3t');
    expect(refusal.cause).toBeUndefined();
  });

  test('OP6 if a key occurs twice, the YAML parser uses the last value, like kubectl', () => {
    const value = read('a: 1\nb: 2\na: 3');

    expect(value).toEqual({ a: 3, b: 2 });
  });

  test('the YAML parser applies a merge key, but explicit keys take precedence', () => {
    const value = read('base: &base {a: 1, b: 2}\nmine:\n  <<: *base\n  b: 3');

    expect(value).toMatchObject({ mine: { a: 1, b: 3 } });
  });

  test('the YAML parser reads JSON', () => {
    const value = read('{"a": {"b": [1, true, null, "x"]}}');

    expect(value).toEqual({ a: { b: [1, true, null, 'x'] } });
  });

  test.each([
    ['0644', 420],
    ['-017', -15],
    ['0o17', 15],
    ['0x1F', 31],
    ['0b11', 3],
    ['089', 89],
    ['0', 0],
    ['1_000', 1000],
    ['1.50', 1.5],
    ['yes', true],
    ['y', true],
    ['On', true],
    ['no', false],
    ['N', false],
    ['OFF', false],
    ['true', true],
    ['nope', 'nope'],
    ['22:22', '22:22'],
    ['2001-01-01', '2001-01-01'],
    ['1.2.3', '1.2.3'],
    ['"yes"', 'yes'],
    ["'0644'", '0644'],
    ['~', null],
  ])('the YAML parser reads %s as kubectl does', (text, expected) => {
    const value = read(`value: ${text}`);

    expect(value).toEqual({ value: expected });
  });
});

describe('the function parseYaml', () => {
  test('parseYaml refuses a second document', () => {
    expect(() => parseYaml('a: 1\n---\nb: 2')).toThrow(ConfigurationError);
  });
});

describe('the function parseYamlDocuments', () => {
  test('parseYamlDocuments skips empty documents', () => {
    const values = parseYamlDocuments('---\n---\na: 1\n---\n# only a comment\n---\nb: 2\n...\n');

    expect(values).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('parseYamlDocuments returns no document for an empty text', () => {
    expect(parseYamlDocuments('')).toEqual([]);
  });

  test('parseYamlDocuments counts lines from the start of the text', () => {
    expect(() => parseYamlDocuments('a: 1\n---\nb: [')).toThrow(/at line 3,/);
  });
});

test.each([
  '0O7',
  '0X1f',
  '0B1',
  '-0o17',
  '1_000',
  '0644',
  'off',
  'N',
])('[found 3] the string %s, as a value or a key, is still a string after writing and reading YAML', (text) => {
  const written = formatYaml({ [text]: text, list: [text] });

  expect(parseYaml(written)).toEqual({ [text]: text, list: [text] });
});

describe('the function formatYaml', () => {
  const ambiguous = ['yes', 'off', 'y', '0644', '1_000', '22:22', '2001-01-01', '0b1', 'null', ''];

  test('formatYaml quotes strings so that they are read back as strings', () => {
    const value = { texts: ambiguous, keys: Object.fromEntries(ambiguous.map((k) => [k, k])) };

    const text = formatYaml(value);

    expect(parseYaml(text)).toEqual(value);
  });

  test('formatYaml writes no aliases for repeated values, and does not fold long lines', () => {
    const shared = { long: 'word '.repeat(60).trim() };

    const text = formatYaml({ a: shared, b: shared });

    expect(text).toBe(`a:\n  long: ${shared.long}\nb:\n  long: ${shared.long}\n`);
  });
});

test('changedYaml replaces a value, and keeps the other comments', () => {
  const text = '# crops\n- name: a # first\n  rows: [1]\n- name: b\n';

  expect(changedYaml(text, [0, 'rows'], [1, { two: 2 }])).toBe(
    '# crops\n- name: a # first\n  rows:\n    - 1\n    - two: 2\n- name: b\n',
  );
  expect(changedYaml(text, [1, 'rows'], [])).toBe(`${text}  rows: []\n`);
  expect(() => changedYaml('a: [', ['a'], 1)).toThrow('invalid YAML');
});

const ITEM = ['components', '../a', '# mine'] as const;

test.each([
  ['no list', 'a: 1\n#components:\n', 'a: 1\n#components:\n\n# mine\ncomponents:\n- ../a\n'],
  ['no line break at the end', 'a: 1', 'a: 1\n\n# mine\ncomponents:\n- ../a\n'],
  ['a list', 'components:\n  - x # y\nb: 1\n', 'components:\n  - x # y\n  - ../a\nb: 1\n'],
  ['a list at the end', 'components:\n- x', 'components:\n- x\n- ../a\n'],
  ['a list on one line', 'components: [x]\nb: 1\n', 'components:\n  - x\n  - ../a\nb: 1\n'],
  ['an empty value', 'components:\nb: 1\n', 'components:\n  - ../a\nb: 1\n'],
  ['Windows line breaks', 'a: 1\r\n', 'a: 1\r\n\r\n# mine\r\ncomponents:\r\n- ../a\r\n'],
  ['the item', 'components: [ "../a" ]\n', 'components: [ "../a" ]\n'],
])('yamlWithItem adds an item to a document with %s, and leaves the rest unchanged', (_what, text, expected) => {
  expect(yamlWithItem(text, ...ITEM)).toBe(expected);
});

test.each([
  ['a: [', 'invalid YAML'],
  ['components: x\n', 'with a list as components'],
  ['- a\n', 'it must be a mapping'],
])('yamlWithItem does not add an item to %j', (text, says) => {
  expect(() => yamlWithItem(text, ...ITEM)).toThrow(says);
});

test('[security 48] [found 8] no YAML error quotes a word of the document, whatever stands around it', () => {
  const marks = [
    '%',
    '%YAML ',
    '%TAG ',
    '!',
    '!!',
    '!<',
    '>',
    '|',
    '&',
    '*',
    '"',
    "'",
    '\\',
    '\\x',
    '\\U',
    '[',
    ']',
    '{',
    '}',
  ];
  const others = [
    ',',
    ': ',
    ':',
    '- ',
    '? ',
    '<<: ',
    '#',
    '@',
    '`',
    '\n',
    '\n  ',
    '\t',
    '---',
    '...',
    ' ',
  ];
  const part = fc.constantFrom(...marks, ...others, 's3cr3t', 's3cr3t');

  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
      for (const [, read] of READERS) {
        try {
          read(parts.join(''));
        } catch (error) {
          expect((error as Error).message).not.toContain('s3cr');
          expect((error as Error).message).not.toContain('\n');
        }
      }
    }),
    propertyRuns(5),
  );
});
