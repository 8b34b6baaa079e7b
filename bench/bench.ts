import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BenchArguments } from './arguments.ts';
import { buildSubjects } from './build.ts';
import { guard, readBaseline } from './guard.ts';
import { machineFacts, machineLoad } from './machine.ts';
import { type Measured, measureAll, timeFor } from './measure.ts';
import { missingFor } from './missing.ts';
import { type PlannedRun, plan } from './plan.ts';
import { renderReport } from './report.ts';
import { run } from './run.ts';
import { SUBJECTS } from './subjects.ts';
import { judge, sidesOf, type Verdict } from './verdicts.ts';
import { quickWorks, WORKS } from './works.ts';

const BASELINE = fileURLToPath(new URL('baseline.json', import.meta.url));

/** Measures what the arguments ask for. @returns the exit code. */
export async function bench(asked: BenchArguments, command: string): Promise<0 | 1> {
  const works = asked.quick ? quickWorks() : WORKS;
  const runs = plan({ ...asked, works });
  const { check, accept, baseline: path = BASELINE } = asked;
  const missing = [
    ...missingFor(runs.map(({ subjectName }) => subjectName)),
    ...(await whyNoBaseline(path, { required: check })), // before an hour is spent
  ];
  if (missing.length > 0) {
    progress(missing.join('\n'));
    return 1;
  }
  const load = machineLoad(); // before we load the machine ourselves
  buildSubjects();
  const measured = await measureAll(runs, {
    make: ({ subjectName, work }, deadline) => run(SUBJECTS[subjectName], work, deadline),
    time: timeFor(asked.withinSeconds === undefined ? undefined : asked.withinSeconds * 1_000),
    progress,
  });
  const verdicts = judge(measured.results);
  const isAsked = (verdict: Verdict): boolean => isPlanned(verdict, runs);
  const unknown = verdicts.filter(({ met }) => met === undefined).filter(isAsked);
  const remarks = [
    ...unknown.map(({ target }) => `target: ${target.title}`),
    ...measured.failures,
    ...remarksOn(measured),
  ];
  const report = renderReport({
    ...{ command, load, works, remarks },
    verdicts: verdicts.filter(isAsked),
    time: new Date().toISOString(),
    facts: machineFacts(),
    results: measured.results,
  });
  if (asked.output === undefined) process.stdout.write(report);
  else await writeFile(asked.output, report);
  for (const { target } of unknown) progress(`not measured: ${target.title}`);
  const worse = await guard(verdicts, { path, check, accept, isAsked, progress });
  return measured.failures.length + unknown.length + worse === 0 ? 0 : 1;
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

/** Whether everything that it compares was to be run. */
function isPlanned({ target }: Verdict, runs: readonly PlannedRun[]): boolean {
  return sidesOf(target).every(({ work, subject }) =>
    runs.some(({ workName, subjectName }) => workName === work && subjectName === subject),
  );
}

/** A line for what has no figure at all, and one for the rounds that others lack. */
function remarksOn({ leftOut }: Measured): readonly string[] {
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
