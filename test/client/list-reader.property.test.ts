/** A list that is read item by item is the list that is parsed as a whole. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../operator/client/answer.ts';
import { decodeList, METADATA_FORM, type ObjectForm } from '../../operator/client/list-answer.ts';
import {
  type DecodedEntries,
  type ReadListOptions,
  readList,
} from '../../operator/client/list-reader.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../../operator/model/object.ts';
import type { TransportResponse } from '../../operator/transport/transport.ts';
import { bodyOf } from '../stream/decoded.ts';
import { jsonValue } from '../support/json-arbitraries.ts';
import { recording } from '../support/recorded-stream.ts';
import { entryOfText, identityOf, textEntry } from '../support/text-entry.ts';

const asked = { method: 'GET', path: '/api/v1/configmaps' } as const;
const resource = configMaps;
const FORM = { apiVersion: 'v1', kind: 'ConfigMap' };

interface Answer {
  readonly text: string;
  readonly cuts?: readonly number[];
  readonly status?: number;
  readonly contentType?: string;
}

function response({
  text,
  cuts = [],
  status = 200,
  contentType = 'application/json',
}: Answer): TransportResponse {
  return { status, headers: { 'content-type': contentType }, body: bodyOf(text, cuts) };
}

type Given = Pick<ReadListOptions<KubernetesObject>, 'expected' | 'known' | 'dropManagedFields'>;

function list(answer: Answer, given: Given = {}): Promise<DecodedEntries<KubernetesObject>> {
  return readList<KubernetesObject>(response(answer), systemClock, { asked, resource, ...given });
}

function refusalOf(error: unknown): object {
  const { name, code, layer, status, reason } = error as Record<string, unknown>;
  return { name, code, layer, status, reason };
}

/** All that may be told of a list or its failure, its items read. */
async function told(reading: Promise<DecodedEntries<KubernetesObject>>): Promise<object> {
  try {
    // Only a list that is read item by item knows how large they are.
    const { items, itemBytes: _, ...frame } = await reading;
    return { ...frame, items: items.map(readOf) };
  } catch (error) {
    return refusalOf(error);
  }
}

function readOf(entry: Entry): KubernetesObject {
  const { key, uid, resourceVersion, metadata, object } = entry;
  expect(metadata).toEqual(object.metadata);
  expect({ key, uid, resourceVersion }).toEqual(identityOf(object));
  return object;
}

/** The same of a list that is parsed as a whole. */
async function parsed(answer: Answer, expected?: ObjectForm, drops = false): Promise<object> {
  try {
    const whole = await readAnswer(response(answer), systemClock, { asked });
    const { items, ...frame } = decodeList<KubernetesObject>(whole, resource, expected);
    return { ...frame, items: drops ? items.map(withoutManagedFields) : items };
  } catch (error) {
    return refusalOf(error);
  }
}

function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const isScanned = ({ textLength }: Entry): boolean => textLength > 0;
/** The objects as they are read. */
const objectsOf = (entries: readonly Entry[]): readonly KubernetesObject[] =>
  entries.map(({ object }) => object);

const name = fc.stringMatching(/^[a-z]{1,6}$/);
const metadata = fc.record(
  {
    name: fc.oneof({ weight: 9, arbitrary: name }, fc.constantFrom('', 7, null, 'ä')),
    namespace: name,
    uid: name,
    resourceVersion: fc.nat().map(String),
    labels: fc.dictionary(name, fc.string()),
    managedFields: fc.array(fc.dictionary(name, jsonValue()), { maxLength: 2 }),
    annotations: fc.dictionary(name, fc.string()),
  },
  { requiredKeys: ['name', 'uid', 'resourceVersion'] },
);
/** What items, and lists of them, say of themselves where `expected` are asked for. */
const formsOf = ({ apiVersion, kind }: ObjectForm): fc.Arbitrary<object> =>
  fc.constantFrom<object>(
    ...[{}, {}, {}, { kind, apiVersion }, { kind, apiVersion }, { apiVersion, kind }],
    ...[{ kind }, { apiVersion }, { kind: 'Secret', apiVersion }],
    ...[{ apiVersion: 'v2', kind }, { kind: null }],
  );
