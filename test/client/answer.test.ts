import { Readable } from 'node:stream';
import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { readAnswer, requireSuccess } from '../../operator/client/answer.ts';
import { AmbassadorError } from '../../operator/core/errors.ts';
import type { TransportResponse } from '../../operator/transport/transport.ts';

const clock = new FakeClock();

function answer(status: number, contentType: string, ...chunks: string[]): TransportResponse {
  const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk, 'latin1')));
  return { status, headers: { 'content-type': contentType }, body };
}

test('a character that spans two chunks of an answer is read whole', async () => {
  const [first, second] = ['{"a":"\u00c3', '\u00a9"}'];

  const value = await readAnswer(answer(200, 'application/json', first, second), clock);

  expect(value).toEqual({ a: 'é' });
});

test.each([
  ['is truncated', '{"kind":"ConfigMapList","items":[{"password":"hunter2"'],
  ['is empty', ''],
  ['is a list', '[]'],
  ['is null', 'null'],
])('a body that %s is a protocol error, and its message does not quote the body', async (_, text) => {
  const reading = readAnswer(answer(200, 'application/json', text), clock);

  const error: unknown = await reading.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'DECODE', layer: 'protocol' });
  expect(String((error as Error).stack)).not.toContain('hunter2');
  expect(error).not.toHaveProperty('cause');
});

test('[P-11] a Status of 100 kB is read to its end', async () => {
  const message = 'x'.repeat(100_000);
  const body = JSON.stringify({ kind: 'Status', code: 422, reason: 'Invalid', message });

  const reading = readAnswer(answer(422, 'application/json', body), clock);

  await expect(reading).rejects.toMatchObject({ status: 422, reason: 'Invalid' });
});

test('[P-11] only the beginning of an unrecognised error body is read', async () => {
  let sent = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(1_024, `${sent++ % 10}`);
    })(),
    { highWaterMark: 1 },
  );

  const reading = readAnswer(
    { status: 500, headers: { 'content-type': 'text/plain' }, body: endless },
    clock,
  );

  await expect(reading).rejects.toMatchObject({ code: 'AMBASSADOR_UPSTREAM' });
  expect(endless.destroyed).toBe(true);
  expect(sent).toBe(3); // 2 KiB, and what shows that there is more
});

test('[P-11] reading of an answer stops at 256 MiB', async () => {
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  let sent = 0;
  const endless = Readable.from(
    (function* () {
      for (;;) {
        sent++;
        yield chunk;
      }
    })(),
    { highWaterMark: 1 },
  );

  const reading = readAnswer(
    { status: 200, headers: { 'content-type': 'application/json' }, body: endless },
    clock,
  );

  await expect(reading).rejects.toMatchObject({
    message: 'the answer is too large',
    code: 'DECODE',
    context: { sizeBytes: 257 * 1024 * 1024 },
  });
  expect(endless.destroyed).toBe(true);
  expect(sent).toBeLessThan(260);
});

test("[P-12] if the connection breaks off, reading an answer fails with the transport's error", async () => {
  const lost = new AmbassadorError('broke off', { code: 'CONNECTION_LOST', fate: 'unknown' });
  const body = new Readable({
    read() {
      this.destroy(lost);
    },
  });

  const reading = readAnswer(
    { status: 500, headers: { 'content-type': 'application/json' }, body },
    clock,
  );

  await expect(reading).rejects.toBe(lost);
});

test('requireSuccess does not read the body of a successful answer', async () => {
  const response = answer(200, 'application/json', '{"type":"ADDED"}\n');

  await requireSuccess(response, clock);

  expect(await response.body.toArray()).toHaveLength(1);
});
