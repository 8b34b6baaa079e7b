import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type Clock, ConfigurationError, type Log } from 'chancery';
import {
  createYamlReader,
  type ExitCode,
  encodeExact,
  type Io,
  type Mapping,
  parseExact,
  RunFolders,
  requireNoFunction,
  settingsFrom,
  sortedJson,
  type TestHookArguments,
  type TestHookParts,
  visibleText,
  type YamlReader,
} from 'chancery/internal';
import { runProgram } from 'chancery/low-level';
import { loadHookFile, rightsFileOf } from '../discovery/load-hooks.ts';
import type { Hook } from '../hook.ts';
import { HOOKS_DEFAULTS } from '../hooks-program.ts';
import { createJq } from '../jq/create-jq.ts';
import type { Jq } from '../jq/jq.ts';
import { formatRights, joinedRules, rulesFor } from '../rights/required-rights.ts';
import { hookEnvironment } from '../run/hook-environment.ts';
import { type HookAnswer, invokeHook } from '../run/invoke-hook.ts';
import { type Examined, examined } from './examine.ts';
import { contextLines, examinedLines } from './report.ts';
import { completedSample, requireContexts } from './sample.ts';

interface Engines {
  readonly jq: Jq;
  readonly yaml: YamlReader;
}

/** Starts one hook with a sample, and checks its results. */
export async function testHook(sample: unknown, parts: TestHookParts): Promise<ExitCode> {
  const { clock } = parts;
  const jq = createJq({ clock });
  const yaml = createYamlReader({ clock });
  try {
    return await tested(sample, parts, { jq, yaml });
  } finally {
    await Promise.all([jq.close(), yaml.close()]);
  }
}

async function tested(
  sample: unknown,
  { asked, known, clock, io, log }: TestHookParts,
  { jq, yaml }: Engines,
): Promise<ExitCode> {
  const env = hookEnvironment(io.env, settingsFrom(io.env).apiUrl, asked.hookEnv);
  const file = requireNoFunction(asked);
  requireContexts(sample); // checked before the file is started, because it may not be a hook
  const { signal } = io;
  const hook = await loadHookFile(file, { env, runProgram, yaml, clock, signal });
  const filter = (program: string, object: unknown) => filtered(jq, program, object, signal);
  const contexts = await completedSample(sample, { hook, known, filter });
  // If the documents are written to standard output, the report is written to standard error.
  const report = asked.patchesTo === '-' ? io.stderr : io.stdout;
  const say = (lines: readonly string[]): void => {
    for (const line of lines) report.write(`${visibleText(line)}\n`);
  };
  say(contextLines(contexts));
  const answer = await started(hook, contexts, { asked, env, clock, io, log });
  say([`exit code ${answer.exitCode}`]);
  const context = contexts.length === 1 ? contexts[0] : undefined;
  const found = await examined(answer, { hook, known, jq, yaml, signal, asked: context });
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
  contexts: readonly Mapping[],
  given: {
    readonly asked: TestHookArguments;
    readonly env: Readonly<Record<string, string>>;
    readonly clock: Clock;
    readonly io: Io;
    readonly log: Log;
  },
): Promise<HookAnswer> {
  const { asked, env, clock, io, log } = given;
  await using folders = await RunFolders.open(tmpdir());
  const facts = { binding: String(contexts.at(-1)?.binding), queue: 'main' };
  const { hookTimeout: timeoutMs = HOOKS_DEFAULTS.timeoutMs } = asked;
  const options = { ...facts, folders, env, timeoutMs, clock, log };
  return await invokeHook(hook, `${sortedJson(encodeExact(contexts))}\n`, options, io.signal);
}

/**
 * Adds the missing permissions to the rights file.
 *
 * @returns the path of the rights file.
 */
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
