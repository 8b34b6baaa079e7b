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

test('every second round runs the subjects in reverse order', () => {
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

test('our subjects run with the new and the old build in alternating order, and other subjects run once', () => {
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

test('a subject selected by --only still runs with both the new and the old build', () => {
  const runs = plan({
    works: { pod: work },
    rounds: 1,
    only: ['chancery-envelope'],
    inPairs: true,
  });

  expect(namesOf(runs)).toEqual(['1 pod chancery-envelope', '1 pod chancery-envelope (old)']);
});

test('a comparison of builds measures syncs, bursts, hot keys and relists of Pods and ConfigMaps', () => {
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

test('a workload with a lower number of rounds does not run in later rounds', () => {
  const once = { ...work, rounds: 1, subjects: ['drain'] } as const;

  const runs = plan({
    works: { pod: { ...work, subjects: ['drain'] }, once },
    rounds: 2,
    only: [],
  });

  expect(namesOf(runs)).toEqual(['1 pod drain', '1 once drain', '2 pod drain']);
});

test('with a subject and a workload in --only, only this subject runs, and only in this workload', () => {
  const works = { pod: work, other: work };

  const runs = plan({ works, rounds: 1, only: ['drain', 'other'] });

  expect(namesOf(runs)).toEqual(['1 other drain']);
});

test('every subject is in a workload, and no name belongs to both a subject and a workload', () => {
  const working = new Set(Object.values(WORKS).flatMap(({ subjects }) => subjects));

  expect([...working].sort()).toEqual([...SUBJECT_NAMES].sort());
  expect(SUBJECT_NAMES.filter((name) => Object.hasOwn(WORKS, name))).toEqual([]);
});

test.each([
  ['all', WORKS],
  ['quick', quickWorks()],
])('the workloads of the plan "%s" contain every subject that a target compares', (_name, works) => {
  const sides = TARGETS.flatMap(sidesOf);

  const missing = sides.filter(({ work, subject }) => !works[work]?.subjects.includes(subject));

  expect(missing).toEqual([]);
});
