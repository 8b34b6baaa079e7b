/**
 * When restarts of a workload may begin: the windows of its annotation `reloader.stakater.com/restart-window`.
 *
 *     {"timezone": "Europe/Berlin", "windows": [{"cron": "0 2 * * *", "duration": "2h"}]}
 *
 * A window opens when its cron expression (five fields) says, and stays open for its duration. The duration is
 * time that passes: where the clocks are put back, a window of 2 h is still open for 2 h. Where the clocks leave the
 * start out, the window opens when they have moved on, and where they show it twice, the first time.
 */
import type { KubernetesObject } from 'chancery';
import { Cron } from 'croner';
import { parseGoDuration } from '../contract/go-words.ts';
import { refKey } from '../contract/resource-type.ts';
import type { RestartPlan } from '../record/plan-types.ts';
import type { Problem } from '../workloads/kind.ts';
import type { GateWait, RestartGate } from './gate.ts';

/** On the metadata of workloads. The name is that of the proposal for the original, pull request 1214. */
export const RESTART_WINDOW = 'reloader.stakater.com/restart-window';

/** On the metadata of workloads, written: a restart waits, and for what. */
export const PENDING = 'reloader.stakater.com/pending';

/** The windows of one annotation. */
export interface RestartWindows {
  /** How many they are. */
  readonly count: number;
  isOpen(nowMs: number): boolean;
  /** When the next window opens, later than `nowMs`; `Number.POSITIVE_INFINITY` for never. */
  opensAfter(nowMs: number): number;
}

const MAX_CHARACTERS = 4_096;
const MAX_WINDOWS = 32;
const MAX_CRON_CHARACTERS = 100;
const MIN_DURATION_MS = 1_000;

/** The gate is asked again at least this often, so that a clock that was set forward is noticed. */
const MAX_WAIT_MS = 3_600_000;

/**
 * Lets a workload restart in its windows only; one without the annotation always.
 *
 * An annotation that cannot be used keeps the restart waiting: a restart outside of the window that was meant may
 * harm, and one that comes late is visible as a Warning Event, in a metric and in the pending annotation.
 */
export function windowGate(): RestartGate {
  return {
    annotations: [PENDING],
    leftMs({ workload, plan }, nowMs) {
      const text = windowText(workload);
      if (text === undefined) return undefined;
      const windows = restartWindows(text);
      if ('problem' in windows) return invalidWait(windows.problem, plan);
      return windows.isOpen(nowMs) ? undefined : closedWait(windows, plan, nowMs);
    },
    problems(workload): readonly Problem[] {
      const text = windowText(workload);
      const windows = text === undefined ? undefined : restartWindows(text);
      if (windows === undefined || !('problem' in windows)) return [];
      const message = `the restart window cannot be used, and restarts wait: it ${windows.problem}`;
      return [{ annotation: RESTART_WINDOW, message }];
    },
  };
}

/** Without `--enable-restart-windows` nothing waits, and what an earlier process has written about it goes. */
export const noWindowGate: RestartGate = { annotations: [PENDING], leftMs: () => undefined };

/** The value of the annotation; undefined when absent. */
export function windowText({ metadata }: KubernetesObject): string | undefined {
  return metadata.annotations?.[RESTART_WINDOW];
}

function closedWait(windows: RestartWindows, plan: RestartPlan, nowMs: number): GateWait {
  const opensMs = windows.opensAfter(nowMs);
  const opens = Number.isFinite(opensMs) ? timeOf(opensMs) : 'never';
  return {
    waitMs: Math.min(Math.max(opensMs - nowMs, 1), MAX_WAIT_MS),
    reason: 'window',
    note: `The restart for ${resourcesOf(plan).join(', ')} waits until the restart window opens: ${opens}.`,
    annotations: { [PENDING]: pendingText('window', plan, opens) },
  };
}

function invalidWait(problem: string, plan: RestartPlan): GateWait {
  return {
    waitMs: MAX_WAIT_MS,
    reason: 'window-invalid',
    note: `The restart for ${resourcesOf(plan).join(', ')} waits until the restart window can be used: it ${problem}.`,
    annotations: { [PENDING]: pendingText('window-invalid', plan, undefined) },
  };
}

/** Has no hash: it is there for people, and what is due follows from the records. */
function pendingText(reason: string, plan: RestartPlan, opens: string | undefined): string {
  return JSON.stringify({ reason, resources: resourcesOf(plan), opens });
}

