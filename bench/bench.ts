import { readFile, writeFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import type { BenchArguments } from './arguments.ts';
import { formatBaseline, parseBaseline, regressions } from './baseline.ts';
import { buildSubjects } from './build.ts';
import { machineFacts } from './machine.ts';
import { type PlannedRun, plan } from './plan.ts';
import { renderReport } from './report.ts';
import { Results } from './results.ts';
import { run } from './run.ts';
import { SUBJECTS } from './subjects.ts';
import { judge } from './targets.ts';
import { quickWorks, WORKS } from './works.ts';

const BASELINE = new URL('baseline.json', import.meta.url);
/** `--quick` may take five minutes; the rest is for the report. */
const QUICK_BUDGET_MS = 290_000;

/** Measures what the arguments ask for. @returns the exit code. */
export async function bench(asked: BenchArguments, command: string): Promise<0 | 1> {
  const works = asked.quick ? quickWorks() : WORKS;
  const facts = machineFacts(); // before we load the machine ourselves
  buildSubjects();
  const { results, failures, leftOut } = await measureAll(plan({ ...asked, works }), asked.quick);
  const verdicts = judge(results);
  const remarks = [...failures, ...leftOut];
  const time = new Date().toISOString();
  const report = renderReport({ command, time, facts, works, results, verdicts, remarks });
  if (asked.output === undefined) process.stdout.write(report);
  else await writeFile(asked.output, report);
  if (asked.accept) await writeFile(BASELINE, formatBaseline(verdicts));
  const worse = asked.check
    ? regressions(parseBaseline(await readFile(BASELINE, 'utf8')), verdicts)
    : [];
  for (const line of worse) progress(line);
  return failures.length + worse.length === 0 ? 0 : 1;
}

interface Measured {
  readonly results: Results;
  readonly failures: readonly string[];
  readonly leftOut: readonly string[];
}

/** A run that fails does not end the others: what it would have shown is missing, and said so. */
async function measureAll(runs: readonly PlannedRun[], quick: boolean): Promise<Measured> {
  const results = new Results();
  const failures: string[] = [];
  const leftOut: PlannedRun[] = [];
  const longestMs = new Map<string, number>();
  const endsAt = quick ? performance.now() + QUICK_BUDGET_MS : Number.POSITIVE_INFINITY;
  const deadline = quick ? AbortSignal.timeout(QUICK_BUDGET_MS) : new AbortController().signal;
  for (const [index, planned] of runs.entries()) {
    const { round, workName, work, subjectName } = planned;
    const name = `round ${round}, ${workName}, ${subjectName}`;
    const sameRun = `${workName} ${subjectName}`;
    const longest = longestMs.get(sameRun) ?? 0;
    if (performance.now() + longest > endsAt) {
      leftOut.push(planned);
      continue;
    }
    const startedAt = performance.now();
    try {
      results.add(workName, subjectName, await run(SUBJECTS[subjectName], work, deadline));
      const ms = performance.now() - startedAt;
      longestMs.set(sameRun, Math.max(longest, ms));
      progress(`${index + 1} of ${runs.length}: ${name}: ${(ms / 1_000).toFixed(1)} s`);
    } catch (error) {
      if (deadline.aborted) {
        leftOut.push(planned);
        continue;
      }
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      progress(`${index + 1} of ${runs.length}: failed: ${failures.at(-1)}`);
    }
  }
  return { results, failures, leftOut: remarksOn(leftOut) };
}

/** A line for what has no figure at all, and one for the rounds that others lack. */
function remarksOn(leftOut: readonly PlannedRun[]): readonly string[] {
  const never = leftOut.filter(({ round }) => round === 1);
  const again = leftOut.length - never.length;
  return [
    ...never.map(({ workName, subjectName }) => `${workName}, ${subjectName}: the time was over`),
    ...(again > 0 ? [`${again} runs of later rounds: the time was over`] : []),
  ];
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
