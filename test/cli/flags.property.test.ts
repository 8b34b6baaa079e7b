/** The tables of commands: what is parsed by them, and what follows from them. */
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type CommandTable,
  camelCase,
  type GivenTo,
  optionsOf,
} from '../../operator/cli/command-table.ts';
import { COMMANDS } from '../../operator/cli/dispatch.ts';
import { parseFlags } from '../../operator/cli/flags.ts';
import { helpText, optionMeaning, optionTitle } from '../../operator/cli/help.ts';
import type { Option, ValueType } from '../../operator/cli/value-types.ts';
import { WATCH } from '../../operator/cli/watch/table.ts';

const TABLES = COMMANDS.map(({ table }) => table);
const BARE = { name: 'act', summary: '', description: '', exitCodes: {} } as const;

describe('parsing a random command line', () => {
  /** An option with some values, each as text and as it is when it is parsed. */
  interface GivenOption {
    readonly name: string;
    readonly option: Option;
    readonly values: readonly (readonly [text: string, value: unknown])[];
  }

  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
  const same = <T>(text: T): readonly [T, T] => [text, text];
  const CHOICES = ['a', 'b-c', '1.30'];
  const VALUES: { readonly [T in ValueType]: fc.Arbitrary<readonly [string, unknown]> } = {
    text: fc.string().map(same),
    path: fc.string({ minLength: 1 }).map(same),
    choice: fc.constantFrom(...CHOICES).map(same),
    port: fc.integer({ min: 0, max: 65_535 }).map((port) => [String(port), port]),
    number: fc.integer({ min: 3, max: 40 }).map((count) => [String(count), count]),
    duration: fc
      .record({ h: fc.nat(9), s: fc.nat(3_599) })
      .map(({ h, s }) => [`${h}h${s}s`, h * 3_600_000 + s * 1_000]),
    namespace: word.map(same),
    namespaces: fc.oneof(
      fc.constantFrom('own', 'all').map(same),
      fc
        .uniqueArray(
          word.filter((name) => !['own', 'all'].includes(name)),
          { minLength: 1 },
        )
        .map((names) => [names.join(','), names.toSorted()] as const),
    ),
    address: fc.oneof(fc.ipV4(), fc.ipV6()).map(same),
    time: fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map((date) => same(date.toISOString())),
    variable: fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,9}$/).map(same),
    list: fc.uniqueArray(word, { minLength: 1 }).map((words) => [words.join(','), words]),
    pair: fc.tuple(word, fc.string({ minLength: 1 })).map(([a, b]) => [`${a}=${b}`, [a, b]]),
  };

  const types = Object.keys(VALUES) as ValueType[];
  const optionOf = (name: string): fc.Arbitrary<GivenOption> =>
    fc
      .record({
        type: fc.constantFrom(undefined, ...types),
        multiple: fc.boolean(),
        short: fc.boolean(),
      })
      .chain(({ type, multiple, short }) => {
        const option: Option = {
          help: '',
          ...(short && { short: name.charAt(0).toUpperCase() }),
          ...(type !== undefined && { type, ...(multiple && { multiple }) }),
          ...(type === 'choice' && { choices: CHOICES }),
          ...(type === 'number' && { min: 3, max: 40 }),
        };
        const one = type === undefined ? fc.constant(['', true] as const) : VALUES[type];
        const values = fc.array(one, { maxLength: 3 });
        return values.map((each) => ({ name, option, values: each }));
      });
  const name = fc
    .tuple(word, fc.option(word, { nil: undefined }))
    .map(([first, second]) => (second === undefined ? first : `${first}-${second}`));
  // Their first letters differ, since those are their short names.
  const options = fc
    .uniqueArray(name, { selector: (each) => each.charAt(0), maxLength: 6 })
    .chain((names) => fc.tuple(...names.map(optionOf)));
  const words = fc.array(
    fc.string().filter((text) => !text.startsWith('-')),
    { maxLength: 3 },
  );

  const printed = ({ name: long, option }: GivenOption, text: string): readonly string[] => {
    const flag = option.short === undefined ? `--${long}` : `-${option.short}`;
    if (option.type === undefined) return [flag];
    // A word that begins with a dash is no value of the word before.
    return text.startsWith('-') || text === '' ? [`--${long}=${text}`] : [flag, text];
  };
  const expected = ({ option, values }: GivenOption): unknown => {
    const parsed = values.map(([, value]) => value);
    if (option.type === undefined) return parsed.length > 0;
    return option.multiple === true ? parsed : parsed.at(-1);
  };

  test('a command line written from random options is parsed back to the same values', () => {
    fc.assert(
      fc.property(options, words, words, (given, args, rest) => {
        const table: CommandTable = {
          ...BARE,
          rest: 'ARGUMENT...',
          options: Object.fromEntries(given.map(({ name: long, option }) => [long, option])),
        };
        const flags = given.flatMap((each) => each.values.flatMap(([text]) => printed(each, text)));

        const said = parseFlags([...args, ...flags, '--', ...rest], table);

        expect(said).toMatchObject({ words: args, rest });
        expect(said.values).toEqual(
          Object.fromEntries(given.map((each) => [camelCase(each.name), expected(each)])),
        );
      }),
    );
  });
});

