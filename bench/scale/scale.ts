import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { buildSubjects } from '../build.ts';
import { machineFacts } from '../machine.ts';
import type { ScaleArguments } from './arguments.ts';
import { CASES, type Case } from './cases.ts';
import { builtCode } from './pair.ts';
import { renderPlot } from './plot.ts';
import { PLOTS, plotOf } from './plots.ts';
import { renderReport } from './report.ts';
import type { Results } from './results.ts';
import { runCases } from './run.ts';

/** Two and twelve minutes, with some seconds for what follows. */
const BUDGET_MS = { quick: 110_000, full: 700_000 } as const;
const ROUNDS = { quick: 1, full: 3 } as const;
/** The Markdown becomes a part of a document here, wherever it is written at first. */
const DOCUMENTS = 'docs';

/** Measures what the arguments ask for. @returns the exit code. */
export async function scale(asked: ScaleArguments, command: string): Promise<0 | 1> {
  const { quick, output, plots } = asked;
  const size = quick ? 'quick' : 'full';
  const facts = machineFacts(); // before we load the machine ourselves
  buildSubjects();
  const cases = chosen(asked);
  const { results, failures, leftOut } = await runCases({
    ...{ cases, code: builtCode(), quick },
    ...{ rounds: ROUNDS[size], budgetMs: BUDGET_MS[size] },
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  const report = renderReport({
    ...{ command, facts, cases, results },
    time: new Date().toISOString(),
    plotted: writePlots(plots, cases, results),
    plotFolder: linkFrom(DOCUMENTS, plots),
    remarks: [...failures, ...leftOut],
  });
  if (output === undefined) process.stdout.write(report);
  else writeFileSync(output, report);
  return failures.length === 0 ? 0 : 1;
}

/** The cases that the arguments ask for. */
export function chosen({ quick, only }: Pick<ScaleArguments, 'quick' | 'only'>): readonly Case[] {
  return CASES.filter(
    (one) => (!quick || one.quick) && (only.length === 0 || only.includes(one.scenario)),
  );
}

/** How a document in one folder names another folder. */
export function linkFrom(folder: string, to: string): string {
  return relative(resolve(folder), resolve(to)).split(sep).join('/') || '.';
}

function writePlots(folder: string, cases: readonly Case[], results: Results): readonly string[] {
  mkdirSync(folder, { recursive: true });
  return PLOTS.flatMap((plan) => {
    const plot = plotOf(plan, cases, results);
    if (plot === undefined) return [];
    writeFileSync(join(folder, `${plan.file}.svg`), renderPlot(plot));
    return [plan.file];
  });
}
