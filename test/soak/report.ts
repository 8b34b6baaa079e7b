import type { MemoryGrowth } from './footprint.ts';
import type { ProbeFigures } from './probes.ts';

/** What a run has found. */
export interface Findings {
  readonly seed: number;
  readonly minutes: number;
  readonly checkpointCount: number;
  /** The longest time from the end of the faults to a picture without a difference. */
  readonly settleMsMax: number;
  readonly writeCount: number;
  readonly eventCount: number;
  readonly reconcileCount: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly watchCount: number;
  readonly listCount: number;
  readonly probes: ProbeFigures;
  /** Those asked while 300 idle and 300 half-open peers were on the health port. */
  readonly probesBesidePeers: ProbeFigures;
  /** What only an authoritative relist has found. */
  readonly driftCount: number;
  readonly lost: readonly string[];
  readonly memory: MemoryGrowth | undefined;
  /** At the end. It has no target: see `memoryInUse`. */
  readonly residentBytes: number;
  readonly connectionsLeft: number;
  readonly handlesLeft: readonly string[];
}

const MAX_GROWTH = 0.1;

/** Names of the targets that were missed. */
export function targetsMissed(findings: Findings): readonly string[] {
  const targets: readonly (readonly [string, boolean])[] = [
    ['lost', findings.lost.length === 0],
    ['probes', isEachAnswered(findings.probes)],
    ['drift', findings.driftCount === 0],
    ['memory', findings.memory === undefined || findings.memory.growth < MAX_GROWTH],
    ['connections', findings.connectionsLeft === 0],
    ['handles', findings.handlesLeft.length === 0],
  ];
  return targets.filter(([, met]) => !met).map(([name]) => name);
}

/** The result as a table, with what was lost in words below it. */
export function report(findings: Findings): string {
  const { memory, handlesLeft } = findings;
  const faultCount = [...findings.faults.values()].reduce((sum, count) => sum + count, 0);
  const rows: readonly (readonly [string, string | number])[] = [
    ['seed', findings.seed],
    ['minutes', findings.minutes.toFixed(1)],
    ['checkpoints', findings.checkpointCount],
    ['longest way back, ms', Math.round(findings.settleMsMax)],
    ['writes', findings.writeCount],
    ['changes delivered', findings.eventCount],
    ['reconciles', findings.reconcileCount],
    ['watches opened', findings.watchCount],
    ['list requests', findings.listCount],
    ['faults', faultCount],
    ...[...findings.faults].map(([name, count]) => [`  ${name}`, count] as const),
    ['lost (target 0)', findings.lost.length],
    ...probeRows('probes', findings.probes),
    ...probeRows('beside 600 peers', findings.probesBesidePeers),
    ['drift (target 0)', findings.driftCount],
    ['memory in use, warm', memory === undefined ? '-' : mebibytes(memory.warmBytes)],
    ['memory in use, at the end', memory === undefined ? '-' : mebibytes(memory.endBytes)],
    ['growth (target < 10 %)', memory === undefined ? '-' : percent(memory.growth)],
    ['resident memory', mebibytes(findings.residentBytes)],
    ['connections left (target 0)', findings.connectionsLeft],
    ['handles left (target 0)', [handlesLeft.length, ...handlesLeft].join(' ')],
  ];
  const missed = targetsMissed(findings);
  const verdict = missed.length === 0 ? 'every target met' : `MISSED: ${missed.join(', ')}`;
  const table = rows.map(([name, value]) => `${name.padEnd(36)}${String(value).padStart(12)}`);
  return `${[...table, ...findings.lost.slice(0, 50), verdict].join('\n')}\n`;
}

/** A run without a probe has shown nothing of them. */
function isEachAnswered({ asked, answered }: ProbeFigures): boolean {
  return asked > 0 && answered === asked;
}

function probeRows(
  name: string,
  { asked, answered, p99Ms }: ProbeFigures,
): readonly (readonly [string, string | number])[] {
  return [
    [`${name}: asked`, asked],
    [`${name}: answered (target: all)`, answered],
    [`${name}: p99, ms`, p99Ms === undefined ? '-' : p99Ms.toFixed(1)],
  ];
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}
