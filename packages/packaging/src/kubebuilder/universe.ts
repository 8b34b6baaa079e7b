import { ConfigurationError } from 'chancery';

/** Matches the path of a file in a folder whose files are always ignored. The folder may have any depth. */
const INSTALLED = /(?:^|\/)(?:\.git|node_modules)\//;

/** Files in the root folder that are read. */
const ROOT_FILES: ReadonlySet<string> = new Set([
  'PROJECT',
  'chancery.json',
  'package.json',
  'tsconfig.json',
]);

/** Files in subfolders that are read. */
const READ =
  /^(?:config\/.*\.ya?ml|(?:cmd|internal|controllers|pkg)\/.*\.go|(?:typescript\/)?(?:src\/.*\.ts|samples\/.*\.yaml|package\.json))$/;

/** True for a file of an installed package, or of git's own data. */
export function isInstalled(path: string): boolean {
  return INSTALLED.test(path);
}

/** True when the plugin reads a file. The contents of all other files are dropped when they arrive. */
export function isRead(path: string): boolean {
  return !isInstalled(path) && (ROOT_FILES.has(path) || READ.test(path));
}

/**
 * A path in `universe`, with `/` as the separator. Undefined for an absolute path, and for a path
 * that leaves the folder.
 */
export function normalPath(path: string): string | undefined {
  const normal = path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  return isInside(normal) ? normal : undefined;
}

/**
 * The files that an answer must contain, sorted by path.
 *
 * kubebuilder joins a path to the working directory without a check, and overwrites existing files.
 * So each path is checked here, and unchanged files are omitted.
 *
 * @param before - the contents of the files that were read.
 * @param paths - the paths of all files of the project.
 * @throws Error for a path outside of the project, which is a bug of the toolkit;
 * ConfigurationError `CONFIG` when a file would lose text that could not be read.
 */
export function answeredFiles(
  files: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, string>,
  paths: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const changed = [...files].filter(([path, text]) => before.get(path) !== text);
  requireFolders(
    changed.map(([path]) => path),
    new Set([...paths, ...files.keys()]),
  );
  for (const [path] of changed) {
    if (!isInside(path) || path === 'PROJECT' || isInstalled(path)) {
      throw new Error(`an answer must not contain the path ${JSON.stringify(path)}`);
    }
    const old = before.get(path);
    if (old === undefined ? paths.has(path) : old.includes('\ufffd')) {
      throw new ConfigurationError(
        `${path} would be changed, and it is no text in UTF-8 or too long: nothing was written`,
      );
    }
  }
  return Object.fromEntries(changed.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Checks that no file has the same path as a needed folder, and no folder has the same path as a
 * file. kubebuilder writes file by file, so such a conflict would stop it after some files.
 *
 * @throws ConfigurationError `CONFIG` when a file and a folder have the same path.
 */
function requireFolders(changed: readonly string[], paths: ReadonlySet<string>): void {
  const all = [...paths];
  for (const path of changed) {
    const inTheWay = foldersOf(path).find((folder) => paths.has(folder));
    if (inTheWay !== undefined) {
      throw new ConfigurationError(
        `${path} cannot be written, because ${inTheWay} is a file: move it away; nothing was written`,
      );
    }
    if (all.some((each) => each.startsWith(`${path}/`))) {
      throw new ConfigurationError(
        `${path} cannot be written, because it is a folder: move it away; nothing was written`,
      );
    }
  }
}

/** The parent folders of a path: `a` and `a/b` for `a/b/c.yaml`. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
}

/** Matches a path with an empty segment, `.` or `..`. */
const OUTSIDE = /(?:^|\/)\.{0,2}(?:\/|$)/;

/**
 * True for a relative path without empty segments, `.` and `..`. A path with a drive such as `C:`
 * also counts as absolute.
 */
function isInside(path: string): boolean {
  if (/[\\\0]|^[A-Za-z]:/.test(path)) return false;
  return !OUTSIDE.test(path);
}
