/** JSON of objects, watch lines and lists in which members come again, each time as something else. */
import fc from 'fast-check';

/** A member as it is written: name and value are JSON. */
type Member = readonly [name: string, value: string];

const IDENTITY = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1' };
/** Members of an object this long are told apart one by one; those of a shorter one are searched first. */
const LONG = 'word '.repeat(3_400);

const written = (members: readonly Member[]): string =>
  `{${members.map(([name, value]) => `${name}:${value}`).join(',')}}`;
const quoted = (name: string): string => JSON.stringify(name);
/** The same name to a parser. */
const escaped = (name: string): string =>
  `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"`;
const membersOf = (object: object): readonly Member[] =>
  Object.entries(object).map(([name, value]) => [quoted(name), JSON.stringify(value)]);

const FORM = { kind: 'ConfigMap', apiVersion: 'v1' };
const REST = {
  data: { kind: 'x', text: 'short' },
  spec: { template: { metadata: { name: 'b' } }, ref: { name: 'c', kind: 'ConfigMap' } },
};

/** What may come again, and as what. */
const AGAIN = {
  line: {
    type: ['ADDED', 'DELETED', 'OTHER'],
    object: [{ ...FORM, metadata: IDENTITY }, FORM, null, {}],
  },
  list: {
    kind: ['ConfigMapList', 'List'],
    apiVersion: ['v1', 'v2'],
    metadata: [{ resourceVersion: '8' }, {}],
    items: [[], null, {}, [{ metadata: IDENTITY }], [{ ...FORM, metadata: IDENTITY }, {}]],
  },
  object: {
    kind: ['ConfigMap', 'Other', 7, null],
    apiVersion: ['v1', 'v2'],
    metadata: [
      IDENTITY,
      { ...IDENTITY, name: 'b' },
      { ...IDENTITY, resourceVersion: '2' },
      { name: 'a', uid: 'u', resourceVersion: '1' },
      { labels: {} },
      null,
      [],
    ],
    data: [{ text: 'other' }, null, { text: 'short' }],
    spec: [{ seen: 2 }, { a: { metadata: {}, kind: 'x' } }],
  },
  metadata: {
    name: ['a', 'b', ''],
    namespace: ['n', 'm'],
    uid: ['u', 'v'],
    resourceVersion: ['1', '2'],
    labels: [{ x: '1' }, { x: '2' }],
    managedFields: [[], [{ manager: 'x' }]],
  },
};
type Level = keyof typeof AGAIN;

interface Extra {
  readonly level: Level;
  readonly at: number;
  readonly member: Member;
}

/** Up to three members that come again, at any place. */
function extras(...levels: readonly Level[]): fc.Arbitrary<readonly Extra[]> {
  const choices = levels.flatMap((level) =>
    Object.entries(AGAIN[level]).flatMap(([name, values]) =>
      values.map((value) => ({ level, name, value: JSON.stringify(value) })),
    ),
  );
  const extra = fc
    .tuple(fc.constantFrom(...choices), fc.oneof(fc.nat(9), fc.constant(99)), fc.nat(4))
    .map(([{ level, name, value }, at, how]): Extra => {
      return { level, at, member: [how === 0 ? escaped(name) : quoted(name), value] };
    });
  return fc.oneof(fc.constant([]), fc.array(extra, { minLength: 1, maxLength: 3 }));
}

function withExtras(level: Level, members: readonly Member[], all: readonly Extra[]): string {
  const own = all.filter((each) => each.level === level);
  return written(own.reduce((now, { at, member }) => now.toSpliced(at, 0, member), [...members]));
}

function objectOf(all: readonly Extra[], isLong: boolean, form: object = FORM): string {
  const metadata = withExtras('metadata', membersOf(IDENTITY), all);
  const rest = membersOf(isLong ? { ...REST, status: LONG } : REST);
  const members = [...membersOf(form), ['"metadata"', metadata] as const, ...rest];
  return withExtras('object', members, all);
}

/** A line of a watch. */
export const line: fc.Arbitrary<string> = fc
  .tuple(extras('line', 'object', 'metadata'), fc.boolean())
  .map(([all, isLong]) =>
    withExtras(
      'line',
      [
        ['"type"', '"MODIFIED"'],
        ['"object"', objectOf(all, isLong)],
      ],
      all,
    ),
  );

/** An item of a list, which may leave out its form. */
export const item: fc.Arbitrary<string> = fc
  .tuple(extras('object', 'metadata'), fc.boolean(), fc.constantFrom({}, FORM))
  .map(([all, isLong, form]) => objectOf(all, isLong, form));

/** A list of items, each of them JSON. */
export const listOf = (items: fc.Arbitrary<readonly string[]>): fc.Arbitrary<string> =>
  fc.tuple(items, extras('list')).map(([texts, all]) =>
    withExtras(
      'list',
      [
        ['"kind"', '"ConfigMapList"'],
        ['"apiVersion"', '"v1"'],
        ['"metadata"', '{"resourceVersion":"7"}'],
        ['"items"', `[${texts.join(',')}]`],
      ],
      all,
    ),
  );
