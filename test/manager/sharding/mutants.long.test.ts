import { expect, test } from 'vitest';
import { Model } from './model.ts';
import { check } from './model-checker.ts';
import { mutants } from './mutants.ts';
import { SMALL } from './scenarios.ts';

/** Changes that make no difference, and why. */
const EQUIVALENT: Readonly<Record<string, string>> = {
  'warming, unpreferred: nothing happens': 'the list ends, and then the owner drains',
  'warming, generation-lost: nothing happens': 'the next observation says it again, to the owner',
  'warming, lost: no release': 'a term that is over is not released',
};

function isFound(transitions: ReturnType<typeof mutants>[number]['transitions']): boolean {
  return Object.values(SMALL).some(
    (options) => check(new Model({ ...options, transitions })).broken !== undefined,
  );
}

test('the model checker finds every mutated transition that makes a difference', {
  timeout: 200_000, // it computes all the time, and other processes may compute, too
}, () => {
  const all = mutants();
  const missed = all.filter(({ transitions }) => !isFound(transitions));

  expect(all.length).toBeGreaterThan(100);
  expect(missed.map(({ title }) => title).sort()).toEqual(Object.keys(EQUIVALENT).sort());
});
