import { readFile, writeFile } from 'node:fs/promises';
import { type Baseline, formatBaseline, parseBaseline, regressions } from './baseline.ts';
import type { Verdict } from './verdicts.ts';

export interface GuardOptions {
  /** The path of the baseline. */
  readonly path: string;
  readonly check: boolean;
  readonly accept: boolean;
  /** True when a target was requested. */
  readonly isAsked: (verdict: Verdict) => boolean;
  readonly progress: (line: string) => void;
}

/**
 * Compares ratios with the baseline (`check`), writes them as the new baseline (`accept`), or both in this
 * order.
 *
 * @returns the number of ratios that are worse.
 * @throws Error when the baseline is missing or invalid.
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

/** @throws Error when the file is missing and `required`, or when it is no baseline. */
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
