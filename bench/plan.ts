import { type Build, isOurs, type SubjectName } from './subjects.ts';
import type { Work, WorkName } from './works.ts';

/** One run: one subject does one work once. */
export interface PlannedRun {
  readonly round: number;
  readonly workName: WorkName;
  readonly work: Work;
  readonly subjectName: SubjectName;
  readonly build: Build;
}

export interface PlanOptions {
  readonly works: Readonly<Record<WorkName, Work>>;
  readonly rounds: number;
  /** Names of subjects, of works, or both; empty for all. */
  readonly only: readonly string[];
  /** Run each subject of Chancery twice in succession: new and old. Default: once, new. */
  readonly inPairs?: boolean;
}

/**
 * The runs in their order: A B A B, with every second round reversed. A machine that becomes slower, warmer
 * or busier then affects all subjects alike.
 */
export function plan({ works, rounds, only, inPairs = false }: PlanOptions): readonly PlannedRun[] {
  const buildsOf = (name: SubjectName): readonly Build[] =>
    inPairs && isOurs(name) ? ['new', 'old'] : ['new'];
  const chosenWorks = only.filter((name) => Object.hasOwn(works, name));
  const chosenSubjects = only.filter((name) => !Object.hasOwn(works, name));
  const once = Object.entries(works)
    .filter(([name]) => chosenWorks.length === 0 || chosenWorks.includes(name))
    .map(([workName, work]) =>
      work.subjects
        .filter((name) => chosenSubjects.length === 0 || chosenSubjects.includes(name))
        .flatMap((subjectName) =>
          buildsOf(subjectName).map((build) => ({ workName, work, subjectName, build })),
        ),
    );
  return Array.from({ length: rounds }, (_, index) => index + 1).flatMap((round) =>
    once.flatMap((runs) =>
      (round % 2 === 1 ? runs : runs.toReversed())
        .filter(({ work }) => round <= (work.rounds ?? rounds))
        .map((run) => ({ round, ...run })),
    ),
  );
}

/** The name of a run in progress lines. */
export function nameOf({
  workName,
  subjectName,
  build,
}: Pick<PlannedRun, 'workName' | 'subjectName' | 'build'>): string {
  return `${workName}, ${subjectName}${build === 'old' ? ' (old)' : ''}`;
}
