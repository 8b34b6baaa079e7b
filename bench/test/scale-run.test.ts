import { expect, test } from 'vitest';
import type { Case } from '../scale/cases.ts';
import type { Figures } from '../scale/figures.ts';
import { type Ran, runCases } from '../scale/run.ts';

const code = { file: (name: string) => name, entry: '' };

function named(title: string, run: Case['run']): Case {
  return { scenario: 'sources', curve: 'a', at: 1, title, quick: true, run };
}

async function run(cases: readonly Case[], rounds: number, budgetMs = 60_000): Promise<Ran> {
  return await runCases({ cases, code, quick: true, rounds, budgetMs, progress: () => {} });
}

test('every round runs all cases, and every second round runs them in reverse order', async () => {
  const order: string[] = [];
  const noting = (title: string): Case =>
    named(title, async () => {
      order.push(title);
      return { syncMs: order.length };
    });
  const cases = [noting('a'), noting('b')];

  const { results, failures, leftOut } = await run(cases, 3);

  expect(order).toEqual(['a', 'b', 'b', 'a', 'a', 'b']);
  expect([failures, leftOut]).toEqual([[], []]);
  expect(results.summary({ scenario: 'sources', title: 'a' }, 'syncMs')).toEqual({
    ...{ median: 4, min: 1, max: 5, rounds: 3 },
  });
});

test('a failed run is reported, and other runs continue', async () => {
  const cases = [
    named('a', () => Promise.reject(new Error('an event was lost'))),
    named('b', () => Promise.resolve({ syncMs: 1 })),
  ];

  const { results, failures } = await run(cases, 1);

  expect(failures).toEqual(['sources, a: an event was lost']);
  expect(results.summary({ scenario: 'sources', title: 'b' }, 'syncMs')?.median).toBe(1);
});

test('cases that do not fit into the time limit are skipped, and do not count as failures', async () => {
  const untilTheEnd = (_code: unknown, deadline: AbortSignal): Promise<Figures> =>
    new Promise((_, reject) => {
      deadline.addEventListener('abort', () => reject(deadline.reason), { once: true });
    });
  const cases = [named('a', untilTheEnd), named('b', untilTheEnd)];

  const { failures, leftOut } = await run(cases, 2, 1);

  expect(failures).toEqual([]);
  expect(leftOut).toEqual(['sources, a: the time was over', 'sources, b: the time was over']);
});
