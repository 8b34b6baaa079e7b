import { expect, test } from 'vitest';
import { Budget, KeptBytes } from '../../../operator/cli/record/kept-bytes.ts';
import { RECORD_LIMITS } from '../../../operator/cli/record/recorded-exchange.ts';
import { WatchLines } from '../../../operator/cli/record/watch-lines.ts';

const budget = (): Budget => new Budget(1_000);

test('a line that arrives in pieces becomes one chunk, with the time of its last byte', () => {
  const lines = new WatchLines(RECORD_LIMITS, budget(), 0);
  const bytes = Buffer.from('{"a":"ü"}\n{"b"');

  lines.add(bytes.subarray(0, 7), 5); // in the middle of a character
  lines.add(bytes.subarray(7), 8);
  lines.add(Buffer.from(':1}\n{"c"'), 9);

  expect(lines.chunks).toEqual([
    { at: 8, data: '{"a":"ü"}\n' },
    { at: 9, data: '{"b":1}\n' },
  ]);
});

test.each([
  ['bytes', { watchBytes: 4 }, 30, 30],
  ['time', { watchMs: 20 }, 50, 30],
] as const)('a watch that exceeds its limit of %s is recorded as if the client had ended it', (_, limit, at, endedAt) => {
  const lines = new WatchLines({ ...RECORD_LIMITS, ...limit }, budget(), 10);

  lines.add(Buffer.from('{}\n'), 20);
  lines.add(Buffer.from('{}\n'), at);
  lines.add(Buffer.from('\n'), at + 1);

  expect(lines.chunks).toEqual([{ at: 20, data: '{}\n' }]);
  expect(lines.endedAt).toBe(endedAt);
});

test('the incomplete lines of all watches together have one limit in bytes', () => {
  const shared = new Budget(10);
  const [one, two] = [new KeptBytes(8, shared), new KeptBytes(8, shared)];

  one.add(Buffer.from('12345678'));
  two.add(Buffer.from('123'));
  expect([one.text(), two.text(), two.length]).toEqual(['12345678', undefined, 3]);

  one.release();
  const three = new KeptBytes(8, shared);
  three.add(Buffer.from('1234'));
  three.add(Buffer.from('5678'));
  three.add(Buffer.from('9'));
  expect([three.text(), three.length]).toEqual([undefined, 9]);
  const four = new KeptBytes(10, shared);
  four.add(Buffer.from('1234567890'));
  expect(four.text()).toBe('1234567890');
});
