import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { Clock, Log } from 'chancery';
import type { ProgramUsage, RunFolder, RunFolders } from 'chancery/internal';
import { runProgram } from 'chancery/low-level';
import type { Hook } from '../hook.ts';
import { hookOutput } from './hook-output.ts';
import type { HookRunFacts } from './hook-run.ts';

/** The options with which a hook is started. */
export interface InvocationOptions extends HookRunFacts {
  readonly folders: RunFolders;
  /** The environment of every hook: see `hookEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** Time limit in milliseconds for hooks that set no time limit themselves; 0 for no limit. */
  readonly timeoutMs: number;
  /**
   * If the hook prints a line that is a JSON object, its members become fields of the log line.
   * Default false.
   */
  readonly proxiesJsonLines?: boolean;
  readonly clock: Clock;
  /** Receives the lines of output, with the names of the hook, the binding and the queue. */
  readonly log: Log;
}

/** The results of a hook that ended. */
export interface HookAnswer {
  readonly exitCode: number;
  /**
   * Content of the patch file. The file is read even if the hook failed, because it may contain
   * documents with `ignoreHookError`.
   */
  readonly patches: string;
  /** Content of the metrics file. Empty if the hook failed. */
  readonly metrics: string;
  /**
   * Contents of the files with answers to admission reviews and conversions. Empty if the hook
   * failed.
   */
  readonly responses: readonly string[];
  readonly usage: ProgramUsage;
}

/** The file for answers to admission reviews. Two variables contain its path. */
const ADMISSION = 'validating-response';

/**
 * Starts a hook once, without arguments and in the folder of its file, and reads its result files.
 *
 * @param contexts - the text of the file `BINDING_CONTEXT_PATH`, or its pieces.
 * @throws ProgramError `PROGRAM` when the hook cannot be started or exceeds a limit;
 * ResultFileError when a result file cannot be read, unless the exit code says that the hook
 * failed; `signal.reason` when aborted.
 */
export async function invokeHook(
  hook: Hook,
  contexts: string | Iterable<string>,
  options: InvocationOptions,
  signal: AbortSignal,
): Promise<HookAnswer> {
  const { folders, env, timeoutMs, clock, log, proxiesJsonLines = false } = options;
  const facts = { hook: hook.name, binding: options.binding, queue: options.queue };
  await using folder = await folders.create();
  const files = await runFiles(hook.name, contexts, folder);
  const { exitCode, ...usage } = await runProgram({
    program: hook.path,
    cwd: dirname(hook.path),
    env: { ...env, ...files.variables },
    timeoutMs: hook.config.timeoutMs ?? timeoutMs,
    onLine: hookOutput(log, facts, proxiesJsonLines),
    tmpDir: folder.path,
    clock,
    signal,
  });
  if (usage.survivors > 0) {
    const { survivors } = usage;
    log.warn({ ...facts, survivors }, 'the hook left processes behind; they were ended');
  }
  const hasFailed = exitCode !== 0;
  const patches = folder.read(files.patches);
  return {
    exitCode,
    patches: hasFailed ? await patches.catch(() => '') : await patches,
    metrics: hasFailed ? '' : await folder.read(files.metrics),
    responses: hasFailed ? [] : await Promise.all(files.responses.map(folder.read)),
    usage,
  };
}

/**
 * Creates the files in section 3 of the contract of hooks: one with the contexts, and empty files
 * for results.
 */
async function runFiles(
  hookName: string,
  contexts: string | Iterable<string>,
  folder: RunFolder,
): Promise<{
  readonly variables: Readonly<Record<string, string>>;
  readonly patches: string;
  readonly metrics: string;
  readonly responses: readonly string[];
}> {
  const safe = safeName(hookName);
  const id = randomUUID();
  const named = (purpose: string): string => `hook-${safe}-${purpose}-${id}.json`;
  const patches = `${safe}-object-patch-${id}`;
  const metrics = named('metrics');
  const responses = [named(ADMISSION), named('conversion-response')] as const;
  const admission = await folder.write(responses[0], '');
  return {
    variables: {
      BINDING_CONTEXT_PATH: await folder.write(named('binding-context'), contexts),
      KUBERNETES_PATCH_PATH: await folder.write(patches, ''),
      METRICS_PATH: await folder.write(metrics, ''),
      VALIDATING_RESPONSE_PATH: admission,
      ADMISSION_RESPONSE_PATH: admission,
      CONVERSION_RESPONSE_PATH: await folder.write(responses[1], ''),
    },
    ...{ patches, metrics, responses },
  };
}

/**
 * Maximum length of a hook's name within a file name. File systems allow 255 bytes for a file name.
 */
const MAX_SAFE_NAME = 100;

/** A path, changed so that it can be part of a file name. */
function safeName(hookName: string): string {
  return hookName.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, MAX_SAFE_NAME);
}
