import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { encodeExact } from '../../client/rest-client.ts';
import type { Log } from '../../controller/reconciler.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { parseExact } from '../../core/json/parse-exact.ts';
import { sortedJson } from '../../core/sorted-json.ts';
import { visibleText } from '../../core/visible-text.ts';
import { parseYaml } from '../../core/yaml.ts';
import { createYamlReader, type YamlReader } from '../../core/yaml-thread/yaml-reader.ts';
import { loadHookFile, rightsFileOf } from '../../hooks/discovery/load-hooks.ts';
import type { Hook } from '../../hooks/hook.ts';
import { HOOKS_DEFAULTS } from '../../hooks/hooks-program.ts';
import { formatRights, joinedRules, rulesFor } from '../../hooks/rights/required-rights.ts';
import { hookEnvironment } from '../../hooks/run/hook-environment.ts';
import { type HookAnswer, invokeHook } from '../../hooks/run/invoke-hook.ts';
import { createJq } from '../../jq/create-jq.ts';
import type { Jq } from '../../jq/jq.ts';
import { settingsFrom } from '../../manager/settings/settings.ts';
import { knownKinds } from '../../model/known-kinds.ts';
import { RunFolders } from '../../process/run-files.ts';
import { runProgram } from '../../process/run-program.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { readManifests } from '../manifest-files.ts';
import { requireNoFunction, type TestHookArguments, testHookArguments } from './arguments.ts';
import { type Examined, examined } from './examine.ts';
import { isFunctionRequest } from './function/function-request.ts';
import { testFunction } from './function/test-function.ts';
import type { TEST_HOOK } from './help.ts';
import { contextLines, examinedLines } from './report.ts';
import { completedSample, type Fields, requireContexts } from './sample.ts';

export interface TestHookCommandOptions {
  readonly clock?: Clock;
}

/** `chancery test-hook`: starts one hook with a sample, and checks what it leaves. */
export async function runTestHook(
  given: GivenTo<typeof TEST_HOOK>,
  io: Io,
  { clock = systemClock }: TestHookCommandOptions = {},
): Promise<ExitCode> {
  const asked = testHookArguments(given);
  const jq = createJq({ clock });
  const yaml = createYamlReader({ clock });
  try {
    return await testHook(asked, { jq, yaml, clock, io });
  } finally {
    await Promise.all([jq.close(), yaml.close()]);
  }
}

interface TestHookParts {
  readonly jq: Jq;
  readonly yaml: YamlReader;
  readonly clock: Clock;
  readonly io: Io;
}

async function testHook(asked: TestHookArguments, parts: TestHookParts): Promise<ExitCode> {
  const { jq, yaml, clock, io } = parts;
  const env = hookEnvironment(io.env, settingsFrom(io.env).apiUrl, asked.hookEnv);
  const definitions = await readManifests(asked.crd, io.stdin, '--crd ');
  const known = knownKinds(definitions.map(({ value }) => value));
  const sample = await readSample(asked.context, io);
  if (isFunctionRequest(sample)) {
    return await testFunction(sample, { asked, known, clock, io, log: lineLog(io) });
  }
  const file = requireNoFunction(asked);
  requireContexts(sample); // before a file is started that may be no hook
  const { signal } = io;
  const hook = await loadHookFile(file, { env, runProgram, yaml, clock, signal });
  const filter = (program: string, object: unknown) => filtered(jq, program, object, signal);
  const contexts = await completedSample(sample, { hook, known, filter });
  // Standard output is for the documents when they go there.
  const report = asked.patchesTo === '-' ? io.stderr : io.stdout;
  const say = (lines: readonly string[]): void => {
    for (const line of lines) report.write(`${visibleText(line)}\n`);
  };
  say(contextLines(contexts));
  const answer = await started(hook, contexts, { asked, env, clock, io });
  say([`exit code ${answer.exitCode}`]);
  const found = await examined(answer, { hook, known, jq, yaml, signal });
  const recorded = asked.recordRights && found.missing.length > 0;
  say(examinedLines(hook.name, recorded ? { ...found, missing: [] } : found));
  if (recorded) say([`rights recorded in ${await record(hook, found)}`]);
  await writePatches(asked.patchesTo, found, io);
  return isSound(answer, found, { ...asked, recorded }) ? 0 : 1;
}

function isSound(
  { exitCode }: HookAnswer,
  { refusal, missing, warnings }: Examined,
  { strictPatches, recorded }: { readonly strictPatches: boolean; readonly recorded: boolean },
): boolean {
  const isAllowed = missing.length === 0 || recorded;
  return (
    exitCode === 0 && refusal === undefined && isAllowed && !(strictPatches && warnings.length > 0)
  );
}

async function readSample(path: string, { stdin }: Io): Promise<unknown> {
  try {
    const content = path === '-' ? await text(stdin) : await readFile(path, 'utf8');
    return parseYaml(content, { exactIntegers: true });
  } catch (error) {
    throw new ConfigurationError(`cannot read --context ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function filtered(
  jq: Jq,
  program: string,
  object: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  await jq.check(program);
  const [outcome] = await jq.run(program, [encodeExact(object)], signal);
  if (outcome === undefined || 'failure' in outcome) {
    throw new ConfigurationError(`the filter fails on the sample: ${outcome?.message ?? ''}`);
  }
  const values = outcome.outputs.map(parseExact);
  return values.length > 1 ? values : (values[0] ?? null);
}

async function started(
  hook: Hook,
  contexts: readonly Fields[],
  given: {
    readonly asked: TestHookArguments;
    readonly env: Readonly<Record<string, string>>;
    readonly clock: Clock;
    readonly io: Io;
  },
): Promise<HookAnswer> {
  const { asked, env, clock, io } = given;
  await using folders = await RunFolders.open(tmpdir());
  const facts = { binding: String(contexts.at(-1)?.binding), queue: 'main' };
  const options = {
    ...facts,
    folders,
    env,
    timeoutMs: asked.hookTimeout ?? HOOKS_DEFAULTS.timeoutMs,
    clock,
    log: lineLog(io),
  };
  return await invokeHook(hook, `${sortedJson(encodeExact(contexts))}\n`, options, io.signal);
}

/** What the hook writes, for people. */
function lineLog({ stderr }: Io): Log {
  const write = (facts: object, message: string): void => {
    const { output, line, found } = facts as Readonly<Record<string, string | undefined>>;
    const said = found === undefined ? message : `warning: the answer has the ${found}`;
    stderr.write(`${visibleText(line === undefined ? said : `${output}: ${line}`)}\n`);
  };
  return { debug: write, info: write, warn: write, error: write };
}

/** @returns the path of the rights file. */
async function record(hook: Hook, { missing }: Examined): Promise<string> {
  const file = await rightsFileOf(hook.path);
  const rules = joinedRules(hook.rights ?? [], rulesFor(missing.map(({ right }) => right)));
  await writeFile(file, formatRights(rules));
  return file;
}

async function writePatches(
  to: string | undefined,
  { documents }: Examined,
  { stdout }: Io,
): Promise<void> {
  if (to === undefined) return;
  const lines = documents.map((document) => `${document.text}\n`).join('');
  if (to === '-') stdout.write(lines);
  else await writeFile(to, lines);
}
