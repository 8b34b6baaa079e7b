/**
 * Filters give the same results as in gojq, which the contract of hooks is written for.
 *
 * @module-tag gojq
 */
import { spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../operator/core/clock.ts';
import { createJq } from '../../src/jq/create-jq.ts';
import type { JqOutcome } from '../../src/jq/jq.ts';
import { DIFFERENT, INPUTS, PROGRAMS } from './programs.ts';

const { signal } = new AbortController();

type Result = readonly string[] | 'error';

/** What gojq prints for one input. */
function byGojq(program: string, input: string): Result {
  const { status, stdout } = spawnSync('gojq', ['-c', program], {
    input,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
    timeout: 10_000,
  });
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : 'error';
}

async function byUs(programs: readonly string[]): Promise<ReadonlyMap<string, readonly Result[]>> {
  const jq = createJq({ clock: systemClock });
  onTestFinished(() => jq.close());
  const results = new Map<string, readonly Result[]>();
  for (const program of programs) {
    const outcomes = await jq.run(program, INPUTS, signal).catch(() => undefined);
    results.set(program, outcomes?.map(resultOf) ?? INPUTS.map(() => 'error' as const));
  }
  return results;
}

function resultOf(outcome: JqOutcome): Result {
  return 'outputs' in outcome ? outcome.outputs : 'error';
}

test(`jq: ${PROGRAMS.length} programs have the same results as with gojq`, {
  timeout: 180_000,
}, async () => {
  const ours = await byUs(PROGRAMS);
  const unequal = PROGRAMS.flatMap((program) =>
    INPUTS.flatMap((input, at) => {
      const [expected, got] = [byGojq(program, input), ours.get(program)?.[at]];
      return JSON.stringify(expected) === JSON.stringify(got)
        ? []
        : [{ program, input, expected, got }];
    }),
  );
  expect(unequal).toEqual([]);
});

test('jq: the listed differences from gojq still exist', { timeout: 180_000 }, async () => {
  const programs = DIFFERENT.map(({ program }) => program);
  const ours = await byUs(programs);
  const found = DIFFERENT.filter(({ program }) =>
    INPUTS.some(
      (input, at) =>
        JSON.stringify(byGojq(program, input)) !== JSON.stringify(ours.get(program)?.[at]),
    ),
  );
  expect(found.map(({ program }) => program)).toEqual(programs);
});
