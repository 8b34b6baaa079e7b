import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import { type Clock, ConfigurationError, OperatorError } from 'chancery';
import type { YamlReader } from 'chancery/internal';
import type { runProgram } from 'chancery/low-level';
import { readDocument } from '../config/fields.ts';
import { parseConfig } from '../config/parse-config.ts';
import type { Hook, HookConfig, HookRight } from '../hook.ts';
import { parseRights } from '../rights/rights-file.ts';
import {
  type FoundFile,
  type FoundFiles,
  findHooks,
  type HookProblem,
  NOT_EXECUTABLE,
} from './find-hooks.ts';

export type { HookProblem } from './find-hooks.ts';

export interface LoadHooksOptions {
  /**
   * The environment of a hook that is started with `--config`. It is the same as for a run, without
   * the paths of files.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Parses the answers to `--config`, and the files of hooks. */
  readonly yaml: Pick<YamlReader, 'read'>;
  /** Starts the hooks. */
  readonly runProgram: typeof runProgram;
  /** If true, broken hooks are reported as problems. Default false: the first broken hook causes an error. */
  readonly skipBroken?: boolean;
  /** Time limit in milliseconds for one hook that is started with `--config`. Default 60 s. */
  readonly timeoutMs?: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface LoadedHooks {
  /** The hooks that can be used, sorted by path. */
  readonly hooks: readonly Hook[];
  /** The broken hooks, sorted by path. Empty unless `skipBroken` is set. */
  readonly problems: readonly HookProblem[];
  /**
   * Files that are not hooks, because they have neither an execute bit nor a `#!` line. Sorted by
   * path.
   */
  readonly helpers: readonly string[];
}

/**
 * Number of hooks that are started with `--config` at the same time. Starting 300 scripts one after
 * the other would take many seconds.
 */
const MAX_AT_ONCE = 4;

/**
 * Loads the hooks in a folder. Finds the executables, gets the configuration of each, and reads the
 * rights files. The configuration is the file `HOOK.yaml` beside the hook, or else the answer to
 * `--config`.
 *
 * @throws ConfigurationError `CONFIG` when the folder has no hooks, and for the first broken hook
 * in path order; `signal.reason` when aborted.
 */
export async function loadHooks(dir: string, options: LoadHooksOptions): Promise<LoadedHooks> {
  const root = resolve(dir);
  const files = await findHooks(root);
  if (files.hooks.length + files.broken.length === 0) {
    throw new ConfigurationError(`the folder ${dir} has no hooks: expected executable files`);
  }
  const loaded = await inParallel(files.hooks, (file) => loadHook(root, file, files, options));
  const problems = [
    ...files.broken,
    ...strayRights(files),
    ...loaded.filter((each) => 'message' in each),
  ];
  const read = loaded.filter((each) => 'config' in each);
  const shared = sharedByHooks(read);
  problems.push(...shared);
  problems.sort((a, b) => (a.hook < b.hook ? -1 : 1));
  const [first] = problems;
  if (first !== undefined && options.skipBroken !== true) {
    throw new ConfigurationError(`${first.hook}: ${first.message}`, {
      context: { hook: first.hook },
    });
  }
  const hooks = read.filter(({ name }) => !shared.some(({ hook }) => hook === name));
  return { hooks, problems, helpers: files.helpers };
}

/** Problems of hooks that declare the same webhook or conversion as a hook before them. */
function sharedByHooks(hooks: readonly Hook[]): readonly HookProblem[] {
  const owners = new Map<string, string>();
  return hooks.flatMap(({ name: hook, config }) => {
    const problem = declaredBy(config).flatMap(({ what, path }) => {
      const owner = owners.get(what);
      owners.set(what, owner ?? hook);
      return owner === undefined
        ? []
        : [`${path}: ${owner} has the ${what}, too: only one hook can answer`];
    })[0];
    return problem === undefined ? [] : [{ hook, message: problem }];
  });
}

/**
 * The webhooks and conversions that a hook declares. Only one hook may declare each of them,
 * because the API server calls only one hook.
 */
function declaredBy({ admission, conversions }: HookConfig) {
  return [
    ...admission.map(({ type, name, path }) => ({ what: `${type} webhook ${name}`, path })),
    ...conversions.flatMap(({ crdName, steps, path }) =>
      steps.map(({ fromVersion, toVersion }) => {
        const [from, to] = [fromVersion, toVersion].map((text) => text.replace(/^.*\//, ''));
        return { what: `conversion of ${crdName} from ${from} to ${to}`, path };
      }),
    ),
  ];
}

/**
 * Loads one hook. The other hooks of its folder are not started.
 *
 * @throws ConfigurationError `CONFIG` when the file is not a hook or the hook is broken;
 * `signal.reason` when aborted.
 */
export async function loadHookFile(path: string, options: LoadHooksOptions): Promise<Hook> {
  const full = resolve(path);
  const root = dirname(full);
  const name = basename(full);
  const files = await findHooks(root, { inFolders: false });
  const file = files.hooks.find((hook) => hook.name === name);
  const problem = files.helpers.includes(name)
    ? NOT_EXECUTABLE
    : (files.broken.find(({ hook }) => hook === name)?.message ?? NO_HOOK);
  if (file === undefined) throw new ConfigurationError(`${path}: ${problem}`);
  const hook = await loadHook(root, file, files, options);
  if ('message' in hook) throw new ConfigurationError(`${path}: ${hook.message}`);
  return hook;
}

const NO_HOOK =
  'is no hook: expected an executable file whose name does not begin with "." and does not end with .yaml, .json, ' +
  '.md or .txt';

async function inParallel<T, R>(
  items: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const rest = items.entries();
  const work = async (): Promise<void> => {
    for (const [at, item] of rest) results[at] = await run(item);
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
  return results;
}

async function loadHook(
  root: string,
  file: FoundFile,
  files: FoundFiles,
  options: LoadHooksOptions,
): Promise<Hook | HookProblem> {
  try {
    const rights = await rightsOf(root, file, files, options);
    const config = await configOf(root, file, files, options);
    return { ...file, config, rights };
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof OperatorError)) throw error;
    return { hook: file.name, message: error.message };
  }
}

async function configOf(
  root: string,
  { name, path }: FoundFile,
  { data }: FoundFiles,
  options: LoadHooksOptions,
): Promise<HookConfig> {
  const { env, timeoutMs, clock, signal, runProgram, yaml } = options;
  if (data.has(`${name}.yaml`)) {
    const text = await readBeside(root, `${path}.yaml`, `${name}.yaml`);
    return await within(`${name}.yaml`, async () =>
      parseConfig(await readDocument(text, yaml, signal)),
    );
  }
  const { exitCode, stdout, stderrEnd } = await runProgram({
    program: path,
    args: ['--config'],
    cwd: root,
    ...{ env, clock, signal },
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  if (exitCode === 0) {
    return await within('--config', async () =>
      parseConfig(await readDocument(stdout, yaml, signal)),
    );
  }
  const last = stderrEnd.trim().split('\n').at(-1)?.slice(0, 256) ?? '';
  throw new ConfigurationError(
    `--config ended with exit code ${exitCode}${last === '' ? '' : `: ${last}`}`,
  );
}

/** The path of the rights file of a hook: the existing file, or else the path where it belongs. */
export async function rightsFileOf(path: string): Promise<string> {
  const short = `${stemOf(path)}.rights.yaml`;
  const isThere = await stat(short).then(
    () => true,
    () => false,
  );
  return isThere ? short : `${path}.rights.yaml`;
}

/** The rights of a hook. Undefined when it has no rights file. */
async function rightsOf(
  root: string,
  { name, path }: FoundFile,
  { hooks, data }: FoundFiles,
  { yaml, signal }: LoadHooksOptions,
): Promise<readonly HookRight[] | undefined> {
  const stem = stemOf(name);
  const candidates = [...new Set([name, stem])].map((each) => `${each}.rights.yaml`);
  const [file, other] = candidates.filter((each) => data.has(each));
  if (file === undefined) return undefined;
  if (other !== undefined) {
    throw new ConfigurationError(`has two rights files, ${file} and ${other}: keep one of them`);
  }
  const sharing = hooks.find((hook) => hook.name !== name && stemOf(hook.name) === stem);
  if (sharing !== undefined && file !== `${name}.rights.yaml`) {
    throw new ConfigurationError(
      `${file} could also be that of ${sharing.name}: name it ${name}.rights.yaml`,
    );
  }
  const text = await readBeside(root, `${path.slice(0, path.length - name.length)}${file}`, file);
  return await within(file, async () => parseRights(await readDocument(text, yaml, signal)));
}

/**
 * Maximum size of a file beside a hook: as much as fits into a ConfigMap. Such files usually have a
 * few kilobytes.
 */
const MAX_FILE_BYTES = 1_000_000;

/**
 * Reads a file that belongs to a hook. The file may be a link within its folder, as in a mounted
 * ConfigMap. A link that leads elsewhere is refused: the author of the link may not be allowed to
 * read that file, and error messages quote from the file.
 */
async function readBeside(root: string, path: string, name: string): Promise<string> {
  const real = await realpath(path);
  const folders = await Promise.all([realpath(root), realpath(dirname(path))]);
  if (!folders.some((folder) => real.startsWith(`${folder}${sep}`))) {
    throw new ConfigurationError(
      `${name} is a link that leads out of the folder of hooks: put the file itself there`,
    );
  }
  const { size } = await stat(real);
  if (size > MAX_FILE_BYTES) {
    throw new ConfigurationError(`${name} has ${size} bytes, more than ${MAX_FILE_BYTES}`);
  }
  return readFile(real, 'utf8');
}

/**
 * Problems for rights files without a hook. Without this check, a misspelt name would be noticed
 * only later, when a patch is refused because no rights file declares it.
 */
function strayRights({ hooks, broken, data }: FoundFiles): readonly HookProblem[] {
  const names = [...hooks.map(({ name }) => name), ...broken.map(({ hook }) => hook)];
  const owners = new Set(names.flatMap((name) => [name, stemOf(name)]));
  return [...data]
    .filter((file) => file.endsWith('.rights.yaml'))
    .filter((file) => !owners.has(file.slice(0, -'.rights.yaml'.length)))
    .map((hook) => ({ hook, message: 'is the rights file of no hook: look at its name' }));
}

/** The name without its last extension. */
function stemOf(name: string): string {
  return name.replace(/(?<=[^/])\.[^./]+$/, '');
}

/**
 * Adds `place`, which says where the text comes from, in front of the message of a
 * ConfigurationError.
 */
async function within<T>(place: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`${place}: ${error.message}`, { cause: error });
  }
}
