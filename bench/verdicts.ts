import type { FigureOf, Results } from './results.ts';
import { type Summary, summarise } from './statistics.ts';
import { TARGETS, type Target, type Term } from './targets.ts';

export interface Verdict {
  readonly target: Target;
  /**
   * Its median is the figure of the target. Each round gives one, of runs that were made one after the
   * other: a machine whose speed changes over minutes changes both sides of it. Undefined when something
   * that it needs has not been measured.
   */
  readonly figure: Summary | undefined;
  readonly met: boolean | undefined;
  /** What a release is held to: undefined for a target that has no reference in the same run. */
  readonly guarded: number | undefined;
}

/** Whether each target is met by what has been measured. */
export function judge(results: Results, targets: readonly Target[] = TARGETS): readonly Verdict[] {
  return targets.map((target) => {
    const figure = figureOf(target, results);
    const met = figure === undefined ? undefined : isMet(target, figure.median);
    const by = target.by ?? target.guardBy;
    const guarded = by === undefined ? undefined : figureOf({ of: target.of, by }, results);
    return { target, figure, met, guarded: guarded?.median };
  });
}

/** Everything that a target needs to be measured. */
export function sidesOf({ of, by, guardBy }: Target): readonly FigureOf[] {
  return [of, by, guardBy].flatMap((term) =>
    term === undefined ? [] : [term, ...(term.less === undefined ? [] : [term.less])],
  );
}

type Sides = Pick<Target, 'of' | 'by'>;

/** Round by round; where no round has both sides, one figure of the medians. */
function figureOf(sides: Sides, results: Results): Summary | undefined {
  const paired = results.rounds.map((round) =>
    quotient(sides, (side) => results.inRound(round, side)),
  );
  return (
    summarise(paired.filter((value) => value !== undefined)) ??
    summarise([quotient(sides, (side) => results.summary(side)?.median) ?? []].flat())
  );
}

type ReadSide = (side: FigureOf) => number | undefined;

function quotient({ of, by }: Sides, readSide: ReadSide): number | undefined {
  const value = amountOf(of, readSide);
  if (by === undefined || value === undefined) return value;
  const reference = amountOf(by, readSide);
  return reference === undefined ? undefined : value / reference;
}

function amountOf({ less, over = 1, ...side }: Term, readSide: ReadSide): number | undefined {
  const value = readSide(side);
  const base = less === undefined ? 0 : readSide(less);
  return value === undefined || base === undefined ? undefined : (value - base) / over;
}

function isMet({ atLeast, atMost }: Target, figure: number): boolean {
  if (atLeast !== undefined && !(figure >= atLeast)) return false;
  return atMost === undefined || figure <= atMost;
}