describe('a value of the wrong type is refused, and the error says what was expected', () => {
  test.each<[Omit<Option, 'help'>, string, string]>([
    [{ type: 'port' }, '70000', '--x must be a whole number from 0 to 65535, not "70000"'],
    [{ type: 'number', min: 2, max: 9 }, '1', '--x must be a whole number from 2 to 9, not "1"'],
    [{ type: 'number', min: 2, max: 9 }, '2.5', 'from 2 to 9, not "2.5"'],
    [{ type: 'duration' }, '-5s', '--x must be a duration such as 90s or 5m, or 0 for none'],
    [{ type: 'duration', min: 2_000, max: 7_200_000 }, '3h', 'from 2s to 2h, not "3h"'],
    [{ type: 'choice', choices: ['tall', 'wide'] }, 'tal', 'tall or wide, not "tal"; did you mean'],
    [{ type: 'namespace' }, 'a_b', '--x must be at most 63 of a-z, 0-9 and "-", not "a_b"'],
    [{ type: 'namespaces' }, 'a,', '--x must be own, all, or namespaces as a,b, not "a,"'],
    [{ type: 'address' }, 'there', '--x must be an IP address, such as 127.0.0.1, not "there"'],
    [{ type: 'time' }, 'noon', '--x must be a time such as 2026-01-31T12:00:00Z, not "noon"'],
    [{ type: 'variable' }, 'A=1', '--x must be the name of a variable without its value'],
    [{ type: 'list' }, 'a,,b', '--x must be words such as a,b, not "a,,b"'],
    [{ type: 'list', choices: ['a'] }, 'a,b', '--x must be of a, not "a,b"'],
    [{ type: 'pair' }, 'a=', '--x must be NAME=MESSAGE, not "a="'],
  ])('for an option %j the value %s is refused, and the error says what is expected', (option, text, message) => {
    const table: CommandTable = { ...BARE, options: { x: { ...option, help: '' } } };

    expect(() => parseFlags([`--x=${text}`], table)).toThrow(message);
  });
});

test('an option on the command line overrides the variable, and the variable overrides the default', () => {
  const OPTIONS = {
    size: { type: 'number', env: 'SIZE', default: '3', help: '' },
    loud: { env: 'LOUD', help: '' },
  } as const;
  const table: CommandTable<typeof OPTIONS> = { ...BARE, options: OPTIONS };

  expect(parseFlags([], table).values).toEqual({ size: 3, loud: false });
  expect(parseFlags([], table, { SIZE: ' 4 ', LOUD: '1' }).values).toEqual({ size: 4, loud: true });
  expect(parseFlags(['--size=5', '--loud'], table, { SIZE: '4', LOUD: '0' }).values).toEqual({
    size: 5,
    loud: true,
  });
  expect(() => parseFlags([], table, { SIZE: 'x' })).toThrow(/^SIZE must be a whole number/);
  expect(() => parseFlags(['--size=x'], table, { SIZE: '4' })).toThrow(/^--size must be/);
});

