/** What `withArguments` makes of the words after `--`: types, spellings of Go's pflag, and what is refused. */
import { expect, test } from 'vitest';
import type { ArgumentValues, Program } from '../../operator/index.ts';
import { withArguments } from '../../operator/index.ts';

const TABLE = {
  all: { type: 'boolean', help: 'everything' },
  kept: { type: 'boolean', default: true, help: 'kept unless told otherwise' },
  strategy: { type: 'string', value: 'STRATEGY', default: 'env-vars', help: 'how' },
  url: { type: 'string', help: 'where to' },
  names: { type: 'list', help: 'which' },
  kinds: { type: 'list', default: ['a', 'b'], help: 'which kinds' },
} as const;

interface Seen {
  readonly values: ArgumentValues<typeof TABLE>;
  readonly positionals: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What `create` gets for `args`. */
async function created(args: readonly string[], environment = {}): Promise<Seen> {
  let seen: Seen | undefined;
  const program: Program = withArguments({
    arguments: TABLE,
    positionals: [['WORD...', 'words']],
    create(given) {
      seen = given;
      return { controllers: [] };
    },
  });
  await program.create({ args, environment });
  if (seen === undefined) throw new Error('create was not called');
  return seen;
}

test('[M-7] if no arguments are given, each has its default value', async () => {
  const { values, positionals, environment } = await created([], { SINK: 'slack' });

  expect(values).toEqual({
    all: false,
    kept: true,
    strategy: 'env-vars',
    url: undefined,
    names: [],
    kinds: ['a', 'b'],
  });
  expect(positionals).toEqual([]);
  expect(environment).toEqual({ SINK: 'slack' });
});

test.each([
  [['--all'], { all: true }],
  [['--all=1'], { all: true }],
  [['--all=t'], { all: true }],
  [['--all=TRUE'], { all: true }],
  [['--all', '--all=F'], { all: false }],
  [['--kept=0'], { kept: false }],
  [['--kept=False'], { kept: false }],
  [['--strategy', 'annotations'], { strategy: 'annotations' }],
  [['--strategy=a', '--strategy=b=c'], { strategy: 'b=c' }],
  [['--url='], { url: '' }],
  [['--url', ''], { url: '' }],
  [['--url', '-'], { url: '-' }],
  [['--url', '-1'], { url: '-1' }],
  [['--url=line\nline'], { url: 'line\nline' }],
  [['--names=a,b', '--names', 'c'], { names: ['a', 'b', 'c'] }],
  [['--names='], { names: [] }],
  [['--kinds='], { kinds: [] }],
  [['--kinds=c'], { kinds: ['c'] }],
  [['--names="a,b",c'], { names: ['a,b', 'c'] }],
  [['--names="say ""x""",,y\n'], { names: ['say "x"', '', 'y'] }],
  [['--names= a , b'], { names: [' a ', ' b'] }],
  [['--names="k in (a,b)"'], { names: ['k in (a,b)'] }],
] as const)('[M-7] the arguments %j give %j', async (args, expected) => {
  const { values } = await created(args);

  expect(values).toMatchObject(expected);
});

test('[M-7] words that are not arguments are positionals, and so are all words after --', async () => {
  const { values, positionals } = await created(['explain', '--all', 'x', '--', '--names', '-y']);

  expect(values.all).toBe(true);
  expect(positionals).toEqual(['explain', 'x', '--names', '-y']);
});

test.each([
  [['--alll'], 'unknown argument "--alll"; did you mean --all?'],
  [
    ['--qqq=1'],
    'unknown argument "--qqq"; known: --all, --kept, --strategy, --url, --names, --kinds',
  ],
  [['-all'], 'unknown argument "-all"; did you mean --all?'],
  [
    ['--all=yes'],
    '--all must be one of 1, t, T, TRUE, true, True, 0, f, F, FALSE, false, False, not "yes"',
  ],
  [
    ['--all='],
    '--all must be one of 1, t, T, TRUE, true, True, 0, f, F, FALSE, false, False, not ""',
  ],
  [['--url'], '--url needs a value, as --url=VALUE'],
  [['--url', '--all'], '--url needs a value, as --url=VALUE'],
  [['--names="a'], '--names must be a list as a,b or "a,b",c on one line, not "\\"a"'],
  [['--names=a"b'], '--names must be a list as a,b or "a,b",c on one line, not "a\\"b"'],
  [['--names="a"b'], '--names must be a list as a,b or "a,b",c on one line, not "\\"a\\"b"'],
  [['--names=a\nb'], '--names must be a list as a,b or "a,b",c on one line, not "a\\nb"'],
  [['--constructor'], expect.stringContaining('unknown argument "--constructor"')],
])('[M-7] the arguments %j are refused', async (args, message) => {
  await expect(created(args)).rejects.toMatchObject({ code: 'CONFIG', message });
});

test.each([
  [['all'], 'expected arguments that begin with --, got "all"'],
  [['--all', 'all'], 'expected arguments that begin with --, got "all"'],
  [['--all=true', 'false'], 'expected arguments that begin with --, got "false"'],
  [['--url', 'x', 'false'], 'expected arguments that begin with --, got "false"'],
  [
    ['--all', 'false'],
    'expected arguments that begin with --, got "false"; did you mean --all=false?',
  ],
])('[M-7] a module that takes no positionals refuses the positional in %j', async (args, message) => {
  const program = withArguments({ arguments: TABLE, create: () => ({ controllers: [] }) });

  await expect(program.create({ args })).rejects.toMatchObject({ code: 'CONFIG', message });
});

test.each([
  [{ 'a b': { type: 'boolean', help: '' } }, 'an argument must be named'],
  [{ help: { type: 'boolean', help: '' } }, 'an argument must be named'],
  [{ n: { type: 'number', help: '' } }, 'type of --n must be boolean, string, list'],
  [{ n: { type: 'list', default: 'a', help: '' } }, 'default of --n must be of the type list'],
])('[M-7] the argument declaration %j is refused', (declared, message) => {
  const create = () => ({});

  expect(() => withArguments({ arguments: declared as never, create })).toThrow(message);
});

test('the program that withArguments returns is frozen', () => {
  const program = withArguments({ arguments: TABLE, create: () => ({}) });

  expect(Object.isFrozen(program)).toBe(true);
  expect(Object.isFrozen(program.arguments)).toBe(true);
});
