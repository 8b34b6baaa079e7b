import { expect, test } from 'vitest';
import { eventually } from '../src/eventually.ts';

test('answers with what the probe answers, once it is neither false nor undefined', async () => {
  const answers = [undefined, false, 0];

  const answer = await eventually(() => answers.shift());

  expect(answer).toBe(0);
});

test('takes a probe that throws for one that does not hold yet', async () => {
  let calls = 0;

  const answer = await eventually(async () => {
    if (++calls < 3) throw new Error('not yet');
    return 'done';
  });

  expect(answer).toBe('done');
});

test('[T-4] gives up, and says why the probe failed last', async () => {
  const waiting = eventually(
    () => {
      throw new Error('still no Pod');
    },
    { timeoutMs: 30 },
  );

  await expect(waiting).rejects.toMatchObject({
    message: 'not within 30 ms: still no Pod',
    cause: { message: 'still no Pod' },
  });
});

test('a probe that never answers is given up as well', async () => {
  const failure = eventually(() => new Promise<true>(() => {}), { timeoutMs: 30 });

  await expect(failure).rejects.toMatchObject({ message: expect.stringContaining('within 30 ms') });
});
