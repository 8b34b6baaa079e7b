/** Documents that arrive in pieces: what is read of them, and what is only passed over. */
import { Buffer } from 'node:buffer';
import { setImmediate as immediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConfigurationError } from '../../../../operator/core/errors.ts';
import { JsonBytes } from '../../src/kubebuilder/json-bytes.ts';

const MANY = 1_000_000;
const TOO_LONG = new ConfigurationError('too long');

/** The bytes of a text, cut at the given places. */
async function* cut(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const SIZES = fc.array(fc.nat({ max: 9 }), { maxLength: 40 });
/** Texts of many backslashes and quotes, which are what the end of a string depends on. */
const TEXT = fc.string({ unit: fc.constantFrom('\\', '"', 'a', '\n', 'é', '😀', '\u0000', '}') });

test('an object that arrives in arbitrary chunks is parsed as by JSON.parse', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(TEXT, TEXT),
      SIZES,
      fc.boolean(),
      async (object, sizes, wide) => {
        const json = new JsonBytes(
          cut(JSON.stringify(object, null, wide ? 2 : 0), sizes),
          MANY,
          TOO_LONG,
        );

        const found: [string | undefined, string | undefined][] = [];
        for await (const key of json.keys(MANY)) found.push([key, await json.string(MANY)]);

        expect(found).toEqual(Object.entries(object));
        expect(await json.next()).toBe('');
      },
    ),
  );
});

test('any value is parsed as by JSON.parse, and reading stops at the end of the value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), TEXT, SIZES, async (value, text, sizes) => {
      const document = JSON.stringify({ value, text });
      const json = new JsonBytes(cut(document, sizes), MANY, TOO_LONG);

      const found: unknown[] = [];
      for await (const _key of json.keys(MANY)) found.push(await json.value(MANY));

      expect(found).toEqual([JSON.parse(JSON.stringify(value)), text]);
    }),
  );
});

test('a string that is too long is skipped, and the next string is read', async () => {
  await fc.assert(
    fc.asyncProperty(TEXT, TEXT, SIZES, async (long, short, sizes) => {
      const first = `${long}0123456789`;
      const json = new JsonBytes(cut(JSON.stringify([first, short]), sizes), MANY, TOO_LONG);

      await json.expect('[');
      const skipped = await json.string(9);
      await json.expect(',');
      const read = await json.string(MANY);
      await json.expect(']');

      expect([skipped, read]).toEqual([undefined, short]);
    }),
  );
});

test('a string that is too long is not kept in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let kept = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('"');
    const pieces: WeakRef<ArrayBufferLike>[] = [];
    for (let at = 0; at < 40; at++) {
      const piece = Buffer.alloc(100_000, 'x');
      pieces.push(new WeakRef(piece.buffer));
      yield piece;
    }
    await immediate(); // a WeakRef keeps its object until then
    collect();
    kept = pieces.filter((piece) => piece.deref() !== undefined).length;
    yield Buffer.from('"');
  }

  const text = await new JsonBytes(chunks(), 10_000_000, TOO_LONG).string(150_000);

  expect(text).toBe(undefined);
  expect(kept).toBeLessThan(5);
});

test.each([
  ['{"a"', 'expected ":" at byte 4, got the end'],
  ['{"a":"b"', 'expected "," or "}" at byte 8, got the end'],
  ['{"a":"b" "c":"d"}', 'expected "," or "}" at byte 9, got "\\""'],
  ['{"a":"b\\"', 'expected the end of a string at byte 9, got the end'],
  ['["a"]', 'expected "{" at byte 0, got "["'],
  ['{"a":"\\x"}', 'a value that ends at byte 9 is malformed'],
  ['{"a":nul}', 'expected "\\"" at byte 5, got "n"'],
])('%s is refused, and the error contains the position', async (text, message) => {
  const json = new JsonBytes(cut(text, [3, 1]), MANY, TOO_LONG);
  const read = async (): Promise<void> => {
    for await (const _key of json.keys(MANY)) await json.string(MANY);
  };

  await expect(read()).rejects.toThrow(`no JSON: ${message}`);
});

test('values and documents that are too large are refused', async () => {
  const value = new JsonBytes(cut('[1,2,3,4,5]', [4]), MANY, TOO_LONG);
  const document = new JsonBytes(cut(`"${'x'.repeat(50)}"`, [10, 10, 10, 10]), 30, TOO_LONG);

  await expect(value.value(5)).rejects.toThrow('a value has more than 5 bytes');
  await expect(document.string(4)).rejects.toThrow(TOO_LONG.message);
});