const itemsOf = (expected: ObjectForm): fc.Arbitrary<unknown> => {
  const item = fc.record({
    form: formsOf(expected),
    metadata,
    data: fc.dictionary(name, fc.string()),
    // Its members in this order, begun at one of them.
    turn: fc.constantFrom(0, 0, 0, 1, 2, 3),
  });
  return fc.oneof(
    { weight: 12, arbitrary: fc.array(item.map(written), { maxLength: 4 }) },
    fc.constantFrom<unknown>(
      ...[null, undefined, {}, [null], [7], ['x'], [[]], [{}], [{ metadata: {} }]],
    ),
  );
};

interface Item {
  readonly form: object;
  readonly metadata: object;
  readonly data: object;
  readonly turn: number;
}

/** The members that name its form before its metadata, behind, or both. */
function written({ form, metadata, data, turn }: Item): object {
  const members = Object.entries({ ...form, metadata, data });
  return Object.fromEntries([...members.slice(turn), ...members.slice(0, turn)]);
}

const frameOf = ({ apiVersion, kind }: ObjectForm): fc.Arbitrary<object> =>
  fc.record({
    kind: fc.oneof(
      { weight: 6, arbitrary: fc.constant(`${kind}List`) },
      fc.constantFrom('SecretList', 'List', undefined),
    ),
    apiVersion: fc.oneof(
      { weight: 9, arbitrary: fc.constant(apiVersion) },
      fc.constantFrom('v2', null),
    ),
    metadata: fc.oneof(
      // Most lists are well-formed: or fifty runs may have no object of one of the two ways.
      {
        weight: 9,
        arbitrary: fc.constantFrom<unknown>(
          ...[{ resourceVersion: '7' }, { resourceVersion: '7', continue: 'abc' }],
        ),
      },
      fc.constantFrom<unknown>({}, null, 7, { resourceVersion: 7, continue: '' }, undefined),
    ),
  });
const order = fc.shuffledSubarray(['kind', 'apiVersion', 'metadata', 'items'], { minLength: 4 });
const cuts = fc.array(fc.nat(), { maxLength: 8 });

/** Without `expected`, objects as they are; with it, their metadata alone. */
test.each([
  ['of objects', undefined],
  ['of metadata only', METADATA_FORM],
])('the reader of a list %s returns the same as JSON.parse, for any order of fields and any chunks', async (_, expected) => {
  const wire = expected ?? FORM;
  let scanned = 0;
  let parsedAlone = 0;
  await fc.assert(
    fc.asyncProperty(
      ...([
        frameOf(wire),
        itemsOf(wire),
        order,
        cuts,
        fc.constantFrom(0, 1),
        fc.boolean(),
      ] as const),
      async (frame, items, members, places, gap, drops) => {
        const whole: Record<string, unknown> = { ...frame, items };
        const ordered = Object.fromEntries(members.map((member) => [member, whole[member]]));
        const text = JSON.stringify(ordered, null, gap);
        const given = { expected, dropManagedFields: drops } as Given;

        const reading = list({ text, cuts: places }, given);

        expect(await told(reading)).toEqual(await parsed({ text }, expected, drops));
        const entries = await reading.then(({ items }) => items).catch(() => []);
        scanned += entries.filter(isScanned).length;
        parsedAlone += entries.filter((entry) => !isScanned(entry)).length;
      },
    ),
  );
  expect(Math.min(scanned, parsedAlone)).toBeGreaterThan(0); // or the property tries one way only
});

const LIST = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' } };
const A = { metadata: { name: 'a', namespace: 'demo', uid: 'u', resourceVersion: '3' } };
const listOf = (...items: readonly unknown[]): string => JSON.stringify({ ...LIST, items });

