/** Texts of a timeline: printed, packed, unpacked by the page, and compared there. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationWords } from '../../../operator/core/text/duration-words.ts';
import { parseYaml } from '../../../operator/core/yaml.ts';
import { objectLines, yamlLines } from '../../../operator/flight/timeline/objects/object-lines.ts';
import { PackedTexts } from '../../../operator/flight/timeline/objects/packed-texts.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import {
  clockWords,
  lineDiff,
  spanWords,
  Texts,
  tickMoments,
  tickStep,
  wallAt,
} from './page-modules.ts';

const words = fc.constantFrom(
  ...['no', 'Yes', 'null', '~', '1e3', '0x1f', '2030-01-01T00:00:00Z', '- a', 'a: b', 'a #b', '#a'],
  ...[
    'two\nlines',
    'two\nlines\n',
    'many\n\n\n',
    ' led\nin',
    'a\n  b\n c\n',
    'tab\tand\nline',
    '\n',
    '',
  ],
  ...[
    'a sentence, with (a few) marks; and more',
    'nginx:1.27@sha256:ab',
    '*',
    '&a',
    '!x',
    '"q"',
    '\u0085',
    '\u202ea',
  ],
  ...[
    '[a]',
    '{a}',
    'a\r\nb',
    '|',
    '>',
    '%',
    '@',
    '`',
    "'",
    'key:',
    '-',
    '?',
    '...',
    '---',
    'a\n---\nb',
  ],
);
const json = fc.jsonValue({ maxDepth: 4 });
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    words,
    json,
    fc.dictionary(words, tie('tree')),
    fc.array(tie('tree')),
  ),
}));

test('a JSON value printed as YAML is parsed as the same value', () => {
  fc.assert(
    fc.property(tree, (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value)); // without -0 and prototypes
      const text = `${yamlLines(plain).join('\n')}\n`;

      expect(parseYaml(text)).toEqual(plain);
    }),
    propertyRuns(),
  );
});

test('an object is printed as YAML, with its managedFields as comments', () => {
  const lines = objectLines({
    kind: 'ConfigMap',
    metadata: {
      name: 'web',
      labels: {},
      managedFields: [
        {
          manager: 'kubectl',
          operation: 'Apply',
          time: '2030-01-01T00:00:00Z',
          fieldsV1: { 'f:data': {} },
        },
        { manager: 'web\noperator', operation: 'Update', subresource: 'status' },
      ],
    },
    data: { 'nginx.conf': 'server {\n\tlisten 80;\n}\n', mode: '0644', on: 'true' },
    list: [{ a: 1, b: [] }, [true, null], 'x y'],
  });

  expect(lines).toEqual([
    'kind: ConfigMap',
    'metadata:',
    '  name: web',
    '  labels: {}',
    'data:',
    '  nginx.conf: |',
    '    server {',
    '    \tlisten 80;',
    '    }',
    '  mode: "0644"',
    '  "on": "true"',
    'list:',
    '- a: 1',
    '  b: []',
    '- - true',
    '  - null',
    '- x y',
    '# managed by kubectl Apply 2030-01-01T00:00:00Z',
    '# managed by web operator Update status',
  ]);
});

const textArbitrary = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });

test('packed texts can be unpacked, whichever earlier text each is based on', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(textArbitrary, fc.nat()), { maxLength: 200 }), (given) => {
      const packed = new PackedTexts();
      const indices = given.map(([text, base]) =>
        packed.add(text, packed.texts.length === 0 ? undefined : base % packed.texts.length),
      );
      const texts = new Texts(packed);

      const unpacked = indices.map((index) => texts.numbers(index).map((line) => texts.line(line)));
      expect(unpacked).toEqual(given.map(([text]) => text));
    }),
    propertyRuns(),
  );
});

test('packing another version of an object adds only the difference, or nothing if it is equal', () => {
  const packed = new PackedTexts();
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`);
  const first = packed.add(lines);

  const second = packed.add(lines.with(20, 'changed'), first);
  const third = packed.add(lines.with(20, 'changed'), second);

  expect(packed.texts[second ?? -1]).toEqual([first, 20, 29, 50]);
  expect(third).toBe(second);
});

test('texts that exceed the limit are omitted and counted', () => {
  const packed = new PackedTexts(9);

  expect([packed.add(['a', 'b']), packed.add(['c', 'd']), packed.add(['e'])]).toEqual([
    0,
    undefined,
    1,
  ]);
  expect(packed.omitted).toBe(1);
});

const numbers = fc.array(fc.nat(5), { maxLength: 14 });

/** Length of a longest common subsequence, by the table of every textbook. */
function commonLength(a: readonly number[], b: readonly number[]): number {
  const rows = a.reduce<readonly number[]>(
    (above, value) => {
      const row = [0];
      for (const [index, other] of b.entries()) {
        const longest = Math.max(above[index + 1] ?? 0, row[index] ?? 0);
        row.push(value === other ? (above[index] ?? 0) + 1 : longest);
      }
      return row;
    },
    Array<number>(b.length + 1).fill(0),
  );
  return rows[b.length] ?? 0;
}

