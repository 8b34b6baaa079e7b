import { expect, test } from 'vitest';
import { consistently } from '../../src/time/consistently.ts';

test('`consistently` returns the last result of its probe after the whole time', async () => {
  let answers = 0;
  const startedAt = performance.now();

  const last = await consistently(() => ++answers, { forMs: 40 });

  expect(last).toBe(answers);
  expect(answers).toBeGreaterThan(1);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(40);
});

test.each([
  ['false', () => false],
  ['undefined', () => undefined],
])('`consistently` fails at once if its probe returns %s', async (_what, probe) => {
  await expect(consistently(probe, { forMs: 60_000 })).rejects.toMatchObject({
    code: 'USER_CODE',
    message: expect.stringMatching(/^only for \d+ ms: the condition does not hold$/),
  });
});

test('[T-4] `consistently` fails with the error of a probe that throws later', async () => {
  const cause = new Error('two Pods');
  let left = 3;

  const failure = consistently(
    () => {
      left -= 1;
      if (left === 0) throw cause;
      return true;
    },
    { forMs: 60_000 },
  );

  await expect(failure).rejects.toMatchObject({
    message: expect.stringContaining('two Pods'),
    cause,
  });
});