describe('invalid lists cause the same error as when they are parsed whole', () => {
  test.each<[string, Answer]>([
    ['a Table', { text: '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"rows":[]}' }],
    ['a Status of failure', { text: '{"kind":"Status","status":"Failure","code":410}' }],
    [
      'a Status of failure that has items',
      { text: '{"kind":"Status","status":"Failure","code":410,"reason":"Expired","items":[]}' },
    ],
    ['a Status of success', { text: '{"kind":"Status","apiVersion":"v1","status":"Success"}' }],
    ['another status', { text: '{"kind":"Status","status":"Failure","code":410}', status: 410 }],
    [
      'a plain-text error of the ambassador',
      { text: 'Forbidden', status: 403, contentType: 'text/plain' },
    ],
    ['an HTML page of a proxy', { text: '<html>', contentType: 'text/html' }],
    ['a truncated list', { text: listOf(A, A).slice(0, -40) }],
    ['nothing', { text: '' }],
    ['an array', { text: '[]' }],
    ['an item without a name', { text: listOf({ metadata: { uid: 'u', resourceVersion: '1' } }) }],
    ['items of another kind', { text: listOf({ kind: 'Secret', apiVersion: 'v1', ...A }) }],
    ['unnamed items of another list', { text: listOf(A).replace('ConfigMapList', 'SecretList') }],
    ['another version', { text: listOf(A).replace('"v1"', '"v2"') }],
  ])('the list reader throws the same error for %s as parsing the whole list', async (_, answer) => {
    const [read, whole] = [await told(list(answer)), await parsed(answer)];

    expect(read).toEqual(whole);
    expect(whole).toHaveProperty('name', expect.stringMatching(/Error$/));
  });
});

test('every recorded ConfigMapList is read without parsing the items, with the same result', async () => {
  const texts = recording('list-paging')
    .map(({ response: { status, body = '' } }) => (status === 200 ? body : ''))
    .filter((text) => text !== '' && JSON.parse(text).kind === 'ConfigMapList');

  const lists = await Promise.all(texts.map((text) => list({ text, cuts: [700, 2_000] })));

  expect(lists.length).toBeGreaterThan(5);
  for (const [at, { items }] of lists.entries()) {
    expect(items.every(isScanned)).toBe(true);
    const sent = JSON.parse(texts[at] ?? '') as { readonly items: KubernetesObject[] };
    expect(items.map(readOf)).toEqual(sent.items.map((item) => ({ ...FORM, ...item })));
  }
});

describe('every recorded PartialObjectMetadataList', () => {
  const sent = recording('list-paging')
    .map(({ response: { status, body = '' } }) => (status === 200 ? body : ''))
    .filter((text) => text.includes('"kind":"PartialObjectMetadataList"'));

  test.each([
    true,
    false,
  ])('every recorded list of metadata is read without being parsed, and without managedFields: %s', async (drops) => {
    expect(sent.length).toBeGreaterThan(0);
    for (const text of sent) {
      const whole = JSON.parse(text) as { readonly items: KubernetesObject[] };

      const given = { expected: METADATA_FORM, dropManagedFields: drops };
      const { items } = await list({ text, cuts: [400] }, given);

      expect(items.every(isScanned)).toBe(true);
      expect(items.map(readOf)).toEqual(
        whole.items
          .map((item) => ({ ...item, ...FORM }))
          .map((item) => (drops ? withoutManagedFields(item) : item)),
      );
    }
  });
});

test("the items get their kind even if the list's kind comes after the items", async () => {
  const text = JSON.stringify({ items: [A], ...LIST });

  const { items } = await list({ text });

  expect(items.every(isScanned)).toBe(true);
  expect(objectsOf(items)).toEqual([{ ...FORM, ...A }]);
});

test('if an item contains its kind, its JSON text is not changed, whatever the order of its fields', async () => {
  const items = [
    { apiVersion: 'v1', kind: 'ConfigMap', ...A },
    { data: { k: 'v' }, kind: 'ConfigMap', apiVersion: 'v1', ...A },
  ];

  const { items: read } = await list({ text: listOf(...items) });

  expect(read.map(({ text }) => text)).toEqual(items.map((item) => JSON.stringify(item)));
});

