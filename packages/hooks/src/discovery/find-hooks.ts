import { access, constants, open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError, messageOf } from 'chancery';

/** A file in a folder of hooks. */
export interface FoundFile {
  /** Path below the folder, with `/` as the separator. */
  readonly name: string;
  /** Absolute path. Symbolic links are not resolved. */
  readonly path: string;
}

/** A hook that cannot be used. */
export interface HookProblem {
  /** Path below the folder. */
  readonly hook: string;
  /** The problem and its remedy in one line that is safe to log. */
  readonly message: string;
}

/** The files of a folder of hooks, each list sorted by name. */
export interface FoundFiles {
  readonly hooks: readonly FoundFile[];
  /** Files that look like hooks but cannot be started. */
  readonly broken: readonly HookProblem[];
  /** Names of files that are not executable and do not look like programs. Hooks may read them. */
  readonly helpers: readonly string[];
  /** Names of files that are never hooks: `.yaml`, `.json`, `.md` and `.txt`. */
  readonly data: ReadonlySet<string>;
}

const DATA = /\.(?:yaml|json|md|txt)$/;

/**
 * Hidden files and folders are skipped, such as `..data` of a mounted ConfigMap. Folders named
 * `lib` are skipped, too.
 */
const SKIPPED = /^\./;
const LIBRARY = 'lib';

/**
 * Maximum depth of nested folders. Without a limit, a link that leads to a parent folder could
 * cause an endless search.
 */
const MAX_DEPTH = 32;

/**
 * The hooks in a folder and its subfolders. Symbolic links are followed, because every file of a
 * mounted ConfigMap is a link.
 *
 * @param options - `inFolders`: also search the subfolders. Default true.
 * @throws ConfigurationError `CONFIG` when the folder cannot be read.
 */
export async function findHooks(
  dir: string,
  { inFolders = true }: { readonly inFolders?: boolean } = {},
): Promise<FoundFiles> {
  const found: Finds = { hooks: [], broken: [], helpers: [], data: new Set(), inFolders };
  await search(dir, '', [], found);
  found.hooks.sort((a, b) => (a.name < b.name ? -1 : 1));
  // A file with a configuration beside it was meant to be started.
  const helpers = found.helpers.filter((name) => !found.data.has(`${name}.yaml`)).sort();
  const meant = found.helpers.filter((name) => found.data.has(`${name}.yaml`));
  const broken = [...found.broken, ...meant.map((hook) => ({ hook, message: NOT_EXECUTABLE }))];
  broken.sort((a, b) => (a.hook < b.hook ? -1 : 1));
  return { ...found, helpers, broken };
}

interface Finds {
  readonly hooks: FoundFile[];
  readonly broken: HookProblem[];
  readonly helpers: string[];
  readonly data: Set<string>;
  readonly inFolders: boolean;
}

/** @param above - the real paths of the parent folders, to detect links that form a circle. */
async function search(
  folder: string,
  prefix: string,
  above: readonly string[],
  found: Finds,
): Promise<void> {
  const real = await readable(folder, () => realpath(folder));
  if (above.includes(real) || above.length > MAX_DEPTH) return;
  for (const entry of await readable(folder, () => readdir(folder))) {
    if (SKIPPED.test(entry)) continue;
    const file = { name: `${prefix}${entry}`, path: join(folder, entry) };
    const stats = await stat(file.path).catch(() => undefined);
    if (stats?.isDirectory() && entry !== LIBRARY) {
      if (found.inFolders) await search(file.path, `${file.name}/`, [...above, real], found);
    } else if (DATA.test(entry)) {
      if (stats?.isFile()) found.data.add(file.name);
    } else if (stats === undefined || stats.isFile()) {
      await addHook(file, stats !== undefined, found);
    }
  }
}

async function addHook(
  file: FoundFile,
  exists: boolean,
  { hooks, broken, helpers }: Finds,
): Promise<void> {
  const isExecutable = await access(file.path, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isExecutable) hooks.push(file);
  else if (!exists) broken.push({ hook: file.name, message: 'is a link to no file' });
  else if (await looksLikeProgram(file.path)) {
    broken.push({ hook: file.name, message: NOT_EXECUTABLE });
  } else helpers.push(file.name);
}

/**
 * The first bytes of scripts and of Linux programs. An editor may have put a byte order mark before
 * the script.
 */
const PROGRAM = /^(?:\xef\xbb\xbf)?(?:#!|\x7fELF)/;

/**
 * True for a file that begins like a script or a program. Also true for a file that cannot be read,
 * because hooks cannot read it as data either.
 */
async function looksLikeProgram(path: string): Promise<boolean> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
    return PROGRAM.test(buffer.toString('latin1', 0, bytesRead));
  } catch {
    return true;
  }
}

export const NOT_EXECUTABLE: string =
  'is not executable: set its execute bit (chmod +x, or defaultMode: 0755 of a ConfigMap volume), or move it ' +
  'to a folder lib if it is no hook';

async function readable<T>(folder: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new ConfigurationError(
      `the folder ${folder} of hooks cannot be read: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
