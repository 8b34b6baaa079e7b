/** Items and frame are those of the answer when it is parsed as a whole, in any pieces. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ReadItemsOptions, readItems } from '../../operator/stream/list-items.ts';
import {
  endOfRest,
  type ScannedIdentity,
  type Span,
  scanIdentity,
} from '../../operator/stream/scan-identity.ts';
import { jsonValue, memberName } from '../support/json-arbitraries.ts';
import { bodyOf } from './decoded.ts';

interface ReadList {
  readonly items: readonly unknown[];
  readonly frame: unknown;
}

/** As parsed: whatever is no JSON shows here at the latest. */
async function read(bytes: string | Buffer, cuts: readonly number[] = []): Promise<ReadList> {
  const items: unknown[] = [];
  const onItem: ReadItemsOptions['onItem'] = (chunk, from, to, identity) => {
    expectIdentityOf(chunk.subarray(from, to), from, identity);
    items.push(JSON.parse(chunk.toString('utf8', from, to)));
  };
  const frame = JSON.parse(await readItems(bodyOf(bytes, cuts), { onItem }));
  return { items, frame };
}

/** What was found out when a part of the item had arrived is what all of it says. */
function expectIdentityOf(item: Buffer, from: number, told: ScannedIdentity | undefined): void {
  // Found is one object for all, and so are its spans.
  const identity = told && structuredClone({ ...told });
  const found = scanIdentity(Buffer.from(item), 0, item.length, false);
  const isWhole = found && endOfRest(item, found.behind, item.length) === item.length;
  const alone = isWhole ? found : undefined;
  const movedSpan = ({ from: begin, to }: Readonly<Span>): Span => ({
    from: begin + from,
    to: to + from,
  });
  const moved = alone && {
    ...alone,
    name: movedSpan(alone.name),
    uid: movedSpan(alone.uid),
    resourceVersion: movedSpan(alone.resourceVersion),
    metadataFrom: alone.metadataFrom + from,
    metadataTo: alone.metadataTo + from,
    behind: alone.behind + from,
    managedFrom: alone.managedFrom < 0 ? -1 : alone.managedFrom + from,
    managedTo: alone.managedTo < 0 ? -1 : alone.managedTo + from,
  };
  expect(identity).toEqual(moved);
}

const string = fc
  .array(fc.oneof(fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', '"items":['), fc.string()), {
    maxLength: 4,
  })
  .map((parts) => parts.join(''));
const name = fc.stringMatching(/^[a-z]{1,8}$/);
const object = fc.record(
  {
    kind: name,
    apiVersion: name,
    metadata: fc.record(
      {
        name,
        uid: name,
        resourceVersion: name,
        labels: fc.dictionary(memberName(string), string),
        managedFields: fc.oneof(
          fc.constant([{ manager: 'x', fieldsV1: { 'f:a': {} } }]),
          fc.array(jsonValue()),
        ),
        annotations: fc.dictionary(memberName(string), string),
      },
      { requiredKeys: ['name', 'uid', 'resourceVersion'] },
    ),
    spec: jsonValue(),
    status: fc.dictionary(memberName(string), string),
  },
  { requiredKeys: ['metadata'] },
);
const item = fc.oneof(
  object,
  fc.dictionary(memberName(fc.oneof(string, fc.constant('items'))), jsonValue(), { maxKeys: 4 }),
);
const member = fc.tuple(
  memberName(string).filter((key) => key !== 'items' && key !== '__proto__'),
  fc.oneof(jsonValue(), fc.constant({ items: [{ a: 1 }] })),
);
const list = fc.record({
  before: fc.array(member, { maxLength: 3 }),
  items: fc.array(item, { maxLength: 5 }),
  behind: fc.array(member, { maxLength: 3 }),
  gap: fc.constantFrom('', ' ', '\n\t', '\r\n  '),
});
type List = typeof list extends fc.Arbitrary<infer L> ? L : never;
const cuts = fc.array(fc.nat(), { maxLength: 10 });

function written({ before, items, behind, gap }: List): string {
  const members = [
    ...before.map(([key, value]) => [key, JSON.stringify(value)] as const),
    ['items', `[${gap}${items.map((each) => JSON.stringify(each)).join(`${gap},${gap}`)}${gap}]`],
    ...behind.map(([key, value]) => [key, JSON.stringify(value)] as const),
  ].map(([key, value]) => `${gap}${JSON.stringify(key)}${gap}:${gap}${value}${gap}`);
  return `${gap}{${members.join(',')}}${gap}`;
}

test('readItems reads the items of any list, wherever the items are in it and however it is split into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(list, cuts, async (given, places) => {
      const text = written(given);
      const whole = JSON.parse(text);

      const { items, frame } = await read(text, places);

      expect(items).toEqual(whole.items);
      expect(frame).toEqual({ ...whole, items: [] });
    }),
  );
});

