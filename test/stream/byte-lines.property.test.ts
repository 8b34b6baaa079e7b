/** Lines as bytes are the lines as text, however the bytes are cut into chunks. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readByteLines } from '../../operator/stream/byte-lines.ts';
import { readLines } from '../../operator/stream/lines.ts';

const text = fc.stringMatching(/^[a-zé€😀 \t\r\n{}"]*$/u);

function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end));
}

async function gathered(lines: AsyncIterable<readonly (string | Buffer)[]>): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of lines) all.push(...batch.map((line) => line.toString()));
  return all;
}

test('for any text and any chunks', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(), { maxLength: 6 }), async (written, cuts) => {
      const chunks = chunksOf(Buffer.from(written), cuts);
      const body = (): Readable => Readable.from(chunks, { objectMode: true });

      const [asText, asBytes] = await Promise.all([
        gathered(readLines(body())),
        gathered(readByteLines(body())),
      ]);

      expect(asBytes).toEqual(asText);
    }),
    { numRuns: 300 },
  );
});

test('a line that outgrows its limit is an error, and closes the body', async () => {
  const body = Readable.from([Buffer.alloc(60, 'x'), Buffer.alloc(60, 'x')], { objectMode: true });
  const sizes: number[] = [];
  const lines = readByteLines(body, { maxLineBytes: 100, onChunk: (bytes) => sizes.push(bytes) });

  await expect(gathered(lines)).rejects.toMatchObject({
    code: 'DECODE',
    context: { gotBytes: 120, maxLineBytes: 100 },
  });
  expect(sizes).toEqual([60, 60]);
});

test('leaving before the first line destroys the body', async () => {
  const body = Readable.from([Buffer.from('a\n')], { objectMode: true });

  await readByteLines(body).return();

  expect(body.destroyed).toBe(true);
});
