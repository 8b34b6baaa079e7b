import { expect, test } from 'vitest';
import { plan } from '../plan.ts';
import { SUBJECT_NAMES } from '../subjects.ts';
import { TARGETS } from '../targets.ts';
import { sidesOf } from '../verdicts.ts';
import { quickWorks, WORKS, type Work } from '../works.ts';

const work: Work = {
  profile: 'pod',
  objects: 10,
  subjects: ['chancery-envelope', 'client-node', 'drain'],
};
const namesOf = (runs: ReturnType<typeof plan>): readonly string[] =>
  runs.map(({ round, workName, subjectName }) => `${round} ${workName} ${subjectName}`);

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
