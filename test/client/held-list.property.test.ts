/** A list that is read item by item is the list that is parsed as a whole. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../operator/client/answer.ts';
import { readHeldList } from '../../operator/client/held-list.ts';
import { type DecodedList, decodeList } from '../../operator/client/list-answer.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { HeldObject, metadataOf, readObject } from '../../operator/model/held-object.ts';
import { type KubernetesObject, keyOf, type ObjectKey } from '../../operator/model/object.ts';
import { dropManagedFields } from '../../operator/store/transform.ts';
import type { TransportResponse } from '../../operator/transport/transport.ts';
import type { Hold } from '../../operator/watch/list-watch.ts';
import { chunksOf } from '../stream/chunks.ts';
import { cutText } from '../support/cut-text.ts';
import { recording } from '../support/recorded-stream.ts';

const asked = { method: 'GET', path: '/api/v1/configmaps' } as const;
const resource = configMaps;

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
  const body = Readable.from(chunksOf(Buffer.from(text), cuts), { objectMode: true });
  return { status, headers: { 'content-type': contentType }, body };
}

function held(answer: Answer, hold: Hold = {}): Promise<DecodedList<KubernetesObject>> {
  return readHeldList<KubernetesObject>(response(answer), systemClock, { asked, resource, hold });
}

async function plain(answer: Answer): Promise<DecodedList<KubernetesObject>> {
  return decodeList(await readAnswer(response(answer), systemClock, { asked }), resource);
}

/** All that may be told of a list or its failure, its items read. */
async function told(
  reading: Promise<DecodedList<KubernetesObject>>,
  drops = false,
): Promise<object> {
  try {
    // Only a list that is read item by item knows how large they are.
    const { items, itemBytes: _, ...frame } = await reading;
    const metadata = items.map((item) => metadataOf(item));
    const read = items.map((item) => readObject(item));
    expect(metadata).toEqual(read.map((object) => object.metadata));
    return { ...frame, items: drops ? read.map(dropManagedFields) : read };
  } catch (error) {
    const { name, code, layer, status, reason } = error as Record<string, unknown>;
    return { name, code, layer, status, reason };
  }
}

const name = fc.stringMatching(/^[a-z]{1,6}$/);
const metadata = fc.record(
  {
    name: fc.oneof({ weight: 9, arbitrary: name }, fc.constantFrom('', 7, null, 'ä')),
    namespace: name,
    uid: name,
    resourceVersion: fc.nat().map(String),
    labels: fc.dictionary(name, fc.string()),
    managedFields: fc.array(fc.dictionary(name, fc.jsonValue()), { maxLength: 2 }),
    annotations: fc.dictionary(name, fc.string()),
  },
  { requiredKeys: ['name', 'uid', 'resourceVersion'] },
);
const form = fc.constantFrom<object>(
  ...[{}, {}, {}, { kind: 'ConfigMap', apiVersion: 'v1' }, { kind: 'ConfigMap', apiVersion: 'v1' }],
  ...[{ kind: 'ConfigMap' }, { apiVersion: 'v1' }, { kind: 'Secret', apiVersion: 'v1' }],
  ...[{ apiVersion: 'v2', kind: 'ConfigMap' }, { kind: null }],
);
const item = fc.record({
  form,
  metadata,
  data: fc.dictionary(name, fc.string()),
  formLast: fc.boolean(),
});

/** The members of an item, those that name its form before its metadata or behind. */
function written(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || !('formLast' in item)) return item;
  const { form, formLast, ...rest } = item as { form: object; formLast: boolean };
  return formLast ? { ...rest, ...form } : { ...form, ...rest };
}

