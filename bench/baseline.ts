import { FIGURES } from './figures.ts';
import type { Verdict } from './verdicts.ts';

/** The ratios of the last release, by target. Each is a figure divided by a reference from the same run. */
export type Baseline = Readonly<Record<string, number>>;

/** How much worse than at the last release a ratio may be without a report: the noise of three rounds. */
const TOLERANCE = 0.2;
/** The same for bytes, which are nearly equal in every run. */
const TOLERANCE_BYTES = 0.1;
/**
 * A ratio below this share of its upper bound never counts as worse. Such ratios come from memory that a
 * process happened to keep, and may differ by a multiple.
 */
const NEXT_TO_NOTHING = 0.25;

/** @throws Error when the text is no baseline. */
export function parseBaseline(text: string): Baseline {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && 'ratios' in value) {
    const { ratios } = value;
    if (isRatios(ratios)) return ratios;
  }
  throw new Error('a baseline needs "ratios", a number for each target');
}

function isRatios(value: unknown): value is Baseline {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((ratio) => typeof ratio === 'number')
  );
}

/**
 * The baseline of a release, in the form in which it is committed. Targets that were not measured this time
 * keep their ratio from `old`. Targets that no longer exist are removed.
 */
export function formatBaseline(old: Baseline, verdicts: readonly Verdict[]): string {
  const ratios = Object.fromEntries(
    verdicts.flatMap(({ target: { id }, guarded = old[id] }) =>
      guarded === undefined ? [] : [[id, Number(guarded.toPrecision(3))]],
    ),
  );
  return `${JSON.stringify({ ratios }, null, 2)}\n`;
}

/**
 * A line for each target that is worse than at the last release. It is worse when its ratio is beyond the
 * tolerance, when it was requested and not measured, or when it no longer exists.
 *
 * @param isAsked - true when a target was requested.
 */
export function regressions(
  baseline: Baseline,
  verdicts: readonly Verdict[],
  isAsked: (verdict: Verdict) => boolean = () => true,
): readonly string[] {
  return Object.entries(baseline).flatMap(([id, then]) => {
    const verdict = verdicts.find(({ target }) => target.id === id);
    if (verdict === undefined)
      return [`${id}: in the baseline with ${then}, and no target any more`];
    const { title } = verdict.target;
    const now = verdict.guarded;
    if (now === undefined) {
      return isAsked(verdict) ? [`${id} (${title}): baseline ${then}, not measured now`] : [];
    }
    const percent = toleranceOf(verdict) * 100;
    return isWorse(verdict, then, now)
      ? [`${id} (${title}): baseline ${then}, now ${round(now)}: worse by more than ${percent} %`]
      : [];
  });
}

function isWorse(verdict: Verdict, then: number, now: number): boolean {
  const tolerance = toleranceOf(verdict);
  const { atLeast, atMost = 0 } = verdict.target;
  if (atLeast !== undefined) return now < then * (1 - tolerance);
  return now > then * (1 + tolerance) && now > atMost * NEXT_TO_NOTHING;
}

function toleranceOf({ target }: Verdict): number {
  return FIGURES[target.of.figure].kind === 'memory' ? TOLERANCE_BYTES : TOLERANCE;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
