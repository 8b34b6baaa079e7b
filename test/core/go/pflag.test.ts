/** Command lines as Go's pflag reads them: flag.go of spf13/pflag, and what its own tests say. */
import { expect, test } from 'vitest';
import {
  type CommandWord,
  goBoolean,
  readCommandLine,
  stringSlice,
} from '../../../operator/core/go/pflag.ts';

const KNOWN = {
  all: { shorthand: 'a', valueIfNone: 'true' },
  level: { shorthand: 'l', valueIfNone: 'info' },
  name: { shorthand: 'n' },
  quiet: { shorthand: 'q', valueIfNone: 'true' },
  size: {},
};

/** Each thing that the words say, in one short text. */
function said(words: readonly string[]): readonly string[] {
  return readCommandLine(words, KNOWN).map(shown);
}

function shown(word: CommandWord): string {
  switch (word.type) {
    case 'flag':
      return `${word.name}=${word.value}`;
    case 'no-value':
      return `${word.name} has no value`;
    case 'unknown':
      return `unknown ${word.text}`;
    case 'positional':
      return word.value;
  }
}

test.each([
  [['--name=x'], ['name=x']],
  [['--name', 'x'], ['name=x']],
  [['--name='], ['name=']],
  [['--name', ''], ['name=']],
  [['--name=a=b'], ['name=a=b']],
  [['--name=line\nline'], ['name=line\nline']],
  [['--name', '--all'], ['name=--all']],
  [['--name', '--'], ['name=--']],
  [['--name'], ['name has no value']],
])('the value of a long flag is the text after the equals sign, or the next word: %j', (words, expected) => {
  expect(said(words)).toEqual(expected);
});

test.each([
  [['--all'], ['all=true']],
  [
    ['--all', 'false'],
    ['all=true', 'false'],
  ],
  [['--all=false'], ['all=false']],
  [['--level'], ['level=info']],
  [
    ['--level', 'debug'],
    ['level=info', 'debug'],
  ],
  [['--level=debug'], ['level=debug']],
  [['--all='], ['all=']],
])('an optional value of a flag must follow an equals sign: %j', (words, expected) => {
  expect(said(words)).toEqual(expected);
});

test.each([
  [['-n', 'x'], ['name=x']],
  [['-nx'], ['name=x']],
  [['-n=x'], ['name=x']],
  [['-n==x'], ['name==x']],
  [['-n='], ['name==']],
  [['-n'], ['name has no value']],
  [['-n', '-a'], ['name=-a']],
  [
    ['-a', 'x'],
    ['all=true', 'x'],
  ],
  [['-a=false'], ['all=false']],
  [['-aq'], ['all=true', 'quiet=true']],
  [['-aqnx'], ['all=true', 'quiet=true', 'name=x']],
  [
    ['-aqn=x', 'y'],
    ['all=true', 'quiet=true', 'name=x', 'y'],
  ],
  [
    ['-an', 'x'],
    ['all=true', 'name=x'],
  ],
  [['-naq'], ['name=aq']],
  [['-lq'], ['level=info', 'quiet=true']],
  [['-l=debug'], ['level=debug']],
  [['-all'], ['all=true', 'level=info', 'level=info']],
])('several shorthands may be joined in one word, and the last of them may be followed by its value: %j', (words, expected) => {
  expect(said(words)).toEqual(expected);
});

test.each([
  [
    ['x', '--all', 'y', '--size', '1', 'z'],
    ['x', 'all=true', 'y', 'size=1', 'z'],
  ],
  [
    ['--all', '--', '--name', '-q', '--'],
    ['all=true', '--name', '-q', '--'],
  ],
  [
    ['-', '', '--name', '-'],
    ['-', '', 'name=-'],
  ],
  [[], []],
])('flags and positionals may mix, and all words after -- are positionals: %j', (words, expected) => {
  expect(said(words)).toEqual(expected);
});

test('a repeated flag is reported each time, in order', () => {
  expect(said(['--name=b', '-n', 'a', '--name', 'b'])).toEqual(['name=b', 'name=a', 'name=b']);
});

test.each([
  [
    ['--colour', 'x', '--all'],
    ['unknown --colour', 'all=true'],
  ],
  [
    ['--colour=x', 'y'],
    ['unknown --colour', 'y'],
  ],
  [
    ['--colour', '--all'],
    ['unknown --colour', 'all=true'],
  ],
  [
    ['--colour', '--', 'x'],
    ['unknown --colour', 'x'],
  ],
  [['--Name', 'x'], ['unknown --Name']],
  [['--nam'], ['unknown --nam']],
  [
    ['-z', 'x', 'y'],
    ['unknown -z', 'y'],
  ],
  [
    ['-z=x', 'y'],
    ['unknown -z', 'y'],
  ],
  [
    ['-azq', 'x'],
    ['all=true', 'unknown -azq'],
  ],
  [['-axa'], ['all=true', 'unknown -axa']],
  [
    ['--constructor', '--__proto__=x'],
    ['unknown --constructor', 'unknown --__proto__'],
  ],
  [
    ['---all', '--=x'],
    ['unknown ---all', 'unknown --'],
  ],
])('an unknown flag is reported, and the next word stays separate unless it begins with a dash: %j', (words, expected) => {
  expect(said(words)).toEqual(expected);
});

test('each parsed argument has the index of its word, and each flag says where its value came from', () => {
  const found = readCommandLine(['x', '-an', 'y', '--level', '--size=1', '--other', 'z'], KNOWN);

  expect(found).toEqual([
    { type: 'positional', value: 'x', maybeValueOf: undefined, at: 0 },
    { type: 'flag', name: 'all', value: 'true', from: 'none', at: 1 },
    { type: 'flag', name: 'name', value: 'y', from: 'next', at: 1 },
    { type: 'flag', name: 'level', value: 'info', from: 'none', at: 3 },
    { type: 'flag', name: 'size', value: '1', from: 'word', at: 4 },
    { type: 'unknown', text: '--other', at: 5 },
  ]);
});

test.each([
  [['--all', 'false'], 'all'],
  [['-qa', '0'], 'all'],
  [['--all', 'yes'], undefined],
  [['--all=true', 'false'], undefined],
  [['--all', 'x', 'false'], undefined],
  [['--name', 'x', 'false'], undefined],
  [['--all', '--', 'false'], undefined],
])('in %j the positional may have been meant as the value of this flag: %s', (words, flag) => {
  const [positional] = readCommandLine(words, KNOWN).filter(({ type }) => type === 'positional');

  expect(positional).toMatchObject({ maybeValueOf: flag });
});

test.each([
  ['1', true],
  ['T', true],
  ['True', true],
  ['0', false],
  ['f', false],
  ['FALSE', false],
  ['tRUE', undefined],
  ['yes', undefined],
  ['', undefined],
])('the boolean %j is parsed as %s', (text, expected) => {
  expect(goBoolean(text)).toBe(expected);
});

test.each([
  ['', []],
  ['\n', []],
  ['a', ['a']],
  ['a,,b,', ['a', '', 'b', '']],
  [' a , b', [' a ', ' b']],
  ['"a,b",c', ['a,b', 'c']],
  ['"say ""x"""\r\n', ['say "x"']],
  ['"two\nlines"', ['two\nlines']],
  ['a\nb', undefined],
  ['a"b', undefined],
  ['"a"b', undefined],
  ['"a', undefined],
])('the list %j is parsed as %j', (text, expected) => {
  expect(stringSlice(text)).toEqual(expected);
});
