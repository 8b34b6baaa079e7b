/** How a watch is read: chunk by chunk, no faster than its consumer, with a limit on its lines. */
import { Readable } from 'node:stream';
import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { WatchEvent } from '../../operator/model/entry.ts';
import { decodeEvents } from '../../operator/stream/decode.ts';
import { collect, cutStream } from '../support/recorded-stream.ts';
import { bodyOf } from './decoded.ts';

const added = (name: string, data: string = ''): string =>
  `{"type":"ADDED","object":{"kind":"A","apiVersion":"v1","metadata":{"name":"${name}","uid":"u","resourceVersion":"1"},"data":"${data}"}}`;

const namesIn = (batch: readonly WatchEvent[]): readonly string[] =>
  batch.map((event) => (event.type === 'BOOKMARK' ? 'bookmark' : event.entry.key));

const batchesOf = async (body: Readable, options?: Parameters<typeof decodeEvents>[1]) => {
  const { items, error } = await collect(decodeEvents(body, options));
  return { batches: items.map(namesIn), error };
};

describe('chunks of a watch', () => {
  test('[W-10] a chunk may end anywhere, even inside a character of four bytes', async () => {
    const text = `${added('a')}\n${added('b', '😀é☃\u2028')}\r\n\n  \t\n${added('c', '日本 😀')}\n`;
    const bytes = Buffer.from(text);
    const places = [...bytes.keys()];

    for (const cuts of [[], places, ...places.map((place) => [place])]) {
      const { items, error } = await collect(decodeEvents(bodyOf(bytes, cuts)));

      const data = items
        .flat()
        .map((event) => event.type === 'ADDED' && (event.entry.object as { data?: string }).data);
      expect({ data, error }).toEqual({ data: ['', '😀é☃\u2028', '日本 😀'], error: undefined });
    }
  });

  test('[W-11] all events that end in one chunk are one batch', async () => {
    const texts = [
      `${added('a')}\n${added('b')}\n{"type":"ADD`,
      `${added('c').slice(12)}\n`,
      '\n\n',
    ];

    const { batches } = await batchesOf(Readable.from(texts.map((text) => Buffer.from(text))));

    expect(batches).toEqual([['a', 'b'], ['c']]);
  });

  test('[W-11] each of several chunks with thousands of lines is one batch', async () => {
    const chunk = Array.from({ length: 5_000 }, (_, at) => `${added(`o-${at}`)}\n`).join('');
    const body = Readable.from([chunk, chunk, chunk].map((text) => Buffer.from(text)));

    const { batches } = await batchesOf(body);

    expect(batches.map(({ length }) => length)).toEqual([5_000, 5_000, 5_000]);
    expect(batches[2]?.at(-1)).toBe('o-4999');
  });

  test('every chunk is reported, even a chunk that completes no line', async () => {
    const chunks: number[] = [];

    await collect(decodeEvents(cutStream('abcdef', 4), { onChunk: (size) => chunks.push(size) }));

    expect(chunks).toEqual([4, 2]);
  });

  test('events keep no reference to the bytes of their chunk', async () => {
    const bytes = Buffer.from(`${added('a', 'as it came')}\n`);
    const { value: batch = [] } = await decodeEvents(bodyOf(bytes)).next();

    bytes.fill('x');

    const [event] = batch;
    expect(event?.type === 'ADDED' && event.entry.object).toMatchObject({ data: 'as it came' });
  });

  test.each([
    ['cut in the middle', added('b').slice(0, 20)],
    ['complete except for its newline', added('b')],
  ])('[W-12] a last line that is %s does not become an event', async (_, last) => {
    const { batches, error } = await batchesOf(bodyOf(`${added('a')}\n${last}`));

    expect({ batches, error }).toEqual({ batches: [['a']], error: undefined });
  });
});

