/** Lines as bytes are the lines as text, however the bytes are cut into chunks. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteLines } from '../../operator/stream/decode.ts';
import { chunksOf } from './chunks.ts';

/** Some of which JSON takes for white space, and some that look like it. */
const ODD = [' ', '\t', '\r', '\n', '\n', '\0', '\x01', '\v', '\f', '\xa0', '\u2028', '\ufeff'];
const text = fc
  .array(fc.constantFrom(...ODD, ...['a', 'z', 'é', '€', '😀', '{', '}', '"']), { maxLength: 20 })
  .map((parts) => parts.join(''));

/** The lines of a text that have an end, without it, and without those that JSON takes for white space. */
function asText(text: string): readonly string[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => line.replace(/\r$/, '')).filter((line) => !/^[ \t\r]*$/.test(line));
}

function asBytes(chunks: readonly Buffer[], lines: ByteLines = new ByteLines()): string[] {
  const all: string[] = [];
  for (const chunk of chunks) {
    lines.read(chunk, (bytes, from, to) => all.push(bytes.toString('utf8', from, to)));
  }
  return all;
}

test('[W-10] lines that are read from bytes equal the lines of the text, for any text and any chunks', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 6 }), (written, cuts) => {
      const chunks = chunksOf(Buffer.from(written), cuts);

      expect(asBytes(chunks)).toEqual(asText(written));
    }),
  );
});

test('lines before a line that exceeds the limit are delivered, and that line causes an error', () => {
  const lines = new ByteLines(100);
  const told: string[] = [];
  const read = (text: string): void =>
    lines.read(Buffer.from(text), (bytes, from, to) => told.push(bytes.toString('utf8', from, to)));

  read(`a\n${'x'.repeat(60)}`);

  expect(() => read('x'.repeat(60))).toThrow(
    expect.objectContaining({ code: 'DECODE', context: { gotBytes: 120, maxLineBytes: 100 } }),
  );
  expect(told).toEqual(['a']);
});

test('a line that is split into many chunks is delivered as one line, and nothing of it is left for the next line', () => {
  expect(asBytes(['a', 'b\r', '\nc', 'd\n\r\n \ne\n'].map((part) => Buffer.from(part)))).toEqual([
    'ab',
    'cd',
    'e',
  ]);
});
