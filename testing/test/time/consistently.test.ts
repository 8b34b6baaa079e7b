import { expect, test } from 'vitest';
import { consistently } from '../../src/time/consistently.ts';

test('what holds all the time resolves to its last answer, after that time', async () => {
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
])('%s fails at once', async (_what, probe) => {
  await expect(consistently(probe, { forMs: 60_000 })).rejects.toMatchObject({
    code: 'USER_CODE',
    message: expect.stringMatching(/^only for \d+ ms: the condition does not hold$/),
  });
});

test('[T-4] what holds at first and then throws fails with that as its cause', async () => {
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
