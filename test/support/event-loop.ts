import { onTestFinished } from 'vitest';

/** Calls `look` in every turn of the event loop until the test ends. */
export function inEveryTurn(look: () => void): void {
  let turn = setImmediate(function next() {
    look();
    turn = setImmediate(next);
  });
  onTestFinished(() => clearImmediate(turn));
}

/** Counts what happens, by turn. */
export function perTurn(): {
  count: (amount: number) => void;
  most: () => number;
  total: () => number;
} {
  let most = 0;
  let total = 0;
  let now = 0;
  inEveryTurn(() => {
    now = 0;
  });
  return {
    count: (amount) => {
      total += amount;
      now += amount;
      most = Math.max(most, now);
    },
    most: () => most,
    total: () => total,
  };
}
