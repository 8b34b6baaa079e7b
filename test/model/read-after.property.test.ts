import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HeldText } from '../../operator/model/held-object.ts';
import { type Predecessor, readAfter } from '../../operator/model/read-after.ts';

/** Long enough that the tail is worth telling apart. */
const LONG = 'word '.repeat(220);

const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, 12, -1.5e3, '', '"}', '\\', ',"b":1', 'ü'),
  fc.string({ maxLength: 4 }),
);
const value = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('a', 'x"y', '}'), leaf, { maxKeys: 2 }),
  fc.constantFrom({ deep: [{ er: [LONG, {}] }, []] }, LONG),
);
const member = fc
  .tuple(fc.constantFrom('spec', 'status', 'data', 'a', '0', 'kind', '__proto__', 'q"'), value)
  .map(([name, it]) => `,${JSON.stringify(name)}:${JSON.stringify(it)}`);
const head = fc
  .tuple(fc.constantFrom('"kind":"K",', '"kind":"K","apiVersion":"v1",', ''), fc.nat(9))
  .map(([form, version]) => `{${form}"metadata":{"resourceVersion":"${version}"`);

/** A row of members, of which one makes all of it worth being told apart. */
const first = fc
  .tuple(fc.array(member, { maxLength: 2 }), fc.array(member, { maxLength: 2 }))
  .map(([front, back]) => [...front, `,"long":${JSON.stringify([LONG, LONG])}`, ...back]);

type Edit = readonly [at: number, gone: number, come: string | undefined];
type Damage = readonly [boundary: number, gone: number, put: string];

/** What becomes of a row: members go and come. */
const edit = fc.tuple(fc.nat(4), fc.nat(1), fc.option(member, { nil: undefined }));
function edited(row: readonly string[], edits: readonly Edit[]): readonly string[] {
  const next = [...row];
  for (const [at, gone, come] of edits)
    next.splice(at % (next.length + 1), gone, ...(come ? [come] : []));
  return next;
}

/** What becomes of a text, be it JSON or not: something is put where a member may begin or end, or left out. */
const damage = fc.option(
  fc.tuple(
    fc.nat(6),
    fc.nat(1),
    fc.constantFrom('', ',', '}', ']', '{', '3', ' ', ',"x":1', '{"x":1', '"'),
  ),
  { nil: undefined, freq: 1 },
);
function damaged(row: readonly string[], done: Damage | undefined): string {
  const tail = `}${row.join('')}}`;
  if (done === undefined) return tail;
  const [boundary, gone, put] = done;
  const at = 1 + row.slice(0, boundary % (row.length + 1)).join('').length;
  return tail.slice(0, at) + put + tail.slice(at + gone);
}

const change = fc.tuple(head, fc.array(edit, { maxLength: 2 }), damage);
const history = fc.tuple(first, fc.array(change, { maxLength: 6 }));

function outcome(read: () => unknown): unknown {
  try {
    return { object: read() };
  } catch {
    return 'no JSON';
  }
}

/** The same row, a level deeper. */
function within(tail: string): string {
  return `},"spec":${JSON.stringify([LONG])},"status":{${tail.slice(2)}}`;
}

test.each([
  ['each state', (tail: string) => tail],
  ['each state of a member', within],
])('%s is what JSON.parse has it be, whatever was read before', (_, tailOf) => {
  let taken = 0;
  let histories = 0;
  fc.assert(
    fc.property(history, ([begun, changes]) => {
      histories++;
      let row: readonly string[] = begun;
      let left: Predecessor | undefined = 'forgotten';
      for (const [begin, edits, done] of [['{"metadata":{', [], undefined] as const, ...changes]) {
        row = edited(row, edits);
        const tail = tailOf(damaged(row, done));
        const expected = outcome(() => JSON.parse(begin + tail));

        const read = outcome(() => {
          const { object, leaves } = readAfter(begin, tail, left);
          if (typeof leaves === 'object' && leaves.members !== undefined) taken++;
          left = leaves;
          return object;
        });

        expect(JSON.stringify(read)).toBe(JSON.stringify(expected));
        expect(read).toStrictEqual(expected);
      }
    }),
  );
  expect(taken).toBeGreaterThan(histories / 10); // or the property tries nothing
});

test('another member with as long a name is another', () => {
  const tail = `},"spec":{"a":1},"status":{"text":"${LONG}","more":["${LONG}"],"seen":1}}`;
  const renamed = tail.replace('"status"', '"statux"').replace(':1}}', ':2}}');
  const { leaves } = readAfter('{"metadata":{', tail, 'forgotten');

  const { object } = readAfter('{"metadata":{', renamed, leaves);

  expect(object).toStrictEqual(JSON.parse(`{"metadata":{${renamed}`));
});