function resourcesOf({ changes }: RestartPlan): readonly string[] {
  return changes.map(refKey);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** By the text of the annotation: every reconcile of a pending workload asks for the same few. */
const COMPILED = new Map<string, RestartWindows | WindowProblem>();

/**
 * What the texts in memory may cost together. A window costs 1: croner takes 35 kB for one, so that all take 9 MB. A text
 * costs 1/64 more.
 */
const MAX_COMPILED_COST = 256;
const TEXT_COST = 1 / 64;
let compiledCost = 0;

function costOf(windows: RestartWindows | WindowProblem): number {
  return TEXT_COST + ('problem' in windows ? 0 : windows.count);
}

interface WindowProblem {
  /** Continues a sentence whose subject is the annotation. */
  readonly problem: string;
}

/** The windows of an annotation, or why it cannot be used. */
export function restartWindows(text: string): RestartWindows | WindowProblem {
  if (text.length > MAX_CHARACTERS)
    return { problem: `is longer than ${MAX_CHARACTERS} characters` }; // too long to be kept, too
  const known = COMPILED.get(text);
  if (known !== undefined) return known;
  const windows = parseWindows(text);
  COMPILED.set(text, windows);
  compiledCost += costOf(windows);
  for (const [oldest, each] of COMPILED) {
    if (compiledCost <= MAX_COMPILED_COST) break;
    COMPILED.delete(oldest);
    compiledCost -= costOf(each);
  }
  return windows;
}

function parseWindows(text: string): RestartWindows | WindowProblem {
  const value = jsonOf(text);
  if (!isRecord(value)) return { problem: 'must be a JSON object with timezone and windows' };
  const unknown = unknownKey(value, ['timezone', 'windows']);
  if (unknown !== undefined) return unknown;
  const { timezone = 'UTC', windows } = value;
  if (typeof timezone !== 'string' || !isTimeZone(timezone)) {
    return { problem: `must name a time zone such as Europe/Berlin, not ${quoted(timezone)}` };
  }
  if (!Array.isArray(windows) || windows.length === 0 || windows.length > MAX_WINDOWS) {
    return { problem: `must have 1 to ${MAX_WINDOWS} windows` };
  }
  const parsed: RestartWindows[] = [];
  for (const each of windows) {
    const window = parseWindow(each, timezone);
    if ('problem' in window) return window;
    parsed.push(window);
  }
  return {
    count: parsed.length,
    isOpen: (nowMs) => parsed.some((window) => window.isOpen(nowMs)),
    opensAfter: (nowMs) => Math.min(...parsed.map((window) => window.opensAfter(nowMs))),
  };
}

function parseWindow(value: unknown, timezone: string): RestartWindows | WindowProblem {
  if (!isRecord(value) || typeof value.cron !== 'string' || typeof value.duration !== 'string') {
    return { problem: 'must have cron and duration as texts in each window' };
  }
  const unknown = unknownKey(value, ['cron', 'duration']);
  if (unknown !== undefined) return unknown;
  const { cron, duration } = value;
  const length = parseGoDuration(duration, { minMs: MIN_DURATION_MS });
  if ('problem' in length) {
    return { problem: `has the duration ${quoted(duration)}, which ${length.problem}` };
  }
  const starts = startsOf(cron, timezone);
  if (starts === undefined) {
    return { problem: `has the cron expression ${quoted(cron)}, which must be five usable fields` };
  }
  const lengthMs = length.ms;
  return {
    count: 1,
    isOpen: (nowMs) => {
      // All windows of an expression have one length: the latest start decides. One at `nowMs` counts.
      const last = starts.previousRuns(1, new Date(nowMs + 1))[0];
      return last !== undefined && nowMs < last.getTime() + lengthMs;
    },
    opensAfter: (nowMs) => starts.nextRun(new Date(nowMs))?.getTime() ?? Number.POSITIVE_INFINITY,
  };
}

/** A key such as `timeZone` would be overlooked, and the window be another one than is meant. */
function unknownKey(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
): WindowProblem | undefined {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return undefined;
  return { problem: `has the unknown key ${quoted(unknown)}: known are ${known.join(' and ')}` };
}

/** Undefined for text that is no expression, and for a day that no year has, such as 30 February. */
function startsOf(cron: string, timezone: string): Cron | undefined {
  if (cron.length > MAX_CRON_CHARACTERS || cron.trim().split(/\s+/).length !== 5) return undefined;
  try {
    // Without a function to call it has no timer either: the gate is asked with the time.
    const starts = new Cron(cron, { timezone, mode: '5-part' });
    return starts.nextRun(new Date(0)) === null ? undefined : starts;
  } catch {
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}

/** At most 60 characters of it: people see it in Events. */
function quoted(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 60) ?? 'nothing';
}