test('readItems reads the items of any list byte by byte', async () => {
  await fc.assert(
    fc.asyncProperty(list, async (given) => {
      const text = written(given);
      const bytes = Buffer.from(text);

      const { items } = await read(text, [...bytes.keys()]);

      expect(items).toEqual(JSON.parse(text).items);
    }),
  );
});

test('readItems passes exactly the bytes of each item', async () => {
  const texts: string[] = [];
  const onItem: ReadItemsOptions['onItem'] = (bytes, from, to) =>
    void texts.push(bytes.toString('utf8', from, to));

  const frame = await readItems(
    bodyOf('{"items":[ {"a":"]"} ,{"b":[{}]}\n] ,"kind":"L"}', [14, 26]),
    {
      onItem,
    },
  );

  expect(texts).toEqual(['{"a":"]"}', '{"b":[{}]}']);
  expect(frame).toBe('{"items":[] ,"kind":"L"}');
});

test('invalid JSON in a list is refused by readItems or, within an item, when the item is read', async () => {
  const change = fc.record({
    at: fc.nat(),
    taken: fc.integer({ min: 0, max: 3 }),
    put: fc.oneof(
      fc.constantFrom(
        '',
        ',',
        ',,',
        ']',
        '}',
        '[',
        '{',
        '"',
        '\\',
        ' ',
        '\u0001',
        '\u00a0',
        '{}',
        'x',
      ),
      fc.string({ maxLength: 2 }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(list, change, cuts, async (given, { at, taken, put }, places) => {
      const text = written(given);
      const place = at % (text.length + 1);
      const broken = (text.slice(0, place) + put + text.slice(place + taken)).toWellFormed();
      let wanted: { items?: unknown } | undefined;
      try {
        wanted = JSON.parse(broken);
      } catch {
        wanted = undefined;
      }

      const got = await read(broken, places).catch((error: unknown) => {
        if (!(error instanceof SyntaxError)) expect(error).toMatchObject({ code: 'DECODE' });
        return undefined;
      });

      if (wanted === undefined) expect(got).toBeUndefined();
      // Whatever else it has become, it is read right, or not as items.
      else if (got !== undefined && isOnce(broken)) expect(wholeOf(got, wanted)).toEqual(wanted);
    }),
  );
});

/** `items` may be a member of the list, of others within, and part of strings. */
const isOnce = (text: string): boolean => text.split('items').length === 2;

/** A list is put together again from its frame and items. */
function wholeOf({ items, frame }: ReadList, wanted: unknown): unknown {
  const isFrame = typeof frame === 'object' && frame !== null && Array.isArray(frame) === false;
  if (!isFrame || items.length === 0) return frame;
  expect(wanted).toHaveProperty('items');
  return { ...frame, items };
}

test.each([
  ['cut within an item', '{"items":[{"a":1}'],
  ['cut after a comma', '{"items":[{"a":1},'],
  ['cut before the items', '{"kind":"L"'],
  ['cut after the items', '{"items":[{"a":1}]'],
  ['two commas', '{"items":[{"a":1},,{"a":2}]}'],
  ['no comma', '{"items":[{"a":1}{"a":2}]}'],
  ['a comma before the first item', '{"items":[,{"a":1}]}'],
  ['a comma after the last item', '{"items":[{"a":1},]}'],
  ['an item that is not an object', '{"items":[1]}'],
  ['an item that is null', '{"items":[null]}'],
  ['an item that is an array', '{"items":[[{"a":1}]]}'],
  ['an item that is a string', '{"items":["{}"]}'],
  ['a brace that closes the items', '{"items":[{"a":1}}}'],
  ['a bracket that closes an item', '{"items":[{"a":1]]}'],
  ['something after the end', '{"items":[{"a":1}]}{}'],
  ['another bracket after the end', '{"items":[{"a":1}]}]'],
  ['a control character between items', '{"items":[{"a":1},\u0000{"a":2}]}'],
  ['a space that JSON does not allow', '{"items":[{"a":1},\u00a0{"a":2}]}'],
  ['a vertical tab between items', '{"items":[{"a":1}\u000b]}'],
  ['nothing', ''],
])('readItems refuses an invalid list, whole and in chunks: %s', async (_, text) => {
  const everywhere = [...Buffer.from(text).keys()];

  for (const places of [[], everywhere]) {
    const refusal = await read(text, places).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Error);
  }
});

test.each([
  ['items that are null', '{"kind":"L","items":null}'],
  ['no items', '{"kind":"Table","rows":[{"a":1}]}'],
  ['items that are an object', '{"items":{"items":[1]}}'],
  ['an array', '[{"items":[1]}]'],
  ['items inside another member', '{"metadata":{"items":[{"a":1}]}}'],
  ['a string', '"items"'],
])('readItems finds no items and returns everything as the frame: %s', async (_, text) => {
  expect(await read(text, [3, 9])).toEqual({ items: [], frame: JSON.parse(text) });
});

describe('limits and failures', () => {
  const onItem = (): void => {};
  const filler = 'x'.repeat(100);

  test('readItems refuses an item larger than the limit, and no smaller one', async () => {
    const text = `{"items":[{"a":"${filler}"},{"b":"${filler}"}]}`;

    const small = readItems(bodyOf(text, [50, 80]), { onItem, maxItemBytes: 110 });
    const large = readItems(bodyOf(text, [50, 80, 110]), { onItem, maxItemBytes: 90 });

    await expect(small).resolves.toBe('{"items":[]}');
    await expect(large).rejects.toMatchObject({ code: 'DECODE', context: { readBytes: 110 } });
  });

  test.each([
    ['before the items', (more: string) => `{"more":"${more}","items":[]}`],
    ['after the items', (more: string) => `{"items":[],"more":"${more}"}`],
    ['without items', (more: string) => `{"more":"${more}"}`],
  ])('readItems refuses a list that has more than 1 MiB besides its items: %s', async (_, write) => {
    const large = write('x'.repeat(1024 * 1024));
    const small = write('x'.repeat(1024 * 1024 - 100));
    const cuts = [500_000, 1_000_000];

    await expect(readItems(bodyOf(small, cuts), { onItem })).resolves.toBe(small);
    await expect(readItems(bodyOf(large, cuts), { onItem })).rejects.toMatchObject({
      code: 'DECODE',
      message: 'the answer is not a list',
    });
  });

  test('the error for a refused list quotes nothing from the list', async () => {
    const text = '{"items":[{"secret":"hush"},hush]}';

    const refusal = await readItems(bodyOf(text), { onItem }).catch((error: unknown) => error);

    expect(JSON.stringify(refusal) + String(refusal)).not.toContain('hush');
  });

  test('an error thrown for an item ends the reading and closes the body', async () => {
    const body = bodyOf('{"items":[{},{}]}', [12]);
    const failure = new Error('no');

    const reading = readItems(body, {
      onItem: () => {
        throw failure;
      },
    });

    await expect(reading).rejects.toBe(failure);
    expect(body.destroyed).toBe(true);
  });

  test('the failure of the body is passed on', async () => {
    const failure = new Error('cut off');
    const body = Readable.from(
      (function* () {
        yield Buffer.from('{"items":[{},');
        throw failure;
      })(),
      { objectMode: true },
    );

    await expect(readItems(body, { onItem })).rejects.toBe(failure);
  });
});
