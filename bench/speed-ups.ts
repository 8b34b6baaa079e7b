import { FIGURE_NAMES, FIGURES, type FigureKind, type FigureName } from './figures.ts';
import type { PlannedRun } from './plan.ts';
import type { FigureOf, Results } from './results.ts';
import { type RatioInterval, ratioInterval } from './statistics.ts';
import type { SubjectName } from './subjects.ts';
import type { WorkName } from './works.ts';

/** How many times better one side is than the other, from runs of the same rounds. */
export interface SpeedUp {
  readonly of: FigureOf;
  readonly by: FigureOf;
  /** Above 1 when `of` is better. Undefined when no round has both sides. */
  readonly ratio: RatioInterval | undefined;
  /** The bound: the lower end of the interval must not be below it. Undefined for a row without a bound. */
  readonly atLeast: number | undefined;
  readonly verdict: SpeedUpVerdict;
}

/**
 * `missed`: the whole interval is below the bound. `undecided`: the interval contains the bound, and its
 * lower end is below it. `free`: there is no bound.
 */
export type SpeedUpVerdict = 'met' | 'missed' | 'undecided' | 'free' | 'not measured';

/** Bounds for the lower end of new by old. Memory and events/s have no bound. */
const AT_LEAST: Readonly<Partial<Record<FigureKind, number>>> = { CPU: 0.95, time: 0.9 };

const READER: SubjectName = 'chancery-object';
const REFERENCE: SubjectName = 'client-node';
/** Bounds for the lower end of events/s compared with client-node, for a handler that reads every object. */
const READER_AT_LEAST: Readonly<Record<WorkName, number>> = {
  'config-map-50k': 1.3,
  'pod-10k': 1.7,
};

/** New compared with old: each planned pair, with every figure that any subject has at that work. */
export function speedUps(results: Results, runs: readonly PlannedRun[]): readonly SpeedUp[] {
  return runs
    .filter(({ round, build }) => round === 1 && build === 'old')
    .flatMap(({ workName: work, subjectName: subject }) =>
      figuresAt(work, results, runs).map((figure) => {
        const of = { work, subject, figure } as const;
        const by = { ...of, build: 'old' } as const;
        return speedUp(results, { of, by, atLeast: AT_LEAST[FIGURES[figure].kind] });
      }),
    );
}

/** Events/s of the handler that reads every object, compared with client-node. */
export function byClientNode(results: Results, runs: readonly PlannedRun[]): readonly SpeedUp[] {
  const isPlanned = (work: WorkName, name: SubjectName): boolean =>
    runs.some(({ workName, subjectName }) => workName === work && subjectName === name);
  return worksOf(runs)
    .filter((work) => isPlanned(work, READER) && isPlanned(work, REFERENCE))
    .flatMap((work) =>
      figuresAt(work, results, runs)
        .filter((figure) => FIGURES[figure].kind === 'events/s')
        .map((figure) => {
          const atLeast = figure === 'eventsPerSecond' ? READER_AT_LEAST[work] : undefined;
          const of = { work, subject: READER, figure } as const;
          return speedUp(results, { of, by: { ...of, subject: REFERENCE }, atLeast });
        }),
    );
}

/** Works for which no run has a figure: they have no rows. */
export function worksWithout(results: Results, runs: readonly PlannedRun[]): readonly WorkName[] {
  return worksOf(runs).filter((work) => figuresAt(work, results, runs).length === 0);
}

/** True when a row does not clearly meet its bound, or lacks a figure. */
export function isLacking({ verdict }: SpeedUp): boolean {
  return verdict !== 'met' && verdict !== 'free';
}

function worksOf(runs: readonly PlannedRun[]): readonly WorkName[] {
  return [...new Set(runs.map(({ workName }) => workName))];
}

/** Includes figures that only one side has. */
function figuresAt(
  work: WorkName,
  results: Results,
  runs: readonly PlannedRun[],
): readonly FigureName[] {
  const there = runs.filter(({ workName }) => workName === work);
  return FIGURE_NAMES.filter((figure) =>
    there.some(({ subjectName: subject, build }) =>
      results.summary({ work, subject, figure, build }),
    ),
  );
}

function speedUp(
  results: Results,
  { of, by, atLeast }: Pick<SpeedUp, 'of' | 'by' | 'atLeast'>,
): SpeedUp {
  const ratios = results.rounds.flatMap((round) => {
    const [ours = 0, other = 0] = [results.inRound(round, of), results.inRound(round, by)];
    if (!(ours > 0 && other > 0)) return []; // a side that is 0 has no ratio
    return [FIGURES[of.figure].kind === 'events/s' ? ours / other : other / ours];
  });
  const ratio = ratioInterval(ratios);
  return { of, by, ratio, atLeast, verdict: verdictOn(ratio, atLeast) };
}

function verdictOn(ratio: RatioInterval | undefined, atLeast: number | undefined): SpeedUpVerdict {
  if (ratio === undefined) return 'not measured';
  if (atLeast === undefined) return 'free';
  if (ratio.low >= atLeast) return 'met';
  return ratio.high < atLeast ? 'missed' : 'undecided';
}
