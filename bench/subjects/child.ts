/**
 * What every subject on Node does in the same way, so that the client alone makes the difference. A
 * subject is started with `URL PROFILE MODE OBJECTS`, tells what happens, and does what it is told, one JSON
 * object a line. Every event ends up in `handled`, which knows an event by the name of its object:
 * `marker-…` is the end of something, `at-…` carries the time at which it was sent.
 *
 *     {"do":"expect","marker":…,"events":…,"keys":…,"bytes":…}  {"is":"ready"}, and {"is":"seen","atNs":…} when it is
 *     {"do":"reset","delay":…}  peak memory, latencies and CPU count from now on, and the event loop if
 *                       `delay` is true, for to look at it costs a timer a millisecond; {"is":"reset"}
 *     {"do":"report"}   {"is":"report",…} with all of these
 *     {"do":"memory"}   {"is":"memory",…} after a garbage collection
 *
 * A subject may know more commands: see `onCommand`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { quantile } from '../statistics.ts';
import { LongestTurn } from './longest-turn.ts';

/** What the handler looks at: `reconcile` is told of keys, through a work queue. */
export type Mode = 'envelope' | 'object' | 'reconcile' | 'idle' | Overload;

/** See `chancery-overload.ts`. */
export type Overload = 'slow' | 'stuck' | 'deleted' | 'endless' | 'large';

/** What is expected next, for subjects that see bytes or make their events themselves. */
export interface Expectation {
  readonly marker: string;
  readonly events: number;
  readonly keys: number;
  readonly bytes: number;
}

const [url = '', profile = '', mode = '', objects = '0'] = process.argv.slice(2);
export const configuration: {
  readonly url: string;
  readonly profile: string;
  readonly mode: Mode;
  /** How many there are, for clients that never say that a first list is complete. */
  readonly objects: number;
} = { url, profile, mode: mode as Mode, objects: Number(objects) };

const delay = monitorEventLoopDelay({ resolution: 1 });
const turns = new LongestTurn();
let measuresDelay = false;
let cpu = process.cpuUsage();
let first = true;
let expected = '';
let latenciesMs: number[] = [];
const expectationHandlers: ((expectation: Expectation) => void)[] = [];
const resetHandlers: (() => void)[] = [];
const ownCommands = new Map<string, Answer>();
/** What handlers have read: shown at the end, so that no compiler leaves the reading out. */
let readCharacters = 0;

/** Looks at the event loop from now on, or no more. */
function lookAtLoop(looks: boolean): void {
  delay.disable();
  delay.reset();
  turns.stop();
  measuresDelay = looks;
  if (!looks) return;
  delay.enable();
  turns.start();
}

/** The client is loaded. Some are loaded before us, some after: the event loop counts from here on. */
export function imported(): void {
  lookAtLoop(true);
  tell({ is: 'imported', ms: performance.now() });
}

/** The first list is complete, and its objects are known. */
export function synced(objects: number): void {
  tell({ is: 'synced', ms: performance.now(), objects });
}

/** An event has reached the handler. */
export function handled(name: string): void {
  if (first) {
    first = false;
    tell({ is: 'first', ms: performance.now() });
  }
  if (name === expected) seen();
  else if (name.startsWith('at-')) {
    latenciesMs.push(Number(process.hrtime.bigint() - BigInt(name.slice(3))) / 1e6);
  }
}

/** What was expected is here; `startedNs` where nobody else knows when it began. */
export function seen(startedNs?: bigint): void {
  const atNs = String(process.hrtime.bigint());
  tell({ is: 'seen', atNs, ...(startedNs !== undefined && { startedNs: String(startedNs) }) });
}

/** Calls `handler` before `ready` is said. */
export function onExpectation(handler: (expectation: Expectation) => void): void {
  expectationHandlers.push(handler);
}

/** Calls `handler` when everything counts from now on. */
export function onReset(handler: () => void): void {
  resetHandlers.push(handler);
}

/** Something that a subject says. */
export type Said = { readonly is: string; readonly [field: string]: unknown };

type Answer = (command: Readonly<Record<string, unknown>>) => Said | Promise<Said>;

/** Answers a command of the subject's own with what `answer` returns. */
export function onCommand(name: string, answer: Answer): void {
  ownCommands.set(name, answer);
}

interface ReadObject {
  readonly metadata?: { readonly name?: string | undefined } | undefined;
}

/** Reads what a handler of whole objects reads: name, and the fields of spec, status and data. */
export function read(object: ReadObject): void {
  for (const part of Object.values(object)) {
    if (typeof part !== 'object' || part === null) continue;
    for (const field in part) readCharacters += field.length;
  }
  readCharacters += object.metadata?.name?.length ?? 0;
}

createInterface({ input: process.stdin })
  .on('line', (line) => void obey(JSON.parse(line) as Command))
  .on('close', () => process.exit());

type Command = Expectation & { readonly do: string; readonly delay?: boolean };

async function obey(command: Command): Promise<void> {
  if (command.do === 'expect') {
    expected = command.marker;
    for (const handler of expectationHandlers) handler(command);
    tell({ is: 'ready' });
  } else if (command.do === 'reset') {
    writeFileSync('/proc/self/clear_refs', '5'); // see proc(5): VmHWM begins anew
    lookAtLoop(command.delay === true);
    latenciesMs = [];
    cpu = process.cpuUsage();
    tell({ is: 'reset' });
    for (const handler of resetHandlers) handler();
  } else if (command.do === 'report') {
    report();
  } else if (command.do === 'memory') {
    for (let round = 0; round < 3; round++) globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    tell({ is: 'memory', heapUsed, external, rss, readCharacters });
  } else {
    const answer = ownCommands.get(command.do);
    if (answer !== undefined) tell(await answer({ ...command }));
  }
}

function report(): void {
  const { user, system } = process.cpuUsage(cpu);
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  tell({
    is: 'report',
    cpuMs: (user + system) / 1e3,
    ...(measuresDelay && { delayMs: delay.max / 1e6, turnMs: turns.ms }),
    peakBytes: peakBytes(),
    ...(sorted.length > 0 && {
      latencyP50Ms: quantile(sorted, 0.5),
      latencyP99Ms: quantile(sorted, 0.99),
      latencyMaxMs: quantile(sorted, 1),
    }),
  });
}

function peakBytes(): number {
  const [, kibibytes = '0'] =
    /VmHWM:\s+([0-9]+) kB/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kibibytes) * 1_024;
}

function tell(message: Said): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
