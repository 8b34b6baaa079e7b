import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { ApiError, isGone } from '../../operator/model/status.ts';
import { type DecodeOptions, decodeEvents } from '../../operator/stream/decode.ts';
import {
  cutStream,
  type RecordedExchange,
  recordedWatches,
  watchText,
} from '../support/recorded-stream.ts';
import { bodyOf, type Decoded, decoded, linesOf } from './decoded.ts';

const RECORDINGS = [
  'watch-lifecycle',
  'watch-expired',
  'watch-streaming-list',
  'server-restart',
  'rollout',
  'crd',
];

const decode = (lines: readonly string[], options?: DecodeOptions): Promise<Decoded> =>
  decoded(bodyOf(linesOf(lines)), options);

/** What the whole text says, decoded without the code under test. */
function expectedObjects(watch: RecordedExchange): readonly unknown[] {
  const lines = watchText(watch).split('\n').slice(0, -1);
  return lines
    .map((line) => JSON.parse(line) as { type: string; object: unknown })
    .filter(({ type }) => type !== 'ERROR' && type !== 'BOOKMARK')
    .map(({ type, object }) => ({ type, object }));
}

describe.each([1, 7, 64, 65_536])('recorded watches, cut into chunks of %i bytes', (chunkBytes) => {
  test.each(RECORDINGS)('[W-10] the recording %s decodes to what was sent', async (name) => {
    const watches = recordedWatches(name);
    expect(watches.length).toBeGreaterThan(0);
    for (const watch of watches) {
      const text = watchText(watch);

      const { events, error } = await decoded(cutStream(text, chunkBytes));

      const changes = events.filter(({ type }) => type !== 'BOOKMARK');
      expect(changes).toEqual(expectedObjects(watch));
      expect(error instanceof ApiError).toBe(text.includes('"type":"ERROR"'));
      if (!(error instanceof ApiError)) expect(error).toBeUndefined();
    }
  });

  test('[W-12] an expired watch ends with the ApiError that the server sent', async () => {
    const expired = recordedWatches('watch-expired').find((watch) =>
      watchText(watch).includes('"code":410'),
    );

    const { error } = await decoded(cutStream(expired ? watchText(expired) : '', chunkBytes));

    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 410, reason: 'Expired' });
    expect(isGone(error)).toBe(true);
  });
});

const line = (type: string, object: unknown): string => JSON.stringify({ type, object });

interface Written {
  /** How many of the lines are told without parsing them. */
  readonly scans: boolean;
  readonly added: (name: string) => string;
}

/** Good lines: as kube-apiserver writes them, and as nobody has to read but by parsing. */
const WRITTEN: readonly (readonly [string, Written])[] = [
  [
    'as kube-apiserver writes them',
    {
      scans: true,
      added: (name) => {
        const metadata = { name, uid: 'u', resourceVersion: '1' };
        return line('ADDED', { kind: 'ConfigMap', apiVersion: 'v1', metadata });
      },
    },
  ],
  [
    'as others may write them',
    {
      scans: false,
      added: (name) => line('ADDED', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }),
    },
  ],
];