test('of a member that has changed, members are taken, too', () => {
  const conditions = [{ type: 'Ready', message: LONG }];
  const [first, second, third] = ['1', '2', '3'].map((seen) => {
    const status = { phase: 'Running', seen, conditions, more: { text: LONG } };
    return `},"spec":{},"status":${JSON.stringify(status)}}`;
  });
  const head = '{"metadata":{';
  const before = readAfter(head, second ?? '', readAfter(head, first ?? '', 'forgotten').leaves);

  const now = readAfter(head, third ?? '', before.leaves);

  type State = { readonly status: Readonly<Record<string, unknown>> };
  const [was, is] = [before.object, now.object].map((object) => (object as State).status);
  expect(is).toEqual((JSON.parse(head + third) as State).status);
  expect(is?.conditions).toBe(was?.conditions);
  expect(is?.more).toBe(was?.more);
});

/** Of states with `spec`, `other` and `status`, in this order. */
function stateOf(parts: { spec?: string; other?: string; status?: string }): HeldText {
  const { spec = 'as it was', other = 'as it was', status = 'as it was' } = parts;
  const rest = { spec: [spec, LONG], other: [other, LONG], status: [status, LONG] };
  return { head: '{"metadata":{"name":"a"', tail: `},${JSON.stringify(rest).slice(1)}` };
}

type Shared = Readonly<Record<'spec' | 'other' | 'status', unknown>>;

test.each([
  ['nothing', {}, ['spec', 'other', 'status']],
  ['the first', { spec: 'new' }, ['other', 'status']],
  ['one in the middle', { other: 'longer than it was' }, ['spec', 'status']],
  ['the last', { status: 'new' }, ['spec', 'other']],
  ['two', { other: 'new', status: 'new' }, ['spec']],
  ['the first and the last', { spec: 'new', status: 'new' }, []],
])('where %s has changed, the others are the very values of before', (_, change, same) => {
  const first = readAfter(stateOf({}).head, stateOf({}).tail, 'forgotten');
  const second = readAfter(stateOf({}).head, stateOf({}).tail, first.leaves);
  const { head: begin, tail } = stateOf(change);

  const third = readAfter(begin, tail, second.leaves);

  const [before, now] = [first.object, third.object] as [Shared, Shared];
  const names = ['spec', 'other', 'status'] as const;
  expect(names.filter((name) => now[name] === before[name])).toEqual(same);
  expect(now).toEqual(JSON.parse(begin + tail));
});

test('where states have nothing in common three times in a row, no text is kept any more', () => {
  const stateAt = (round: number): HeldText => {
    const data = { text: `${round} ${LONG}` };
    return { head: '{"metadata":{"name":"a"', tail: `},"data":${JSON.stringify(data)}}` };
  };
  let left: Predecessor | undefined = 'forgotten';

  const kept = [0, 1, 2, 3, 4].map((round) => {
    const { head: begin, tail } = stateAt(round);
    left = readAfter(begin, tail, left).leaves;
    return typeof left === 'object';
  });

  expect(kept).toEqual([true, true, true, false, false]);
});

test('what has changed once is taken from then on, wherever it has moved to', () => {
  const states = [
    {},
    {},
    { other: 'longer than it was' },
    { spec: 'new', other: 'longer than it was' },
  ];
  let left: Predecessor | undefined = 'forgotten';

  const [, , third, fourth] = states.map((parts) => {
    const { head: begin, tail } = stateOf(parts);
    const { object, leaves } = readAfter(begin, tail, left);
    left = leaves;
    return object as Shared;
  });

  expect(fourth).toEqual(JSON.parse(stateOf(states[3] ?? {}).head + stateOf(states[3] ?? {}).tail));
  expect([fourth?.other === third?.other, fourth?.status === third?.status]).toEqual([true, true]);
});

test.each([
  ['a comma at the end', (tail: string) => `${tail.slice(0, -1)},}`],
  ['a comma in between', (tail: string) => tail.replace(',"status"', ',,"status"')],
  ['no brace at the end', (tail: string) => tail.slice(0, -1)],
  ['two braces at the end', (tail: string) => `${tail}}`],
  ['a comma for the last brace', (tail: string) => `${tail.slice(0, -1)},`],
  ['a bracket for the brace of a member', (tail: string) => `${tail.slice(0, -2)}]}`],
  ['a brace for the first comma', (tail: string) => `}{${tail.slice(2)}`],
  ['a member before the brace of others', (tail: string) => tail.replace('{"b"', '{"c":1{"b"')],
  ['a comma for the brace of a member', (tail: string) => tail.replace('{"b"', ',"b"')],
  ['a brace for a comma', (tail: string) => tail.replace(',"d"', '{"d"')],
])('%s is no JSON, though every member is as it was', (_, damage) => {
  const head = '{"metadata":{"name":"a"';
  const tail = `},"spec":{"a":"${LONG}"},"status":{"b":"${LONG}","d":{},"e":["${LONG}"]}}`;
  const { leaves } = readAfter(head, tail, 'forgotten');

  expect(readAfter(head, tail, leaves).leaves).toHaveProperty('members');
  expect(() => readAfter(head, damage(tail), leaves)).toThrow(SyntaxError);
});
