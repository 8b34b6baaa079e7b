import { expect, test } from 'vitest';
import { Ascending, InTurn } from '../support/load/in-turn.ts';

test('InTurn accepts objects that come in turn, round after round', () => {
  const due = new InTurn(2);

  for (const key of ['bench/pod-0', 'bench/pod-1', 'bench/pod-0']) due.take(key);

  expect(due.told).toBe(3);
});

test.each([
  ['left out', ['pod-0', 'pod-2']],
  ['repeated', ['pod-0', 'pod-0']],
  ['not in the round', ['pod-0', 'pod-1', 'pod-2', 'pod-3']],
  ['without a number', ['pod']],
])('InTurn refuses an object that is %s', (_what, keys) => {
  const due = new InTurn(3);

  expect(() => keys.forEach((key) => void due.take(key))).toThrow(/events came pod/);
});

test('Ascending refuses numbers that are not in ascending order', () => {
  const times = new Ascending();
  times.take('at-1');
  times.take('at-3');

  expect(() => times.take('at-2')).toThrow('at-2 came after 3');
  expect(() => times.take('at-3')).toThrow('at-3 came after 3');
});