test('a diff contains both texts, with as many common lines as possible', () => {
  fc.assert(
    fc.property(numbers, numbers, (before, after) => {
      const diff = lineDiff(before, after);
      const of = (...kinds: readonly string[]): readonly number[] =>
        diff.filter(({ kind }) => kinds.includes(kind)).map(({ line }) => line);

      expect(of('same', 'removed')).toEqual(before);
      expect(of('same', 'added')).toEqual(after);
      expect(of('same')).toHaveLength(commonLength(before, after));
    }),
    propertyRuns(),
  );
});

test('the diff of two very different texts removes all old lines and adds all new lines', () => {
  const before = Array.from({ length: 2_000 }, (_, index) => index);
  const after = before.map((number) => number + 10_000);

  const diff = lineDiff([...before, 1], [...after, 1]);

  expect(diff.map(({ kind }) => kind)).toEqual([
    ...before.map(() => 'removed'),
    ...after.map(() => 'added'),
    'same',
  ]);
});

test.each([
  [0, '0 ms'],
  [0.44, '0.4 ms'],
  [9.94, '9.9 ms'],
  [9.96, '10 ms'],
  [999.4, '999 ms'],
  [999.6, '1 s'],
  [1_250, '1.3 s'],
  [59_960, '1 min'],
  [184_000, '3 min 4 s'],
  [7_500_000, '2 h 5 min'],
  [7_200_000, '2 h'],
])('%d ms are printed as %s, by the code for records and by the page', (ms, expected) => {
  expect([durationWords(ms), spanWords(ms)]).toEqual([expected, expected]);
});

test('the wall time of an event is computed from the last clock reading before it', () => {
  const walls = [
    [0, 1_000],
    [500, 100_000],
    [900, 50],
  ] as const;

  expect([-10, 0, 499, 500, 899, 900, 1_000].map((at) => wallAt(walls, at))).toEqual([
    990, 1_000, 1_499, 100_000, 100_399, 50, 150,
  ]);
});

test.each([
  [1, '12:34:56.789'],
  [0.1, '12:34:56.7895'],
  [1_000, '12:34:56'],
  [60_000, '12:34'],
])('times that are %d ms apart are printed with the necessary digits', (step, expected) => {
  expect(clockWords(Date.parse('2030-01-01T12:34:56.789Z') + 0.5, step)).toBe(expected);
});

test('an invalid time is printed as a dash', () => {
  expect([Number.NaN, 1e20].map((wall) => clockWords(wall))).toEqual(['–', '–']);
});

test('the ticks of the axis are at round wall times, and not too close together', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1, max: 1e9, noNaN: true }),
      fc.integer({ min: 200, max: 4_000 }),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      (span, width, from) => {
        const walls = [[0, 1_893_456_000_123]] as const;
        const step = tickStep(span, width, 96);
        const moments = tickMoments(walls, from, from + span, step);

        expect((step / span) * width).toBeGreaterThanOrEqual(95.99);
        expect(moments.length).toBeLessThanOrEqual(width / 95 + 1);
        for (const at of moments) {
          const off = wallAt(walls, at) / step;
          expect(Math.abs(off - Math.round(off)) * step).toBeLessThan(0.01);
        }
      },
    ),
    propertyRuns(),
  );
});
