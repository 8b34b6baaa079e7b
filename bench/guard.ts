import { readFile, writeFile } from 'node:fs/promises';
import { type Baseline, formatBaseline, parseBaseline, regressions } from './baseline.ts';
import type { Verdict } from './verdicts.ts';

export interface GuardOptions {
  /** Where the baseline is. */
  readonly path: string;
  readonly check: boolean;
  readonly accept: boolean;
  /** Whether a target was to be measured. */
  readonly isAsked: (verdict: Verdict) => boolean;
  readonly progress: (line: string) => void;
}

/**
 * Compares ratios with the baseline, makes them the baseline, or both in this order.
 *
 * @returns how many are worse.
 * @throws Error when there is no baseline to compare with, or what is there is none.
 */
export async function guard(
  verdicts: readonly Verdict[],
  { path, check, accept, isAsked, progress }: GuardOptions,
): Promise<number> {
  if (!check && !accept) return 0;
  const baseline = await readBaseline(path, { required: check });
  const worse = check ? regressions(baseline, verdicts, isAsked) : [];
  for (const line of worse) progress(`worse than the baseline: ${line}`);
  const compared = verdicts.filter(
    ({ target, guarded }) => guarded !== undefined && target.id in baseline,
  );
  if (check) progress(`${compared.length} ratios compared, ${worse.length} worse: ${path}`);
  if (accept) await writeFile(path, formatBaseline(baseline, verdicts));
  return worse.length;
}

/** @throws Error when there is none and it is `required`, or when what is there is none. */
export async function readBaseline(
  path: string,
  { required }: { readonly required: boolean },
): Promise<Baseline> {
  try {
    return parseBaseline(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (required) throw new Error(`there is no baseline ${path}: make one with --accept`);
    return {};
  }
}