const frame = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('ConfigMapList') },
    fc.constantFrom('SecretList', 'List', undefined),
  ),
  apiVersion: fc.oneof({ weight: 9, arbitrary: fc.constant('v1') }, fc.constantFrom('v2', null)),
  metadata: fc.constantFrom<unknown>(
    ...[{ resourceVersion: '7' }, { resourceVersion: '7', continue: 'abc' }, {}, null, 7],
    ...[{ resourceVersion: 7, continue: '' }, undefined],
  ),
});
const items = fc.oneof(
  { weight: 12, arbitrary: fc.array(item, { maxLength: 4 }) },
  fc.constantFrom<unknown>(null, undefined, {}, [null], [7], ['x'], [[]], [{}], [{ metadata: {} }]),
);
const order = fc.shuffledSubarray(['kind', 'apiVersion', 'metadata', 'items'], { minLength: 4 });
const cuts = fc.array(fc.nat(), { maxLength: 8 });

test('for any list, well-formed or not, in any order and any pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      ...([frame, items, order, cuts, fc.constantFrom(0, 1), fc.boolean()] as const),
      async (given, list, members, places, gap, drops) => {
        const objects = Array.isArray(list) ? list.map(written) : list;
        const whole: Record<string, unknown> = { ...given, items: objects };
        const ordered = Object.fromEntries(members.map((member) => [member, whole[member]]));
        const text = JSON.stringify(ordered, null, gap);

        const asHeld = await told(
          held({ text, cuts: places }, { dropManagedFields: drops }),
          drops,
        );
        const asParsed = await told(plain({ text }), drops);

        expect(asHeld).toEqual(asParsed);
      },
    ),
  );
});

const LIST = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' } };
const A = { metadata: { name: 'a', namespace: 'demo', uid: 'u', resourceVersion: '3' } };
const listOf = (...items: readonly unknown[]): string => JSON.stringify({ ...LIST, items });

describe('is refused as a list that is parsed is', () => {
  test.each<[string, Answer]>([
    ['a Table', { text: '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"rows":[]}' }],
    ['a Status of failure', { text: '{"kind":"Status","status":"Failure","code":410}' }],
    [
      'a Status of failure that has items',
      { text: '{"kind":"Status","status":"Failure","code":410,"reason":"Expired","items":[]}' },
    ],
    ['a Status of success', { text: '{"kind":"Status","apiVersion":"v1","status":"Success"}' }],
    ['another status', { text: '{"kind":"Status","status":"Failure","code":410}', status: 410 }],
    ['a text of the ambassador', { text: 'Forbidden', status: 403, contentType: 'text/plain' }],
    ['a page of a proxy', { text: '<html>', contentType: 'text/html' }],
    ['a list that is cut short', { text: listOf(A, A).slice(0, -40) }],
    ['nothing', { text: '' }],
    ['an array', { text: '[]' }],
    ['an item without a name', { text: listOf({ metadata: { uid: 'u', resourceVersion: '1' } }) }],
    ['items of another kind', { text: listOf({ kind: 'Secret', apiVersion: 'v1', ...A }) }],
    ['unnamed items of another list', { text: listOf(A).replace('ConfigMapList', 'SecretList') }],
    ['another version', { text: listOf(A).replace('"v1"', '"v2"') }],
  ])('%s', async (_, answer) => {
    const [asHeld, asParsed] = [await told(held(answer)), await told(plain(answer))];

    expect(asHeld).toEqual(asParsed);
    expect(asParsed).toHaveProperty('name', expect.stringMatching(/Error$/));
  });
});

test('every recorded list of ConfigMaps is held, and read as it is parsed', async () => {
  const texts = recording('list-paging')
    .map(({ response: { status, body = '' } }) => (status === 200 ? body : ''))
    .filter((text) => text !== '' && JSON.parse(text).kind === 'ConfigMapList');

  const lists = await Promise.all(texts.map((text) => held({ text, cuts: [700, 2_000] })));

  expect(lists.length).toBeGreaterThan(5);
  for (const [at, { items }] of lists.entries()) {
    expect(items.every((each) => each instanceof HeldObject)).toBe(true);
    const asParsed = await plain({ text: texts[at] ?? '' });
    expect(items.map((each) => readObject(each))).toEqual(asParsed.items);
    expect(items.map(keyOf)).toEqual(asParsed.items.map(keyOf));
  }
});

