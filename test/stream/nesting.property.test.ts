/** Where a value ends is the same in one piece and in any. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOfValue, Nesting } from '../../operator/stream/json-bytes.ts';
import { memberName } from '../support/json-arbitraries.ts';
import { chunksOf } from './chunks.ts';

const tricky = fc.constantFrom(
  '"',
  '\\',
  '\\\\',
  '\\"',
  '{',
  '}',
  '[',
  ']',
  'ä',
  '😀',
  'x'.repeat(70),
);
const text = fc.array(fc.oneof(tricky, fc.string({ maxLength: 3 })), { maxLength: 5 });
const string = text.map((parts) => parts.join(''));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    string,
    fc.constantFrom(1, -1.5e30, true, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(memberName(string), tie('value'), { maxKeys: 4 }),
  ),
}));
const nested = fc.oneof(
  fc.array(value, { maxLength: 4 }),
  fc.dictionary(memberName(string), value),
);
const written = fc
  .tuple(nested, fc.constantFrom(0, 1))
  .map(([json, gap]) => JSON.stringify(json, null, gap));
const cuts = fc.array(fc.nat(), { maxLength: 12 });

/** The end in pieces, from the beginning of the first; -1 where it does not come. */
function endIn(chunks: readonly Buffer[], nesting: Nesting = new Nesting()): number {
  nesting.begin();
  let before = 0;
  for (const chunk of chunks) {
    const end = nesting.end(chunk, 0, chunk.length);
    if (end >= 0) return before + end;
    before += chunk.length;
  }
  return -1;
}

test('Nesting finds the end of any object or array, in any chunks, whatever follows', () => {
  fc.assert(
    fc.property(written, string, cuts, (json, behind, places) => {
      const bytes = Buffer.from(json + behind);

      const end = endIn(chunksOf(bytes, places));

      expect(end).toBe(Buffer.byteLength(json));
    }),
  );
});

test('Nesting finds the end of a value that arrives byte by byte', () => {
  fc.assert(
    fc.property(written, (json) => {
      const bytes = Buffer.from(`${json}}]"`);

      expect(endIn(chunksOf(bytes, [...bytes.keys()]))).toBe(bytes.length - 3);
    }),
  );
});

test('Nesting finds the same end in chunks as in one piece, for any text', () => {
  fc.assert(
    fc.property(string, string, cuts, (first, more, places) => {
      const bytes = Buffer.from(`{${first}${more}`);

      expect(endIn(chunksOf(bytes, places))).toBe(endOfValue(bytes, 0, bytes.length));
    }),
  );
});

test('Nesting finds no end in a truncated value, and then starts over with the next', () => {
  fc.assert(
    fc.property(written, fc.nat(), cuts, (json, cut, places) => {
      const nesting = new Nesting();
      const bytes = Buffer.from(json);
      const short = bytes.subarray(0, cut % bytes.length);

      const wasOpen = endIn(chunksOf(short, places), nesting);
      const next = endIn(chunksOf(bytes, places), nesting);

      expect(wasOpen).toBe(-1);
      expect(next).toBe(bytes.length);
      expect(nesting.isClosed).toBe(true);
    }),
  );
});

test('endOfValue does not read beyond the given end', () => {
  fc.assert(
    fc.property(written, fc.nat(), (json, cut) => {
      const bytes = Buffer.from(json);
      const to = cut % bytes.length;

      expect(endOfValue(bytes, 0, to)).toBe(-1);
    }),
  );
});