describe.each(WRITTEN)('a bad line that follows lines %s', (_written, { scans, added }) => {
  const good = [added('a'), added('b')];

  test.each([
    ['is cut short', '{"type":"ADDED","obj'],
    ['is not an object', '"ADDED"'],
    ['is null', 'null'],
    ['is of an unknown type', line('SYNC', { metadata: { name: 'x' } })],
    ['is of an inherited type', line('constructor', { metadata: { name: 'x' } })],
    ['has no type', '{"object":{"metadata":{"name":"x"}}}'],
    ['has no object', '{"type":"MODIFIED"}'],
    ['has an object that is null', '{"type":"DELETED","object":null}'],
    ['has an object that is a list', line('ADDED', [])],
    ['has an object without metadata', line('ADDED', { kind: 'ConfigMap' })],
    ['has metadata that is null', line('ADDED', { metadata: null })],
    ['has an object without a name', line('ADDED', { metadata: { namespace: 'x' } })],
    ['has an object with an empty name', line('MODIFIED', { metadata: { name: '' } })],
    ['has an object whose name is a number', line('DELETED', { metadata: { name: 7 } })],
    ['is an ERROR without Status', line('ERROR', 'boom')],
    ['is an ERROR without object', '{"type":"ERROR"}'],
    ['is an ERROR about an object', line('ERROR', { kind: 'ConfigMap' })],
    ['continues after the end of its object', added('x').slice(0, -2)],
  ])('[W-13] a bad line that %s causes an error, after the events before it are delivered', async (_, bad) => {
    const body = bodyOf(linesOf([...good, bad, added('c')]));
    const events = decodeEvents(body);

    const { value: batch = [] } = await events.next();

    const names = batch.map((event) => event.type !== 'BOOKMARK' && event.entry.metadata.name);
    expect(names).toEqual(['a', 'b']);
    expect(batch.some((event) => event.type !== 'BOOKMARK' && event.entry.textLength > 0)).toBe(
      scans,
    );
    await expect(events.next()).rejects.toMatchObject({
      code: 'DECODE',
      layer: 'protocol',
      context: { lineLength: bad.length },
    });
    expect(body.destroyed).toBe(true);
  });

  test('[W-21] a malformed ERROR event is marked as such', async () => {
    const { error } = await decode([...good, line('ERROR', 'boom')]);

    expect(error).toMatchObject({ context: { event: 'ERROR' } });
  });

  test('[W-11] an ERROR event is thrown as its ApiError, after the events before it', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };

    const { events, error } = await decode([...good, line('ERROR', status), added('c')]);

    expect(events).toHaveLength(2);
    expect(error).toMatchObject({ code: 'API_STATUS', status: 410, message: /too old/ });
  });

  test('the content of a bad line is never quoted', async () => {
    const bad = '{"type":"ADDED","object":{"data":{"password":"hunter2"}';

    const { error } = await decode([...good, bad]);

    const { message, stack, context, cause } = error as Error & { context: object };
    expect(JSON.stringify({ message, stack, context, cause })).not.toContain('hunter2');
  });
});

test('[W-13] invalid JSON after the metadata causes the loss of no other event, and is reported when the object is read', async () => {
  const metadata = '"metadata":{"name":"b","uid":"u","resourceVersion":"1","labels":{"x":"y"}}';
  const bad = `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1",${metadata},"data":hush}}`;
  const [, { added }] = WRITTEN[0] ?? expect.unreachable();
  const events = decodeEvents(bodyOf(linesOf([added('a'), bad, added('c')])));

  const { value: batch = [] } = await events.next();

  const entries = batch.flatMap((event) => (event.type === 'BOOKMARK' ? [] : [event.entry]));
  expect(entries.map(({ metadata: { name } }) => name)).toEqual(['a', 'b', 'c']);
  expect(entries[1]?.metadata.labels).toEqual({ x: 'y' });
  expect(() => entries[1]?.object).toThrow(expect.objectContaining({ code: 'DECODE' }));
  expect([entries[0]?.object.kind, entries[2]?.object.kind]).toEqual(['ConfigMap', 'ConfigMap']);
  await expect(events.next()).resolves.toEqual({ value: undefined, done: true });
});

describe('options of decoded objects', () => {
  const managedFields = [{ manager: 'kubectl' }];
  const metadata = { name: 'a', uid: 'u', resourceVersion: '1', managedFields };
  const own = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
  const form = { apiVersion: 'v1', kind: 'ConfigMap' };
  /** The second and third are to be parsed: one for its metadata, the other to be given a form. */
  const objects = [
    { ...own, metadata },
    { ...own, metadata: { managedFields, name: 'ä' } },
    { kind: own.kind, metadata, apiVersion: own.apiVersion },
  ];
  const lines = objects.map((object) => line('MODIFIED', object));

  test.each([true, false, undefined])('managedFields are dropped: %s', async (drops) => {
    const { events, scanned } = await decode(lines, { dropManagedFields: drops });

    expect(scanned).toBe(2);
    for (const [at, event] of events.entries()) {
      const { managedFields: _, ...rest } = objects[at]?.metadata ?? { managedFields };
      const wanted = drops === true ? rest : { ...rest, managedFields };
      expect(event).toEqual({ type: 'MODIFIED', object: { ...own, metadata: wanted } });
    }
  });

  test.each([
    true,
    false,
  ])('objects get the given apiVersion and kind, without managedFields: %s', async (drops) => {
    const { events, scanned } = await decode(lines, { form, dropManagedFields: drops });

    expect(scanned).toBe(1);
    expect(events.map((event) => 'object' in event && event.object)).toEqual(
      objects.map(({ metadata: { managedFields: _, ...rest } }) => ({
        ...form,
        metadata: drops ? rest : { ...rest, managedFields },
      })),
    );
  });

  test('the expected kind is compared with the kind in the line, not with the kind that replaces it', async () => {
    const { events, skipped } = await decode(lines, { expected: own, form });
    const { events: none, skipped: all } = await decode(lines, { expected: form, form });

    expect([events.length, skipped]).toEqual([3, []]);
    expect([none, all]).toEqual([[], [own, own, own]]);
  });

  test('[P-10] __proto__ and constructor are plain data, in scanned and in parsed lines', async () => {
    const data = '"data":{"__proto__":"x","constructor":"y"},"__proto__":{"z":1}';
    const metadataText = '"metadata":{"name":"a","uid":"u","resourceVersion":"1"}';
    const texts = [
      `{"type":"ADDED","object":{"kind":"A","apiVersion":"v1",${metadataText},${data}}}`,
      `{"type":"ADDED","object":{"metadata":{"name":"a","managedFields":[]},${data}}}`,
    ];

    const { events, scanned } = await decode(texts, { dropManagedFields: true });

    expect(scanned).toBe(1);
    for (const event of events) {
      const object = 'object' in event ? event.object : expect.unreachable();
      const { data: read } = object as unknown as { data: object };
      expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
      expect(Object.hasOwn(object, '__proto__')).toBe(true);
      expect(Object.entries(read)).toEqual([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]);
    }
  });
});

