import process from 'node:process';
import { expect, test } from 'vitest';
import { Model } from './model.ts';
import { check } from './model-checker.ts';
import { LARGE } from './scenarios.ts';

test.each(
  Object.entries(LARGE),
)('no group has two writers, and in the end each group is with its preferred member: %s', (name, options) => {
  const { broken, states, trace } = check(new Model(options));
  process.stdout.write(`${states} states: ${name}\n`);

  expect({ broken, trace: broken === undefined ? [] : trace }).toEqual({
    broken: undefined,
    trace: [],
  });
  expect(states).toBeGreaterThan(100_000);
});