test('the bytes of all items are counted, including the bytes of reused objects', async () => {
  const known = Entry.of<KubernetesObject>({ ...FORM, ...A });

  const lists = await Promise.all([
    list({ text: listOf(A, A) }),
    list({ text: listOf(A, A), cuts: [100, 150] }, { known: () => known }),
  ]);

  const bytes = 2 * JSON.stringify(A).length;
  expect(lists.map(({ itemBytes }) => itemBytes)).toEqual([bytes, bytes]);
});

describe('objects that are known from an earlier list', () => {
  const known = (entry: Entry | undefined, asked: ObjectKey[] = []): Given => ({
    known: (key) => {
      asked.push(key);
      return entry;
    },
  });
  const object = { ...FORM, ...A };

  test.each<[string, Entry]>([
    ['as text', textEntry(object)],
    ['parsed', Entry.of(object)],
  ])('a known object replaces a listed object with the same uid and version: %s', async (_, entry) => {
    const asked: ObjectKey[] = [];

    const { items } = await list({ text: listOf(A) }, known(entry, asked));

    expect(items[0]).toBe(entry);
    expect(asked).toEqual(['demo/a']);
  });

  test('a known object is also reused if only metadata is requested', async () => {
    const entry = Entry.of<KubernetesObject>(object);
    const text = JSON.stringify({
      ...LIST,
      apiVersion: METADATA_FORM.apiVersion,
      items: [{ ...METADATA_FORM, ...A }],
    });

    const { items } = await list({ text }, { expected: METADATA_FORM, ...known(entry) });

    expect(items[0]).toBe(entry);
  });

  test.each<[string, object]>([
    ['another state', { resourceVersion: '4' }],
    ['another object', { uid: 'v' }],
  ])('a known object does not replace %s', async (_, other) => {
    const entry = Entry.of({ ...object, metadata: { ...A.metadata, ...other } });

    const { items } = await list({ text: listOf(A) }, known(entry));

    expect(items[0]).not.toBe(entry);
    expect(objectsOf(items)).toEqual([object]);
  });

  test('a known object with invalid JSON is not reused', async () => {
    const broken = entryOfText(object, '{');
    expect(() => broken.object).toThrow();

    const { items } = await list({ text: listOf(A) }, known(broken));

    expect(items[0]).not.toBe(broken);
    expect(objectsOf(items)).toEqual([object]);
  });

  test('a known object that has no namespace is looked up by its name', async () => {
    const asked: ObjectKey[] = [];
    const bare = { metadata: { name: 'a', uid: 'u', resourceVersion: '3' } };

    await list({ text: listOf(bare) }, known(undefined, asked));

    expect(asked).toEqual(['a']);
  });
});

test('an item with metadata that cannot be scanned is parsed at once, and invalid JSON in it is reported', async () => {
  const escaped = listOf(A).replace('"a"', '"\\u0061"');
  const broken = escaped.replace('"u"', 'hush');

  const { items } = await list({ text: escaped });
  const refusal = await list({ text: broken }).catch((error: unknown) => error);

  expect(items.some(isScanned)).toBe(false);
  expect(objectsOf(items)).toEqual([{ ...FORM, ...A }]);
  expect(refusal).toMatchObject({ code: 'DECODE' });
  expect(JSON.stringify(refusal) + String((refusal as Error).cause)).not.toContain('hush');
});

test('invalid JSON after the metadata of an item is reported only when the item is used', async () => {
  const text = listOf({ ...A, data: { k: 'v' } }, A).replace('"v"', 'hush');

  const { items } = await list({ text });

  expect(items[0]?.metadata).toEqual(A.metadata);
  expect(() => items[0]?.object).toThrow(expect.objectContaining({ code: 'DECODE' }));
  expect(items[1]?.object).toEqual({ ...FORM, ...A });
});
