import { expect, test } from 'vitest';
import { nameOf, plan } from '../plan.ts';
import { SUBJECT_NAMES } from '../subjects.ts';
import { TARGETS } from '../targets.ts';
import { sidesOf } from '../verdicts.ts';
import { quickWorks, WORKS, type Work, worksInPairs } from '../works.ts';

const work: Work = {
  profile: 'pod',
  objects: 10,
  subjects: ['chancery-envelope', 'client-node', 'drain'],
};
const namesOf = (runs: ReturnType<typeof plan>): readonly string[] =>
  runs.map((planned) => `${planned.round} ${nameOf(planned).replace(',', '')}`);

test('rounds alternate between the subjects, every other one backwards', () => {
  const runs = plan({ works: { pod: work }, rounds: 2, only: [] });

  expect(namesOf(runs)).toEqual([
    '1 pod chancery-envelope',
    '1 pod client-node',
    '1 pod drain',
    '2 pod drain',
    '2 pod client-node',
    '2 pod chancery-envelope',
  ]);
});

test('in pairs ours runs as new and as old, and which of them is first alternates; others run once', () => {
  const runs = plan({ works: { pod: work }, rounds: 3, only: [], inPairs: true });

  expect(namesOf(runs)).toEqual([
    '1 pod chancery-envelope',
    '1 pod chancery-envelope (old)',
    '1 pod client-node',
    '1 pod drain',
    '2 pod drain',
    '2 pod client-node',
    '2 pod chancery-envelope (old)',
    '2 pod chancery-envelope',
    '3 pod chancery-envelope',
    '3 pod chancery-envelope (old)',
    '3 pod client-node',
    '3 pod drain',
  ]);
});

test('a subject that is named stays a pair', () => {
  const runs = plan({
    works: { pod: work },
    rounds: 1,
    only: ['chancery-envelope'],
    inPairs: true,
  });

  expect(namesOf(runs)).toEqual(['1 pod chancery-envelope', '1 pod chancery-envelope (old)']);
});

test('in pairs Pods and ConfigMaps are synced, sent bursts over all and hot keys, and relisted', () => {
  const works = worksInPairs();

  expect(Object.keys(works)).toEqual(['pod-100', 'pod-10k', 'config-map-50k']);
  for (const name of ['pod-10k', 'config-map-50k']) {
    expect(works[name]).toMatchObject({
      burst: WORKS[name]?.burst,
      hot: WORKS[name]?.hot,
      relist: true,
      subjects: ['client-node', 'chancery-object', 'chancery-envelope', 'chancery-reconcile'],
    });
  }
});

test('a work for which fewer rounds are enough has no more', () => {
  const once = { ...work, rounds: 1, subjects: ['drain'] } as const;

  const runs = plan({
    works: { pod: { ...work, subjects: ['drain'] }, once },
    rounds: 2,
    only: [],
  });

  expect(namesOf(runs)).toEqual(['1 pod drain', '1 once drain', '2 pod drain']);
});

test('a work and a subject that are named leave the runs that are both', () => {
  const works = { pod: work, other: work };

  const runs = plan({ works, rounds: 1, only: ['drain', 'other'] });

  expect(namesOf(runs)).toEqual(['1 other drain']);
});

test('everybody has work, and no name is both a subject and a work', () => {
  const working = new Set(Object.values(WORKS).flatMap(({ subjects }) => subjects));

  expect([...working].sort()).toEqual([...SUBJECT_NAMES].sort());
  expect(SUBJECT_NAMES.filter((name) => Object.hasOwn(WORKS, name))).toEqual([]);
});

test.each([
  ['all', WORKS],
  ['quick', quickWorks()],
])('%s work has every subject that a target compares', (_name, works) => {
  const sides = TARGETS.flatMap(sidesOf);

  const missing = sides.filter(({ work, subject }) => !works[work]?.subjects.includes(subject));

  expect(missing).toEqual([]);
});