test('a list that names itself behind its items gives them its form', async () => {
  const text = JSON.stringify({ items: [A], ...LIST });

  const { items } = await held({ text });

  expect(items[0]).toBeInstanceOf(HeldObject);
  expect(items.map((each) => readObject(each))).toEqual([
    { apiVersion: 'v1', kind: 'ConfigMap', ...A },
  ]);
});

test('the bytes of all items are counted, those of known objects too', async () => {
  const parsed = { apiVersion: 'v1', kind: 'ConfigMap', ...A };

  const lists = await Promise.all([
    held({ text: listOf(A, A) }),
    held({ text: listOf(A, A), cuts: [100, 150] }, { known: () => parsed }),
  ]);

  const bytes = 2 * JSON.stringify(A).length;
  expect(lists.map(({ itemBytes }) => itemBytes)).toEqual([bytes, bytes]);
});

describe('what is known', () => {
  const known = (object: KubernetesObject | undefined, asked: ObjectKey[] = []): Hold => ({
    known: (key) => {
      asked.push(key);
      return object;
    },
  });
  const form = { apiVersion: 'v1', kind: 'ConfigMap' };
  const identity = { ...form, name: 'a', namespace: 'demo', uid: 'u', resourceVersion: '3' };

  test.each<[string, KubernetesObject]>([
    ['held', new HeldObject(identity, cutText(JSON.stringify({ ...form, ...A })))],
    ['parsed', { ...form, ...A }],
  ])('is handed on in place of the same state: %s', async (_, object) => {
    const asked: ObjectKey[] = [];

    const { items } = await held({ text: listOf(A) }, known(object, asked));

    expect(items[0]).toBe(object);
    expect(asked).toEqual(['demo/a']);
  });

  test.each<[string, object]>([
    ['another state', { resourceVersion: '4' }],
    ['another object', { uid: 'v' }],
  ])('is not handed on in place of %s', async (_, other) => {
    const object = { ...form, metadata: { ...A.metadata, ...other } };

    const { items } = await held({ text: listOf(A) }, known(object));

    expect(items[0]).not.toBe(object);
    expect(items.map((each) => readObject(each))).toEqual([{ ...form, ...A }]);
  });

  test('is not handed on when it cannot be read', async () => {
    const broken = new HeldObject(identity, { head: '{', tail: '' });
    expect(() => broken.read()).toThrow();

    const { items } = await held({ text: listOf(A) }, known(broken));

    expect(items[0]).not.toBe(broken);
    expect(items.map((each) => readObject(each))).toEqual([{ ...form, ...A }]);
  });

  test('is asked for by the name alone where there is no namespace', async () => {
    const asked: ObjectKey[] = [];
    const bare = { metadata: { name: 'a', uid: 'u', resourceVersion: '3' } };

    await held({ text: listOf(bare) }, known(undefined, asked));

    expect(asked).toEqual(['a']);
  });
});

test('what cannot be told without parsing it is parsed, and a fault in it is found at once', async () => {
  const escaped = listOf(A).replace('"a"', '"\\u0061"');
  const broken = escaped.replace('"u"', 'hush');

  const { items } = await held({ text: escaped });
  const refusal = await held({ text: broken }).catch((error: unknown) => error);

  expect(items[0]).not.toBeInstanceOf(HeldObject);
  expect(items).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', ...A }]);
  expect(refusal).toMatchObject({ code: 'DECODE' });
  expect(JSON.stringify(refusal) + String((refusal as Error).cause)).not.toContain('hush');
});

test('a fault behind the metadata of an item is found when it is read', async () => {
  const text = listOf({ ...A, data: { k: 'v' } }, A).replace('"v"', 'hush');

  const { items } = await held({ text });

  expect(() => readObject(items[0] as KubernetesObject)).toThrow(
    expect.objectContaining({ code: 'DECODE' }),
  );
  expect(readObject(items[1] as KubernetesObject)).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...A,
  });
});
