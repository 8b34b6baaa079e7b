import { FIGURES } from './figures.ts';
import type { Verdict } from './verdicts.ts';

/** The ratios of the last release, by target: what was measured by a reference in the same run. */
export type Baseline = Readonly<Record<string, number>>;

/** How much worse a ratio may be than at the last release before it is told: noise of three rounds. */
const TOLERANCE = 0.2;
/** Bytes are nearly the same in every run. */
const TOLERANCE_BYTES = 0.1;
/**
 * What is below so much of its bound is as good as nothing: two such ratios, of what a process happened to
 * have left over, may be multiples of each other.
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
 * What a release leaves behind, in the form in which it is committed. What was not measured this time
 * stays as it was in `old`, unless its target is gone.
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
 * What is worse than at the last release, a line for each: a ratio that is beyond its tolerance, and one
 * that was asked for and not measured, or whose target is gone, for then nobody knows.
 *
 * @param isAsked - whether a target was to be measured.
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
