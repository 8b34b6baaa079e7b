import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { ApiError, isGone } from '../../operator/model/status.ts';
import type { WatchEvent } from '../../operator/model/watch-event.ts';
import { type DecodeOptions, decodeWatchEvents } from '../../operator/stream/decode.ts';
import { readLines } from '../../operator/stream/lines.ts';
import {
  collect,
  cutStream,
  type RecordedExchange,
  recordedWatches,
  watchText,
} from '../support/recorded-stream.ts';

const RECORDINGS = [
  'watch-lifecycle',
  'watch-expired',
  'watch-streaming-list',
  'server-restart',
  'rollout',
  'crd',
];

async function* batches(
  ...lines: readonly (readonly string[])[]
): AsyncGenerator<readonly string[]> {
  yield* lines;
}

async function decode(
  lines: readonly string[],
  options?: DecodeOptions,
): Promise<{ events: readonly WatchEvent[]; error: unknown }> {
  const { items, error } = await collect(decodeWatchEvents(batches(lines), options));
  return { events: items.flat(), error };
}

/** What the whole text says, decoded without the code under test. */
function expectedObjects(watch: RecordedExchange): readonly unknown[] {
  const lines = watchText(watch).split('\n').slice(0, -1);
  return lines
    .map((line) => JSON.parse(line) as { type: string; object: unknown })
    .filter(({ type }) => type !== 'ERROR' && type !== 'BOOKMARK')
    .map(({ type, object }) => ({ type, object }));
}

describe.each([1, 7, 64, 65_536])('recorded watches cut every %i bytes', (chunkBytes) => {
  test.each(RECORDINGS)('[W-10] %s decodes to what was sent', async (name) => {
    const watches = recordedWatches(name);
    expect(watches.length).toBeGreaterThan(0);
    for (const watch of watches) {
      const text = watchText(watch);

      const { items, error } = await collect(
        decodeWatchEvents(readLines(cutStream(text, chunkBytes))),
      );

      const changes = items.flat().filter(({ type }) => type !== 'BOOKMARK');
      expect(changes).toEqual(expectedObjects(watch));
      expect(error instanceof ApiError).toBe(text.includes('"type":"ERROR"'));
      if (!(error instanceof ApiError)) expect(error).toBeUndefined();
    }
  });

  test('[W-12] an expired watch ends in the ApiError that the server sent', async () => {
    const expired = recordedWatches('watch-expired').find((watch) =>
      watchText(watch).includes('"code":410'),
    );

    const body = cutStream(expired ? watchText(expired) : '', chunkBytes);
    const { error } = await collect(decodeWatchEvents(readLines(body)));

    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 410, reason: 'Expired' });
    expect(isGone(error)).toBe(true);
  });
});

const line = (type: string, object: unknown): string => JSON.stringify({ type, object });
const added = (name: string): string =>
  line('ADDED', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

describe('a batch with a bad line', () => {
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
  ])('[W-13] yields the events before a line that %s, then throws', async (_, bad) => {
    const { events, error } = await decode([added('a'), added('b'), bad, added('c')]);

    expect(events).toMatchObject([
      { object: { metadata: { name: 'a' } } },
      { object: { metadata: { name: 'b' } } },
    ]);
    expect(error).toMatchObject({ code: 'DECODE', layer: 'protocol' });
  });

  test('[W-21] marks a malformed ERROR event', async () => {
    const { error } = await decode([line('ERROR', 'boom')]);

    expect(error).toMatchObject({ context: { event: 'ERROR' } });
  });

  test('[W-11] throws the ApiError of an ERROR event after the events before it', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };

    const { events, error } = await decode([added('a'), line('ERROR', status)]);

    expect(events).toHaveLength(1);
    expect(error).toMatchObject({ code: 'API_STATUS', status: 410, message: /too old/ });
  });

  test('never quotes what the line held', async () => {
    const { error } = await decode(['{"type":"ADDED","object":{"data":{"password":"hunter2"}']);

    const { message, stack, context, cause } = error as Error & { context: object };
    expect(JSON.stringify({ message, stack, context, cause })).not.toContain('hunter2');
  });
});

test('[P-6] leaving before the loop began ends the lines, and closes the connection', async () => {
  const body = new Readable({ read() {} });

  await decodeWatchEvents(readLines(body)).return();

  expect(body.destroyed).toBe(true);
});

test('[P-6] leaving while the next line is awaited closes the connection', async () => {
  const body = new Readable({ read() {} });
  const events = decodeWatchEvents(readLines(body));
  const waiting = events.next();
  waiting.catch(() => {});

  await events.return().catch(() => {});

  expect(body.destroyed).toBe(true);
});

describe('bookmarks', () => {
  test.each([
    ['a resourceVersion', { metadata: { resourceVersion: '107' } }, '107', false],
    ['none', { metadata: {} }, undefined, false],
    ['an empty one', { metadata: { resourceVersion: '' } }, undefined, false],
    ['no metadata', {}, undefined, false],
    [
      'the end of the initial events',
      {
        metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
      '5',
      true,
    ],
  ])('with %s', async (_, object, resourceVersion, initialEventsEnd) => {
    const { events } = await decode([line('BOOKMARK', object)]);

    expect(events).toEqual([{ type: 'BOOKMARK', resourceVersion, initialEventsEnd }]);
  });

  test('the recorded streaming list ends its initial events', async () => {
    const watches = recordedWatches('watch-streaming-list').filter((watch) =>
      watchText(watch).includes('initial-events-end'),
    );

    const results = await Promise.all(
      watches.map(async (watch) => {
        const { items } = await collect(
          decodeWatchEvents(readLines(cutStream(watchText(watch), 64))),
        );
        return items.flat().filter((event) => event.type === 'BOOKMARK' && event.initialEventsEnd);
      }),
    );

    expect(results.length).toBeGreaterThan(0);
    for (const ends of results) expect(ends).toHaveLength(1);
  });
});

describe('objects of another kind', () => {
  const expected = { apiVersion: 'v1', kind: 'ConfigMap' };

  test('[W-14] are left out and reported, a bookmark among them', async () => {
    const skipped: unknown[] = [];
    const foreign = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a', resourceVersion: '9' },
    };

    const { events, error } = await decode(
      [line('ADDED', foreign), line('BOOKMARK', foreign), added('b')],
      { expected, onSkipped: (found) => skipped.push(found) },
    );

    expect(error).toBeUndefined();
    expect(events).toMatchObject([{ object: { metadata: { name: 'b' } } }]);
    expect(skipped).toEqual(Array(2).fill({ apiVersion: 'v1', kind: 'Secret' }));
  });

  test('[W-14] do not hide a Status in an ERROR event', async () => {
    const { error } = await decode([line('ERROR', { kind: 'Status', code: 500 })], { expected });

    expect(error).toMatchObject({ status: 500 });
  });
});

test('[P-10] __proto__ and constructor are plain data', async () => {
  const { events } = await decode([
    '{"type":"ADDED","object":{"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}}',
  ]);

  const [event] = events;
  const data = event?.type === 'ADDED' ? (event.object as unknown as { data: object }).data : {};
  expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
  expect(Object.entries(data)).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
});
