import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BenchArguments } from './arguments.ts';
import { buildSubjects } from './build.ts';
import { openCheckout } from './checkout.ts';
import { guard, readBaseline } from './guard.ts';
import { machineFacts, machineLoad } from './machine.ts';
import { type Measured, measureAll, timeFor } from './measure.ts';
import { missingFor } from './missing.ts';
import { nameOf, type PlannedRun, plan } from './plan.ts';
import { type Found, type MeasuredRuns, renderReport } from './report.ts';
import { run } from './run.ts';
import { reportOnPairs } from './speed-up-report.ts';
import { type Build, SUBJECTS, type Subject, type SubjectName } from './subjects.ts';
import { judge, sidesOf, type Verdict } from './verdicts.ts';
import { quickWorks, WORKS, type Work, type WorkName, worksInPairs } from './works.ts';

const BASELINE = fileURLToPath(new URL('baseline.json', import.meta.url));

/**
 * Runs the measurements that the arguments request.
 *
 * @returns the exit code.
 * @throws CheckoutError when `--against` names no usable checkout.
 */
export async function bench(asked: BenchArguments, command: string): Promise<0 | 1> {
  const { against, check, baseline: path = BASELINE } = asked;
  const works = worksOf(asked);
  const runs = plan({ ...asked, works, inPairs: against !== undefined });
  const missing = [
    ...(runs.length === 0 ? ['--only leaves nothing to run'] : []),
    ...missingFor(runs.map(({ subjectName }) => subjectName)),
    ...(await whyNoBaseline(path, { required: check })), // before an hour of measurement
  ];
  if (missing.length > 0) {
    progress(missing.join('\n'));
    return 1;
  }
  const pairs = runs.filter(({ build }) => build === 'old');
  const names = pairs.map(({ subjectName }) => subjectName);
  const old = against === undefined ? undefined : await openCheckout(against, names);
  const load = machineLoad(); // before the benchmarks load the machine
  buildSubjects();
  old?.buildSubjects();
  const subjects: Readonly<Record<Build, Readonly<Record<SubjectName, Subject>>>> = {
    new: SUBJECTS,
    old: old?.subjects ?? SUBJECTS,
  };
  const measured = await measureAll(runs, {
    make: ({ subjectName, build, work }, deadline) =>
      run(subjects[build][subjectName], work, deadline),
    time: timeFor(asked.withinSeconds === undefined ? undefined : asked.withinSeconds * 1_000),
    progress,
  });
  const frame = {
    ...{ command, load },
    time: new Date().toISOString(),
    facts: machineFacts(old?.folder),
    remarks: remarksOn(measured),
  };
  const { results } = measured;
  const { report, lacking } =
    old === undefined
      ? reportOnTargets({ frame, works, runs, results })
      : reportOnPairs({ frame, works, runs, results });
  if (asked.output === undefined) process.stdout.write(report);
  else await writeFile(asked.output, report);
  for (const line of lacking) progress(line);
  const worse = await guard(judge(results), {
    ...{ path, check, progress },
    accept: asked.accept,
    isAsked: (verdict) => isPlanned(verdict, runs),
  });
  return measured.failures.length + lacking.length + worse === 0 ? 0 : 1;
}

function worksOf({ against, quick }: BenchArguments): Readonly<Record<WorkName, Work>> {
  if (against !== undefined) return worksInPairs();
  return quick ? quickWorks() : WORKS;
}

function reportOnTargets({ frame, works, runs, results }: MeasuredRuns): Found {
  const verdicts = judge(results).filter((verdict) => isPlanned(verdict, runs));
  const unknown = verdicts.filter(({ met }) => met === undefined).map(({ target }) => target.title);
  const remarks = [...unknown.map((title) => `target: ${title}`), ...frame.remarks];
  return {
    report: renderReport({ ...frame, works, remarks, verdicts, results }),
    lacking: unknown.map((title) => `not measured: ${title}`),
  };
}

async function whyNoBaseline(
  path: string,
  options: { readonly required: boolean },
): Promise<readonly string[]> {
  try {
    await readBaseline(path, options);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** True when all figures that the target compares were requested. */
function isPlanned({ target }: Verdict, runs: readonly PlannedRun[]): boolean {
  return sidesOf(target).every(({ work, subject }) =>
    runs.some(({ workName, subjectName }) => workName === work && subjectName === subject),
  );
}

/** Failed runs, runs without any figure, and the number of runs that later rounds lack. */
function remarksOn({ failures, leftOut }: Measured): readonly string[] {
  const never = leftOut.filter(({ round }) => round === 1);
  const again = leftOut.length - never.length;
  return [
    ...failures,
    ...never.map((planned) => `${nameOf(planned)}: the time was over`),
    ...(again > 0 ? [`${again} runs of later rounds: the time was over`] : []),
  ];
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