describe('a slow consumer', () => {
  /** A body that counts the chunks which were asked of it: the event of `o-N`, N from 1. */
  function counted(): { body: Readable; sent: () => number } {
    let sent = 0;
    const body = new Readable({
      highWaterMark: 1,
      read() {
        this.push(`${added(`o-${++sent}`)}\n`);
      },
    });
    return { body, sent: () => sent };
  }

  test('[W-11] the decoder does not read ahead of a slow consumer', async () => {
    const { body, sent } = counted();
    const events = decodeEvents(body);

    await events.next();
    await settle();
    const afterOne = sent();
    await events.next();
    await settle();
    const afterTwo = sent();
    body.destroy();

    // One in hand, one in the stream's buffer, and one that the stream was just given.
    expect(afterOne).toBeLessThanOrEqual(3);
    expect(afterTwo).toBeLessThanOrEqual(4);
  });

  test('[W-11] a slow consumer gets every event once and in order', async () => {
    const { body } = counted();
    const seen: string[] = [];

    for await (const batch of decodeEvents(body)) {
      await settle();
      seen.push(...namesIn(batch));
      if (seen.length >= 20) break;
    }

    expect(seen).toEqual(seen.map((_, at) => `o-${at + 1}`));
    expect(body.destroyed).toBe(true);
  });
});

describe('limits', () => {
  // Joining the line anew with every chunk takes a minute for this one, past the test's time limit.
  test('an event line of 48 MiB in chunks of 16 KiB is read in linear time', async () => {
    const line = added('a', 'x'.repeat(48 * 1024 * 1024));
    const body = cutStream(`${line}\n${added('b')}\n`, 16 * 1024);

    const { batches, error } = await batchesOf(body, { maxLineBytes: line.length });

    expect({ names: batches.flat(), error }).toEqual({ names: ['a', 'b'], error: undefined });
  });

  test('[W-13] an event line that exceeds the limit causes an error, after the events before it were delivered', async () => {
    const text = `${added('a')}\n`;
    const body = bodyOf(text + 'x'.repeat(300), [text.length, text.length + 150]);

    const { batches, error } = await batchesOf(body, { maxLineBytes: 200 });

    expect(batches).toEqual([['a']]);
    expect(error).toMatchObject({
      code: 'DECODE',
      layer: 'protocol',
      context: { gotBytes: 300, maxLineBytes: 200 },
    });
    expect(body.destroyed).toBe(true);
  });

  test('[W-13] by default, an event line of more than 64 MiB causes an error', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const endless = Readable.from(
      (function* () {
        for (;;) yield chunk;
      })(),
    );

    const { batches, error } = await batchesOf(endless);

    expect(batches).toEqual([]);
    expect(error).toMatchObject({ code: 'DECODE', context: { gotBytes: 65 * 1024 * 1024 } });
    expect(endless.destroyed).toBe(true);
  });

  test('[W-13] complete event lines do not count against the limit', async () => {
    const line = `${added('a')}\n`;

    const { batches, error } = await batchesOf(cutStream(line.repeat(100), 7), {
      maxLineBytes: line.length + 20,
    });

    expect({ length: batches.flat().length, error }).toEqual({ length: 100, error: undefined });
  });
});

describe('the end of a watch', () => {
  test('[W-12] the failure of a body is thrown after the events before it', async () => {
    const failure = new Error('connection lost');
    const body = new Readable({ read() {} });
    body.push(`${added('a')}\n${added('b')}`);

    const reading = batchesOf(body);
    setImmediate(() => body.destroy(failure));
    const { batches, error } = await reading;

    expect(batches).toEqual([['a']]);
    expect(error).toBe(failure);
  });

  test('[P-6] leaving the loop over events destroys the body', async () => {
    const body = new Readable({ read() {} });
    body.push(`${added('a')}\n`);

    for await (const batch of decodeEvents(body)) {
      expect(namesIn(batch)).toEqual(['a']);
      break;
    }

    expect(body.destroyed).toBe(true);
  });

  test('[P-6] at the end of an `await using` block, the body of the events is destroyed', async () => {
    const body = new Readable({ read() {} });

    {
      await using events = decodeEvents(body);
      expect(events[Symbol.asyncIterator]()).toBe(events);
    }

    expect(body.destroyed).toBe(true);
  });
});
