import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entry } from '../../operator/model/entry.ts';
import { expectNeverWrong, expectScanned, scanBytes, WAYS } from './parsed-event.ts';

function readOrRefused(event: { readonly entry: Entry } | undefined): unknown {
  try {
    return event?.entry.object;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What stands in the way of telling where a string, a bracket or a member ends. */
const piece = fc.constantFrom(
  ...[
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\n',
    ']},"a',
    '],"a',
    '}}',
    '\\"',
    'managedFields',
  ],
  ...['"metadata":{"uid":"x"}', 'ä', '日', '\u{1f600}', '\u2028', '\ud800', '<', 'x'.repeat(64)],
);
const text = fc
  .array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 5 })
  .map((parts) => parts.join(''));
const known = fc.constantFrom(
  ...['type', 'object', 'kind', 'apiVersion', 'metadata', 'name', 'namespace', 'uid'],
  ...['resourceVersion', 'managedFields', 'labels', 'spec', '__proto__', ''],
);
const key = fc.oneof(known, text);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((members) => new Members(members)),
  ),
}));

/** An object as a list of members: in this order, and some of them twice. */
class Members {
  readonly list: readonly (readonly [string, unknown])[];
  constructor(list: readonly (readonly [string, unknown])[]) {
    this.list = list;
  }
}

/** How a value is written: `gap` is put where white space may stand. */
function written(value: unknown, gap = ''): string {
  if (value instanceof Members) {
    const members = value.list.map(
      ([name, member]) => `${gap}${JSON.stringify(name)}${gap}:${gap}${written(member, gap)}${gap}`,
    );
    return `{${members.join(',')}}`;
  }
  if (Array.isArray(value)) return `[${value.map((item) => gap + written(item, gap)).join(',')}]`;
  return JSON.stringify(value);
}

type Member = readonly [string, unknown];
const plain = fc.stringMatching(/^[a-z0-9.-]{1,20}$/);
const managedFields = fc.oneof(
  value,
  fc.array(
    fc.array(fc.tuple(key, value), { maxLength: 3 }).map((members) => new Members(members)),
    { maxLength: 3 },
  ),
  fc.constant([
    new Members([
      ['manager', 'kubectl'],
      ['fieldsV1', new Members([['f:data', new Members([])]])],
    ]),
  ]),
);
const parts = fc.record({
  type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'),
  names: fc.record({
    kind: plain,
    apiVersion: plain,
    name: plain,
    uid: plain,
    resourceVersion: plain,
  }),
  namespace: fc.option(plain),
  managedFields: fc.option(managedFields),
  labels: value,
  annotations: value,
  spec: value,
  status: value,
});
type Parts = typeof parts extends fc.Arbitrary<infer P> ? P : never;

function metadataOf({
  names,
  namespace,
  managedFields,
  labels,
  annotations,
}: Parts): readonly Member[] {
  return [
    ['name', names.name],
    ...(namespace === null ? [] : [['namespace', namespace] as const]),
    ['uid', names.uid],
    ['resourceVersion', names.resourceVersion],
    ['labels', labels],
    ['annotations', annotations],
    ...(managedFields === null ? [] : [['managedFields', managedFields] as const]),
  ];
}

/** The members of an object, its metadata in the order of `arrange`. */
function objectOf(given: Parts, arrange: (list: readonly Member[]) => readonly Member[]): Members {
  return new Members(
    arrange([
      ['kind', given.names.kind],
      ['apiVersion', given.names.apiVersion],
      ['metadata', new Members(arrange(metadataOf(given)))],
      ['spec', given.spec],
      ['status', given.status],
    ]),
  );
}

const asStruct = (list: readonly Member[]): readonly Member[] => list;
const asMap = (list: readonly Member[]): readonly Member[] =>
  list.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));

const lineOf = (type: string, object: unknown): string =>
  `{"type":"${type}","object":${written(object)}}`;

test.each([
  ["in the order of Go's structs", asStruct],
  ["in the order of Go's maps", asMap],
])('an object %s is scanned without parsing, with the same result as parsing', (_, arrange) => {
  fc.assert(
    fc.property(parts, (given) => {
      expectScanned(lineOf(given.type, objectOf(given, arrange)));
    }),
  );
});

