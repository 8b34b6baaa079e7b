import process from 'node:process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Model } from './model.ts';
import { check } from './model-checker.ts';
import { NO_FAILURES, type State } from './model-state.ts';
import { MAIN, SMALL } from './scenarios.ts';

test.each(
  Object.entries({ ...SMALL, ...MAIN }),
)('no group has two writers, and in the end each group is with its preferred member: %s', (name, options) => {
  const { broken, states, trace } = check(new Model(options));
  process.stdout.write(`${states} states: ${name}\n`);

  expect({ broken, trace: broken === undefined ? [] : trace }).toEqual({
    broken: undefined,
    trace: [],
  });
  expect(states).toBeGreaterThan(1_000);
});

test('[SH-1] with eight members and four groups, random failures break no rule, and afterwards every group gets a holder', () => {
  const budgets = {
    ...NO_FAILURES,
    crashes: 2,
    pauses: 3,
    delays: 3,
    changes: 3,
    stuck: 1,
    shutdowns: 2,
    deletions: 1,
  };
  const model = new Model({ generations: [0, 0, 0, 0, 0, 0, 1, 1], groups: 4, late: 3, budgets });
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 50, maxLength: 400 }), (choices) => {
      let state = model.initial();
      const go = (run: () => State): void => {
        state = run();
        expect(model.broken(state)).toBeUndefined();
      };
      for (const choice of choices) {
        const next = model.next(state);
        const chosen = next[choice % next.length];
        if (chosen !== undefined) go(chosen.run);
      }
      for (let steps = 0; steps < 2_000 && !model.isAtRest(state); steps++) {
        const fair = model.next(state).find(({ isFailure }) => !isFailure);
        if (fair !== undefined) go(fair.run);
      }

      expect(model.isAtRest(state)).toBe(true);
    }),
  );
});