test('[P-6] a call of return() before the loop begins ends the lines, and closes the connection', async () => {
  const body = new Readable({ read() {} });

  await decodeEvents(body).return();

  expect(body.destroyed).toBe(true);
});

test('[P-6] a call of return() while the next line is awaited closes the connection', async () => {
  const body = new Readable({ read() {} });
  const events = decodeEvents(body);
  const waiting = events.next();
  waiting.catch(() => {});

  await events.return().catch(() => {});

  expect(body.destroyed).toBe(true);
});

describe('bookmarks', () => {
  test.each([
    ['a resourceVersion', { metadata: { resourceVersion: '107' } }, '107', false],
    ['no resourceVersion', { metadata: {} }, undefined, false],
    ['an empty resourceVersion', { metadata: { resourceVersion: '' } }, undefined, false],
    ['no metadata', {}, undefined, false],
    [
      'the end of the initial events',
      {
        metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
      '5',
      true,
    ],
  ])('a bookmark is decoded with its resourceVersion: %s', async (_, object, resourceVersion, initialEventsEnd) => {
    const { events } = await decode([line('BOOKMARK', object)]);

    expect(events).toEqual([{ type: 'BOOKMARK', resourceVersion, initialEventsEnd }]);
  });

  test('the recorded streaming list ends its initial events with a marker', async () => {
    const watches = recordedWatches('watch-streaming-list').filter((watch) =>
      watchText(watch).includes('initial-events-end'),
    );

    const results = await Promise.all(
      watches.map(async (watch) => {
        const { events } = await decoded(cutStream(watchText(watch), 64));
        return events.filter((event) => 'initialEventsEnd' in event && event.initialEventsEnd);
      }),
    );

    expect(results.length).toBeGreaterThan(0);
    for (const ends of results) expect(ends).toHaveLength(1);
  });
});

describe.each(WRITTEN)('objects of another kind, in lines %s', (_, { added, scans }) => {
  const expected = { apiVersion: 'v1', kind: 'ConfigMap' };

  test('[W-14] objects of another kind are skipped and reported, including a bookmark', async () => {
    const bookmark = line('BOOKMARK', { apiVersion: 'v1', kind: 'Secret', metadata: {} });

    const { events, error, skipped, scanned } = await decode(
      [added('a').replace('ConfigMap', 'Secret'), bookmark, added('b')],
      { expected },
    );

    expect(error).toBeUndefined();
    expect(events).toMatchObject([{ object: { metadata: { name: 'b' } } }]);
    expect(skipped).toEqual(Array(2).fill({ apiVersion: 'v1', kind: 'Secret' }));
    expect(scanned).toBe(scans ? 1 : 0);
  });

  test('[W-14] objects of another kind do not hide a Status in an ERROR event', async () => {
    const { error } = await decode([added('a'), line('ERROR', { kind: 'Status', code: 500 })], {
      expected,
    });

    expect(error).toMatchObject({ status: 500 });
  });
});