test('an object in any order is scanned without parsing, with the same result as parsing', () => {
  const ranks = fc.array(fc.nat(), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(parts, ranks, (given, order) => {
      const shuffled = (list: readonly Member[]): readonly Member[] =>
        list
          .map((member, at) => ({ member, rank: order[at] ?? 0 }))
          .toSorted((a, b) => a.rank - b.rank)
          .map(({ member }) => member);

      expectScanned(lineOf(given.type, objectOf(given, shuffled)));
    }),
  );
});

test('added, repeated and misplaced members never lead to a wrong scan', () => {
  const extra = fc.array(
    fc.record({
      level: fc.constantFrom('line', 'object', 'metadata'),
      member: fc.tuple(key, fc.oneof(plain, value)),
      at: fc.nat({ max: 8 }),
    }),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(parts, extra, (given, added) => {
      const at = (level: string, list: readonly Member[]): Members =>
        new Members(
          added
            .filter((one) => one.level === level)
            .reduce((all, one) => all.toSpliced(one.at, 0, one.member), [...list]),
        );
      const object = at('object', [
        ['kind', given.names.kind],
        ['apiVersion', given.names.apiVersion],
        ['metadata', at('metadata', metadataOf(given))],
        ['spec', given.spec],
      ]);

      expectNeverWrong(
        written(
          at('line', [
            ['type', given.type],
            ['object', object],
          ]),
        ),
      );
    }),
  );
});

test('white space anywhere never leads to a wrong scan', () => {
  const gap = fc.constantFrom(' ', '\t', '\n', '\r\n');
  fc.assert(
    fc.property(parts, gap, fc.nat(), (given, space, place) => {
      const object = objectOf(given, asStruct);
      const line = lineOf(given.type, object);
      const at = place % (line.length + 1);

      expectNeverWrong(`{"type":"${given.type}","object":${written(object, space)}}`);
      expectNeverWrong(line.slice(0, at) + space + line.slice(at));
    }),
  );
});

test('a line with a piece cut out, repeated or changed never leads to a wrong scan', () => {
  const change = fc.record({
    how: fc.constantFrom('cut', 'end', 'start', 'double', 'swap', 'replace', 'escape'),
    from: fc.nat(),
    length: fc.integer({ min: 1, max: 30 }),
    by: piece,
  });
  fc.assert(
    fc.property(parts, fc.array(change, { minLength: 1, maxLength: 3 }), (given, changes) => {
      const line = changes.reduce(
        (now, { how, from, length, by }) => {
          const at = from % (now.length + 1);
          const taken = now.slice(at, at + length);
          const behind = now.slice(at + length);
          if (how === 'end') return now.slice(0, at);
          if (how === 'start') return now.slice(at);
          if (how === 'cut') return now.slice(0, at) + behind;
          if (how === 'double') return now.slice(0, at) + taken + taken + behind;
          if (how === 'replace') return now.slice(0, at) + by + now.slice(at + 1);
          if (how === 'swap') return now.slice(0, at) + [...taken].reverse().join('') + behind;
          const code = now.charCodeAt(at).toString(16).padStart(4, '0');
          return `${now.slice(0, at)}\\u${code}${now.slice(at + 1)}`;
        },
        lineOf(given.type, objectOf(given, asStruct)),
      );

      expectNeverWrong(line);
    }),
  );
});

test('bytes that are not UTF-8 are scanned like the decoded line', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(parts, bytes, fc.nat(), (given, strange, place) => {
      const line = Buffer.from(lineOf(given.type, objectOf(given, asStruct)));
      const at = place % (line.length + 1);
      const broken = Buffer.concat([line.subarray(0, at), strange, line.subarray(at)]);

      const asText = Buffer.from(broken.toString());
      expectNeverWrong(broken.toString());
      for (const way of WAYS) {
        const [ofBytes, ofText] = [scanBytes(broken, way), scanBytes(asText, way)];
        expect(ofBytes?.type).toEqual(ofText?.type);
        expect(readOrRefused(ofBytes)).toEqual(readOrRefused(ofText));
      }
    }),
  );
});
