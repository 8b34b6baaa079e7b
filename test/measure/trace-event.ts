/**
 * The path of one watch event through the toolkit, from one MODIFIED line of a ConfigMap to the request
 * that one `applyOwned` of a Secret sends. `npm run measure -- event`; see docs/measurements.md.
 *
 * V8's precise coverage names the functions that one event runs. Breakpoints on these functions, whose
 * conditions note the order and the depth of the stack and never pause, then trace a second event. The
 * embedded API server runs in the same process; its own files are left out, as is code that runs when a
 * module is loaded.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Debugger } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { ApiServer } from '@chancery/testing';
import { controller } from 'chancery';
import { type ConfigMap, configMaps, secrets } from 'chancery/kubernetes';
import { createManager } from 'chancery/low-level';

/** One function of the toolkit that ran. */
interface Passed {
  readonly file: string;
  readonly name: string;
  readonly scriptId: string;
  readonly offset: number;
}

/** A function that was entered, and how many frames of the toolkit the stack had, itself included. */
interface Entered {
  readonly passed: Passed;
  readonly depth: number;
}

const FOLDER_URL = new URL('../../operator/', import.meta.url).href;
const NOT_TRACED = /^testing[/.]/;
/** Events before the measured ones: the first event also runs what is set up only once. */
const WARM_UP_COUNT = 5;
const REST_MS = 400;

Error.stackTraceLimit = 1000;
const api = await ApiServer.start();
let applied = (): void => {};
const probe = controller({
  name: 'probe',
  for: configMaps,
  owns: [secrets],
  async reconcile(object: ConfigMap, { applyOwned }) {
    const name = `${object.metadata.name}-child`;
    await applyOwned(secrets, { metadata: { name }, stringData: { a: object.data?.a ?? '' } });
    applied();
  },
});
const manager = await createManager({
  controllers: [probe],
  environment: {
    CHANCERY_API_URL: api.url,
    POD_NAMESPACE: 'default',
    CHANCERY_LOG_LEVEL: 'error',
  },
  settings: { healthPort: 0, metricsPort: 0, selfTest: 'off', insecureAllowToken: true },
});
const stop = new AbortController();
const running = manager.run(stop.signal);

let changeCount = 0;
for (let event = 0; event < WARM_UP_COUNT; event++) {
  await change();
  await rest();
}

const session = new Session();
session.connect();
const passed = await functionsOf(session);
const { entered, writeDepth } = await orderOf(session, passed);
session.disconnect();
print(passed, entered, writeDepth);

stop.abort();
await running;
await api.close();

/** Changes the ConfigMap, and waits until its Secret is written. */
async function change(): Promise<void> {
  const written = new Promise<void>((resolve) => {
    applied = resolve;
  });
  const data = { a: String(changeCount++) };
  const metadata = { name: 'x', namespace: 'default' };
  if (changeCount === 1) api.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  else api.patch('v1', 'ConfigMap', 'default', 'x', { data });
  await written;
}

/** Waits until the watch event of the last write has been handled. */
async function rest(): Promise<void> {
  await setTimeout(REST_MS);
}

/** The functions that ran for one event, from V8's precise coverage. */
async function functionsOf(session: Session): Promise<readonly Passed[]> {
  await rest();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await change();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  await session.post('Profiler.disable');
  return result.flatMap(({ url, scriptId, functions }) => {
    const file = tracedFile(url);
    if (file === undefined) return [];
    return functions.flatMap(({ functionName, ranges }) => {
      const range = ranges[0];
      if (range === undefined || range.count === 0) return [];
      return [{ file, name: functionName, scriptId, offset: range.startOffset }];
    });
  });
}

/** The order in which one more event enters these functions, and the depth of its write. */
async function orderOf(
  session: Session,
  passed: readonly Passed[],
): Promise<{ readonly entered: readonly Entered[]; readonly writeDepth: number }> {
  await rest();
  await session.post('Debugger.enable');
  const entered = new Map<Passed, Entered>();
  const globals = globalThis as { enteredByTrace?: (index: number) => false };
  for (const [index, one] of passed.entries()) {
    if (one.name === '<instance_members_initializer>') continue;
    const location = await firstLocation(session, one);
    const condition = `enteredByTrace(${index})`;
    await session.post('Debugger.setBreakpoint', { location, condition });
  }
  globals.enteredByTrace = (index) => {
    const one = passed[index];
    if (one !== undefined && !entered.has(one)) entered.set(one, { passed: one, depth: depth() });
    return false;
  };
  let writeDepth = 0;
  const onRequest = (message: unknown): void => {
    const { request } = message as { request: { method: string; path: string } };
    if (request.method === 'PATCH' && request.path.includes('/secrets/')) writeDepth = depth();
  };
  subscribe('undici:request:create', onRequest);
  await change();
  delete globals.enteredByTrace;
  await session.post('Debugger.disable');
  unsubscribe('undici:request:create', onRequest);
  return { entered: [...entered.values()], writeDepth };
}

/** Where V8 can stop first in a function: after the parenthesis or the arrow that begins it. */
async function firstLocation(
  session: Session,
  { scriptId, offset }: Passed,
): Promise<Debugger.Location> {
  const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
  const begin = /\(|=>/.exec(scriptSource.slice(offset));
  const before = scriptSource.slice(0, offset + (begin?.index ?? 0) + (begin?.[0].length ?? 0));
  const start = {
    scriptId,
    lineNumber: before.split('\n').length - 1,
    columnNumber: before.length - before.lastIndexOf('\n') - 1,
  };
  const { locations } = await session.post('Debugger.getPossibleBreakpoints', {
    start,
    restrictToFunction: true,
  });
  return locations[0] ?? start;
}

function depth(): number {
  return (new Error().stack ?? '')
    .split('\n')
    .filter((line) => tracedFile(/file:\/\/[^:)]+/.exec(line)?.[0] ?? '') !== undefined).length;
}

/** The path below operator/ of a file that is traced. */
function tracedFile(url: string): string | undefined {
  if (!url.startsWith(FOLDER_URL)) return undefined;
  const file = url.slice(FOLDER_URL.length);
  return NOT_TRACED.test(file) ? undefined : file;
}

function print(passed: readonly Passed[], entered: readonly Entered[], writeDepth: number): void {
  for (const { passed: one, depth } of entered) {
    process.stdout.write(`${String(depth).padStart(3)}  ${one.file.padEnd(40)}  ${nameOf(one)}\n`);
  }
  // V8 does not stop in initialisers of fields, nor at the begin of a function that an await resumes.
  const known = new Set(entered.map((one) => one.passed));
  for (const one of passed) {
    if (!known.has(one)) process.stdout.write(`  -  ${one.file.padEnd(40)}  ${nameOf(one)}\n`);
  }
  const files = new Set(passed.map(({ file }) => file));
  process.stdout.write(
    `files ${files.size}, functions ${passed.length}, write depth ${writeDepth}\n`,
  );
}

function nameOf({ name }: Passed): string {
  return name === '' ? '(anonymous)' : name;
}