describe('commands whose first word is a subcommand', () => {
  const OPTIONS = {
    far: { for: ['throw'], instead: { catch: 'a catch is near' }, help: '' },
    high: { for: ['throw'], help: '' },
  } as const;
  const table: CommandTable<typeof OPTIONS, 'throw' | 'catch' | 'BALL'> = {
    ...BARE,
    kinds: { throw: '', catch: '', BALL: '' },
    options: OPTIONS,
  };
  const strict: CommandTable = { ...BARE, kinds: { throw: '', catch: '' }, options: {} };

  test('the first word chooses the subcommand, and the other words are its arguments', () => {
    expect(parseFlags(['--far', 'throw', 'a'], table)).toMatchObject({
      kind: 'throw',
      words: ['a'],
    });
    expect(parseFlags(['a', 'throw'], table)).toMatchObject({
      kind: 'BALL',
      words: ['a', 'throw'],
    });
    expect(parseFlags(['BALL'], table)).toMatchObject({ kind: 'BALL', words: ['BALL'] });
  });

  test.each([
    [table, ['catch', '--high'], '--high is for throw, not for catch'],
    [table, ['catch', '--far'], '--far is for throw, not for catch; a catch is near'],
    [strict, [], 'expected throw or catch; got nothing'],
    [strict, ['thro'], 'cannot act "thro"; did you mean throw?'],
    [strict, ['sleep'], 'cannot act "sleep"; expected throw or catch'],
  ])('a wrong subcommand or option is refused: %j %j', (of, args, message) => {
    expect(() => parseFlags(args, of as CommandTable)).toThrow(message);
  });
});

test('TypeScript infers the types of the values from the table of options', () => {
  const given = parseFlags(['cm', '-A'], WATCH);

  expect(given.values.allNamespaces).toBe(true);
  expectTypeOf<GivenTo<typeof WATCH>['values']['namespace']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<GivenTo<typeof WATCH>['values']['syncMarker']>().toEqualTypeOf<boolean>();
  // @ts-expect-error -- no option has this name
  expect(given.values.allNamespace).toBeUndefined();
});

describe.each(TABLES)('the table of options of $name', (table) => {
  const shown = Object.entries(optionsOf(table)).filter(([, { hidden }]) => hidden !== true);

  test('the help lists every option of the table with its meaning and its default', () => {
    const help = helpText(table);

    const flat = help.replaceAll(/\s+/g, ' ');
    for (const [name, option] of shown) {
      expect(help).toContain(`  ${optionTitle(name, option)} `);
      expect(flat).toContain(optionMeaning(option).replaceAll(/\s+/g, ' '));
    }
  });

  test('the help has lines of at most 100 columns, except for long words', () => {
    const rows = helpText(table)
      .split('\n')
      .filter((line) => /^ {2}(?:-|\d )/.test(line));

    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((line) => line.length > 100)).toEqual([]);
  });

  test('the defaults in the table are valid, and no option name or letter occurs twice', () => {
    expect(() => parseFlags(Object.keys(table.kinds ?? {}).slice(0, 1), table)).not.toThrow();
    const names = Object.keys(optionsOf(table)).map(camelCase);
    const letters = shown.flatMap(([, { short }]) => short ?? []);
    for (const all of [names, letters]) expect(new Set(all).size).toBe(all.length);
  });

  test('the options in the table refer only to existing subcommands', () => {
    const kinds = Object.keys(table.kinds ?? {});
    const named = Object.values(table.options).flatMap(({ for: takers = [] }) => takers);

    expect(named.filter((kind) => !kinds.includes(kind))).toEqual([]);
  });
});
