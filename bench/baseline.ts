import type { Verdict } from './targets.ts';

/** The targets that the last release has met. */
export interface Baseline {
  readonly met: readonly string[];
}

/** @throws Error when the text is no baseline. */
export function parseBaseline(text: string): Baseline {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && 'met' in value && Array.isArray(value.met)) {
    return { met: value.met.map(String) };
  }
  throw new Error('a baseline needs "met", a list of targets');
}

/** What a release with these verdicts leaves behind, in the form in which it is committed. */
export function formatBaseline(verdicts: readonly Verdict[]): string {
  const met = verdicts.filter((verdict) => verdict.met).map(({ target }) => target.id);
  return `${JSON.stringify({ met }, null, 2)}\n`;
}

/**
 * What is worse than at the last release, a line for each: a target that is missed now, and one that
 * was not measured or is gone, for then nobody knows.
 */
export function regressions(baseline: Baseline, verdicts: readonly Verdict[]): readonly string[] {
  return baseline.met.flatMap((id) => {
    const verdict = verdicts.find(({ target }) => target.id === id);
    if (verdict?.met) return [];
    const what = verdict?.met === false ? `is missed with ${verdict.figure}` : 'was not measured';
    return [`${id} was met at the last release, and ${what}`];
  });
}
