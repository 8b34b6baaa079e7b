/** Bytes of a program → lines. */
import { Readable } from 'node:stream';
import { systemClock } from 'chancery/low-level';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProgramOutput } from '../../operator/process/program-output.ts';
import { propertyRuns } from '../support/property-runs.ts';

async function linesOf(chunks: readonly Buffer[]): Promise<string[]> {
  const lines: string[] = [];
  const output = new ProgramOutput({
    limitBytes: 10_000_000,
    onLine: (_, line) => lines.push(line),
    onLimit: () => lines.push('LIMIT'),
    clock: systemClock,
  });
  await output.read('stdout', Readable.from(chunks, { objectMode: true }));
  return lines;
}

test('the same lines arrive wherever the bytes are split, without broken characters', async () => {
  const text = fc.array(fc.constantFrom('a', 'é', '😀', '\n', '\n', ' '), { maxLength: 60 });
  const cuts = fc.array(fc.nat(200), { maxLength: 8 });

  await fc.assert(
    fc.asyncProperty(text, cuts, async (characters, places) => {
      const bytes = Buffer.from(characters.join(''));
      const ends = [...places.map((place) => Math.min(place, bytes.length)), bytes.length].toSorted(
        (a, b) => a - b,
      );
      const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));

      const lines = await linesOf(chunks);

      const expected = characters.join('').split('\n');
      if (expected.at(-1) === '') expected.pop(); // no line begins after the last end
      expect(lines).toEqual(expected);
    }),
    propertyRuns(),
  );
});

test('line endings of Windows are removed from lines', async () => {
  expect(await linesOf([Buffer.from('one\r\n\r\ntwo\r')])).toEqual(['one', '', 'two']);
});

test('a line is truncated at 16 KiB, and ends with the number of omitted bytes', async () => {
  const chunk = Buffer.alloc(10_000, 'x');
  const lines = await linesOf([chunk, chunk, Buffer.from('yz\nnext\n')]);

  expect(lines).toEqual([`${'x'.repeat(16_384)} … (3618 bytes omitted)`, 'next']);
});

test('output beyond the limit is not read, and this is reported once', async () => {
  const seen: string[] = [];
  const output = new ProgramOutput({
    limitBytes: 6,
    onLine: (name, line) => seen.push(`${name} ${line}`),
    onLimit: () => seen.push('LIMIT'),
    clock: systemClock,
  });
  const stream = (): Readable =>
    Readable.from(['ab\n', 'cd\n', 'ef\n'].map((each) => Buffer.from(each)));

  await output.read('stdout', stream());
  await output.read('stderr', stream());

  expect(seen).toEqual(['stdout ab', 'stdout cd', 'LIMIT']);
});

test('other work continues between the lines of a program with much output', async () => {
  const chunks = Array.from({ length: 6 }, () => Buffer.alloc(64 * 1_024, '\n'));
  let turns = 0;
  let isRead = false;
  const count = (): void => {
    turns++;
    if (!isRead) setImmediate(count);
  };

  setImmediate(count);
  await linesOf(chunks);
  isRead = true;

  // 400,000 lines, at most 10 ms of them in each turn.
  expect(turns).toBeGreaterThan(5);
});

test('the end of standard error is kept', async () => {
  const output = new ProgramOutput({
    limitBytes: 100_000,
    onLine: undefined,
    onLimit: () => {},
    clock: systemClock,
  });
  const chunks = [Buffer.alloc(3_000, 'a'), Buffer.from('the reason')];

  await output.read('stderr', Readable.from(chunks, { objectMode: true }));

  expect(output.stderrEnd).toBe(`${'a'.repeat(2_038)}the reason`);
  expect(output.stdout).toBe('');
});
