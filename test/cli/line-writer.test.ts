import { Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { LineWriter } from '../../operator/cli/line-writer.ts';

/** A stream whose reader takes a chunk only when told to. */
class SlowStream extends Writable {
  readonly chunks: string[] = [];
  #done: (error?: Error) => void = () => {};

  constructor(highWaterMark: number) {
    super({ decodeStrings: false, highWaterMark });
  }

  override _write(chunk: string, _encoding: string, done: (error?: Error) => void): void {
    this.chunks.push(chunk);
    this.#done = done;
  }

  read(error?: Error): void {
    const done = this.#done;
    this.#done = () => {};
    done(error);
  }
}

function writerOn(stream: Writable): { writer: LineWriter; stop: AbortController } {
  const stop = new AbortController();
  const writer = new LineWriter(stream, stop.signal);
  onTestFinished(() => writer[Symbol.dispose]());
  return { writer, stop };
}

function* counted(count: number, length: number, onMade: () => void): Generator<string, void> {
  for (let at = 0; at < count; at++) {
    onMade();
    yield 'x'.repeat(length);
  }
}

test('while a reader is slow, no further lines are produced', async () => {
  const stream = new SlowStream(16 * 1024);
  const { writer } = writerOn(stream);
  let made = 0;
  let settled = false;

  const writing = writer.write(counted(1_000, 1_000, () => made++)).then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));

  expect(made).toBeLessThan(70);
  expect(settled).toBe(false);
  while (!settled) {
    stream.read();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writing;
  expect(made).toBe(1_000);
  expect(stream.chunks.join('')).toBe(`${'x'.repeat(1_000)}\n`.repeat(1_000));
});

test('many lines are written in several chunks, and not joined into one string', async () => {
  const chunks: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const { writer } = writerOn(stream);

  await writer.write(counted(100_000, 100, () => {}));

  expect(chunks.join('')).toHaveLength(100_000 * 101);
  expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(64 * 1024 + 101);
});

test('a fast reader does not block the event loop', async () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { writer } = writerOn(stream);
  let turns = 0;
  let settled = false;
  const count = (): void => {
    turns++;
    if (!settled) setImmediate(count);
  };
  setImmediate(count);

  await writer.write(counted(10_000, 1_000, () => {}));
  settled = true;

  expect(turns).toBeGreaterThan(100);
});

test.each([
  'EPIPE',
  'ECONNRESET',
])('if the reader ends with %s, the writer ends without an error', async (code) => {
  const stream = new SlowStream(1);
  const { writer } = writerOn(stream);

  const writing = writer.write(['a', 'b']);
  stream.read(Object.assign(new Error('gone'), { code }));
  await writing;

  expect(writer.signal.aborted).toBe(true);
  expect(writer.failure).toBeUndefined();
});

test('a full disk makes the writer fail', async () => {
  const stream = new SlowStream(1);
  const { writer } = writerOn(stream);

  const writing = writer.write(['a']);
  stream.read(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  await writing;

  expect(writer.signal.aborted).toBe(true);
  expect(writer.failure?.message).toBe('no space left on device');
});

test('an abort ends a waiting write, and nothing is written afterwards', async () => {
  const stream = new SlowStream(1);
  const { writer, stop } = writerOn(stream);

  const writing = writer.write(['a']);
  stop.abort();
  await writing;
  await writer.write(['b']);

  expect(stream.chunks).toEqual(['a\n']);
});

test('the writer notices a stream that was closed earlier', () => {
  const stream = new SlowStream(1);
  stream.destroy();

  const { writer } = writerOn(stream);

  expect(writer.signal.aborted).toBe(true);
});

test('a disposed writer leaves no listeners on the stream', () => {
  const stream = new SlowStream(1);
  const before = [stream.listenerCount('error'), stream.listenerCount('close')];

  const writer = new LineWriter(stream, new AbortController().signal);
  writer[Symbol.dispose]();

  expect([stream.listenerCount('error'), stream.listenerCount('close')]).toEqual(before);
});
