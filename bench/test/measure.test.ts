import { expect, test } from 'vitest';
import { measureAll, timeFor } from '../measure.ts';
import { plan } from '../plan.ts';
import type { Work } from '../works.ts';

const work: Work = { profile: 'pod', objects: 1, subjects: ['drain', 'python'] };
const runs = plan({ works: { pod: work }, rounds: 2, only: [] });
const side = { work: 'pod', subject: 'drain', figure: 'syncMs' } as const;

test('the figures of each run are stored under its round, and each run prints its progress', async () => {
  const lines: string[] = [];

  const { results, failures, leftOut } = await measureAll(runs, {
    time: timeFor(undefined),
    make: async ({ round }) => ({ syncMs: round * 10 }),
    progress: (line) => lines.push(line),
  });

  expect(results.inRound(1, side)).toBe(10);
  expect(results.inRound(2, side)).toBe(20);
  expect(lines[3]).toMatch(/^4 of 4: round 2, pod, drain: .* s, .* s in all$/);
  expect([...failures, ...leftOut]).toEqual([]);
});

test('figures, progress and failures distinguish the old build from the new build', async () => {
  const lines: string[] = [];
  const pairs = plan({
    works: { pod: { ...work, subjects: ['chancery-object'] } },
    ...{ rounds: 1, only: [], inPairs: true },
  });

  const { results, failures } = await measureAll([...pairs, ...pairs], {
    time: timeFor(undefined),
    make: async ({ build }) => {
      if (build === 'old' && lines.length > 2) throw new Error('it ended with 1');
      return { syncMs: build === 'old' ? 20 : 10 };
    },
    progress: (line) => lines.push(line),
  });

  const ours = { ...side, subject: 'chancery-object' } as const;
  expect(results.inRound(1, ours)).toBe(10);
  expect(results.inRound(1, { ...ours, build: 'old' })).toBe(20);
  expect(lines[1]).toMatch(/^2 of 4: round 1, pod, chancery-object \(old\): /);
  expect(failures).toEqual(['round 1, pod, chancery-object (old): it ended with 1']);
});

test('a failed run is reported, and the remaining runs still take place', async () => {
  const { results, failures } = await measureAll(runs, {
    time: timeFor(undefined),
    make: async ({ subjectName }) => {
      if (subjectName === 'python') throw new Error('it ended with 1');
      return { syncMs: 1 };
    },
    progress: () => {},
  });

  expect(failures).toEqual([
    'round 1, pod, python: it ended with 1',
    'round 2, pod, python: it ended with 1',
  ]);
  expect(results.summary(side)?.rounds).toBe(2);
});

test('when the time is over, the current run is stopped and all later runs are skipped', async () => {
  const end = new AbortController();

  const { results, failures, leftOut } = await measureAll(runs, {
    time: { leftMs: () => 1e6, deadline: end.signal },
    make: async ({ subjectName }, deadline) => {
      if (subjectName === 'drain') return { syncMs: 1 };
      end.abort();
      deadline.throwIfAborted();
      return {};
    },
    progress: () => {},
  });

  expect(results.summary(side)?.rounds).toBe(1);
  expect(failures).toEqual([]);
  expect(leftOut).toEqual(runs.slice(1));
});

test('a run is not started in the next round if it took longer than the remaining time', async () => {
  const { results, leftOut } = await measureAll(runs, {
    time: { leftMs: () => 0, deadline: new AbortController().signal },
    make: async () => ({ syncMs: 1 }),
    progress: () => {},
  });

  expect(results.summary(side)?.rounds).toBe(1);
  expect(leftOut).toEqual(runs.slice(2));
});
