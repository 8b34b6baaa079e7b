/** Which guarantees the tests have shown that ran, over all lanes. */
import { relative, sep } from 'node:path';
import { type Guarantee, isTagged } from '../guarantees/guarantees.ts';
import type { Report, TestResult } from './vitest-report.ts';

export type Found = 'absent' | 'skipped in every lane' | 'failed';

export interface Missing {
  readonly tag: string;
  readonly file: string;
  readonly found: Found;
}

export interface Judgement {
  readonly missing: readonly Missing[];
  /** How many tests have passed of those that hold a guarantee. */
  readonly tests: number;
}

/** In how many lanes a test has passed and failed. */
interface Tally {
  passed: number;
  failed: number;
}

/**
 * A guarantee is shown by a file when a test with its tag has passed in a lane, and none with it has
 * failed in every lane in which it ran.
 *
 * @param root - of the repository: an absolute path, under which the reports have their files.
 */
export function judge(
  guarantees: readonly Guarantee[],
  reports: readonly Report[],
  root: string,
): Judgement {
  const tallies = talliesOf(reports, root);
  const missing: Missing[] = [];
  const shown = new Set<Tally>();
  for (const guarantee of guarantees) {
    for (const file of guarantee.files) {
      const tagged = [...(tallies.get(file) ?? [])]
        .filter(([fullName]) => isTagged(fullName, guarantee))
        .map(([, tally]) => tally);
      const found = lackOf(tagged);
      if (found !== undefined) missing.push({ tag: guarantee.tag, file, found });
      for (const tally of tagged) if (tally.passed > 0) shown.add(tally);
    }
  }
  return { missing, tests: shown.size };
}

function lackOf(tagged: readonly Tally[]): Found | undefined {
  if (tagged.length === 0) return 'absent';
  if (tagged.some(({ passed, failed }) => failed > 0 && passed === 0)) return 'failed';
  if (tagged.every(({ passed }) => passed === 0)) return 'skipped in every lane';
  return undefined;
}

/** File, from the root of the repository, → full name of a test → what became of it. */
function talliesOf(
  reports: readonly Report[],
  root: string,
): ReadonlyMap<string, ReadonlyMap<string, Tally>> {
  const tallies = new Map<string, Map<string, Tally>>();
  for (const { name, assertionResults } of reports.flatMap(({ testResults }) => testResults)) {
    const file = relative(root, name).split(sep).join('/');
    const ofFile = tallies.get(file) ?? new Map<string, Tally>();
    tallies.set(file, ofFile);
    for (const [fullName, outcome] of outcomesOf(assertionResults)) {
      const tally = ofFile.get(fullName) ?? { passed: 0, failed: 0 };
      ofFile.set(fullName, tally);
      if (outcome !== 'skipped') tally[outcome] += 1;
    }
  }
  return tallies;
}

type Outcome = 'passed' | 'failed' | 'skipped';

/** Cases of one table may have one name: of these a failed one counts, then one that has passed. */
function outcomesOf(tests: readonly TestResult[]): ReadonlyMap<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const { fullName, status } of tests) {
    const outcome = status === 'passed' || status === 'failed' ? status : 'skipped';
    const before = outcomes.get(fullName) ?? 'skipped';
    if (before === 'skipped' || outcome === 'failed') outcomes.set(fullName, outcome);
  }
  return outcomes;
}
