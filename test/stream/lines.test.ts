import { Readable } from 'node:stream';
import { settle } from '@chancery/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLines } from '../../operator/stream/lines.ts';
import { collect, cutStream } from '../support/recorded-stream.ts';

async function linesOf(text: string, chunkBytes: number): Promise<readonly string[]> {
  const { items, error } = await collect(readLines(cutStream(text, chunkBytes)));
  if (error !== undefined) throw error;
  return items.flat();
}

describe('readLines', () => {
  test('[W-10] readLines finds the lines wherever the chunks end, even inside a character of four bytes', async () => {
    const text = 'a\n😀é☃\u2028\r\n\nlong line 😀\n';

    const cuts = Array.from({ length: Buffer.byteLength(text) }, (_, at) => at + 1);
    const results = await Promise.all(cuts.map((cut) => linesOf(text, cut)));

    for (const lines of results) expect(lines).toEqual(['a', '😀é☃\u2028', 'long line 😀']);
  });

  test('[W-10] readLines yields the same lines as a split of the whole text, for any text and any chunks', async () => {
    const text = fc.array(fc.constantFrom('\n', '\r\n', 'x', '😀', '\u2028', ' '), {
      maxLength: 200,
    });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 50 }), async (parts, chunkBytes) => {
        const whole = parts.join('');
        const complete = whole.slice(0, whole.lastIndexOf('\n') + 1);
        const expected = complete.split(/\r?\n/).filter((line) => /[^ ]/.test(line));

        const lines = await linesOf(whole, chunkBytes);

        expect(lines).toEqual(expected);
      }),
    );
  });

  test('[W-11] readLines yields all complete lines of a chunk as one batch', async () => {
    const body = Readable.from([Buffer.from('a\nb\nc'), Buffer.from('d\ne\n')]);

    const { items } = await collect(readLines(body));

    expect(items).toEqual([
      ['a', 'b'],
      ['cd', 'e'],
    ]);
  });

  test('[W-11] readLines delivers all lines of several chunks with thousands of lines each', async () => {
    const chunk = Array.from({ length: 5_000 }, (_, at) => `line ${at}\n`).join('');
    const body = Readable.from([chunk, chunk, chunk].map((text) => Buffer.from(text)));

    const { items } = await collect(readLines(body));

    expect(items.map((batch) => batch.length)).toEqual([5_000, 5_000, 5_000]);
    expect(items[2]?.at(-1)).toBe('line 4999');
  });

  test.each([
    ['cut in the middle', '{"a":1}\n{"b":'],
    ['complete except for its newline', '{"a":1}\n{"b":2}'],
  ])('[W-12] readLines discards a last line that is %s', async (_, text) => {
    const lines = await linesOf(text, 1_000);

    expect(lines).toEqual(['{"a":1}']);
  });
});

describe('a slow consumer', () => {
  /** A body that counts the chunks which were asked of it: `line N`, N from 1. */
  function counted(): { body: Readable; sent: () => number } {
    let sent = 0;
    const body = new Readable({
      highWaterMark: 1,
      read() {
        this.push(`line ${++sent}\n`);
      },
    });
    return { body, sent: () => sent };
  }

  test('[W-11] readLines does not read ahead of a slow consumer', async () => {
    const { body, sent } = counted();
    const lines = readLines(body);

    await lines.next();
    await settle();
    const afterOne = sent();
    await lines.next();
    await settle();
    const afterTwo = sent();
    body.destroy();

    // One in hand, one in the stream's buffer, and one that the stream was just given.
    expect(afterOne).toBeLessThanOrEqual(3);
    expect(afterTwo).toBeLessThanOrEqual(4);
  });

  test('[W-11] a slow consumer of readLines gets every line once and in order', async () => {
    const { body } = counted();
    const seen: string[] = [];

    for await (const batch of readLines(body)) {
      await settle();
      seen.push(...batch);
      if (seen.length >= 20) break;
    }

    expect(seen).toEqual(seen.map((_, at) => `line ${at + 1}`));
  });
});

describe('limits', () => {
  // Joining the line anew with every chunk takes a minute for this one, past the test's time limit.
  test('readLines reads a line of 48 MiB in chunks of 16 KiB in linear time', async () => {
    const line = 'x'.repeat(48 * 1024 * 1024);
    const body = cutStream(`${line}\nnext\n`, 16 * 1024);

    const { items } = await collect(readLines(body, { maxLineBytes: line.length }));

    const lines = items.flat();
    expect(lines.map(({ length }) => length)).toEqual([line.length, 4]);
    expect(lines[0] === line).toBe(true);
  });

  test('[W-13] readLines fails at a line that exceeds the limit, after the lines before it', async () => {
    const body = cutStream(`short\n${'x'.repeat(100)}\n`, 16);

    const { items, error } = await collect(readLines(body, { maxLineBytes: 50 }));

    expect(items).toEqual([['short']]);
    expect(error).toMatchObject({
      code: 'DECODE',
      layer: 'protocol',
      context: { maxLineBytes: 50 },
    });
    expect(body.destroyed).toBe(true);
  });

  test('[W-13] readLines fails at a line of more than 64 MiB by default', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const endless = Readable.from(
      (function* () {
        for (;;) yield chunk;
      })(),
    );

    const { items, error } = await collect(readLines(endless));

    expect(items).toEqual([]);
    expect(error).toMatchObject({ code: 'DECODE', context: { gotBytes: 65 * 1024 * 1024 } });
    expect(endless.destroyed).toBe(true);
  });

  test('[W-13] readLines does not count complete lines against the limit', async () => {
    const text = 'twelve bytes\n'.repeat(100);

    const { items, error } = await collect(readLines(cutStream(text, 7), { maxLineBytes: 20 }));

    expect(error).toBeUndefined();
    expect(items.flat()).toHaveLength(100);
  });
});

describe('the end of a body', () => {
  test('[W-12] readLines throws the failure of the body, after the lines before it', async () => {
    const failure = new Error('connection lost');
    const body = new Readable({ read() {} });
    body.push('one\ntwo');

    const reading = collect(readLines(body));
    setImmediate(() => body.destroy(failure));
    const { items, error } = await reading;

    expect(items).toEqual([['one']]);
    expect(error).toBe(failure);
  });

  test('[P-6] readLines destroys the body when the reader leaves the loop', async () => {
    const body = new Readable({ read() {} });
    body.push('one\n');

    for await (const lines of readLines(body)) {
      expect(lines).toEqual(['one']);
      break;
    }

    expect(body.destroyed).toBe(true);
  });

  test('[P-6] readLines destroys the body if the reader stops before the loop begins', async () => {
    const body = new Readable({ read() {} });

    await readLines(body).return();

    expect(body.destroyed).toBe(true);
  });

  test('[P-6] readLines destroys the body at the end of an await-using block', async () => {
    const body = new Readable({ read() {} });

    {
      await using lines = readLines(body);
      expect(lines[Symbol.asyncIterator]()).toBe(lines);
    }

    expect(body.destroyed).toBe(true);
  });

  test('readLines reports every chunk, even a chunk that completes no line', async () => {
    const chunks: number[] = [];

    await collect(readLines(cutStream('abcdef', 4), { onChunk: (bytes) => chunks.push(bytes) }));

    expect(chunks).toEqual([4, 2]);
  });
});
