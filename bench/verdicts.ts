import type { FigureOf, Results } from './results.ts';
import { type Summary, summarise } from './statistics.ts';
import { TARGETS, type Target, type Term } from './targets.ts';

export interface Verdict {
  readonly target: Target;
  /**
   * The median is the figure of the target. Each round gives one value, from runs in direct succession, so
   * that a machine whose speed changes over minutes affects both sides. Undefined when a required figure was
   * not measured.
   */
  readonly figure: Summary | undefined;
  readonly met: boolean | undefined;
  /** The value that `--check` compares with the last release; undefined for a target without a reference. */
  readonly guarded: number | undefined;
}

/** Decides for each target whether the measured figures meet it. */
export function judge(results: Results, targets: readonly Target[] = TARGETS): readonly Verdict[] {
  return targets.map((target) => {
    const figure = figureOf(target, results);
    const met = figure === undefined ? undefined : isMet(target, figure.median);
    const by = target.by ?? target.guardBy;
    const guarded = by === undefined ? undefined : figureOf({ of: target.of, by }, results);
    return { target, figure, met, guarded: guarded?.median };
  });
}

/** Every figure that a target needs. */
export function sidesOf({ of, by, guardBy }: Target): readonly FigureOf[] {
  return [of, by, guardBy].flatMap((term) =>
    term === undefined ? [] : [term, ...(term.less === undefined ? [] : [term.less])],
  );
}

type Sides = Pick<Target, 'of' | 'by'>;

/** One value for each round; if no round has both sides, one value from the medians. */
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
