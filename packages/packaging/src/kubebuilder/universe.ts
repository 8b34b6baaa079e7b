import { ConfigurationError } from 'chancery';

/** Folders whose files are never looked at, wherever they are. */
const INSTALLED = /(?:^|\/)(?:\.git|node_modules)\//;

/** Files of the root that are read. */
const ROOT_FILES: ReadonlySet<string> = new Set([
  'PROJECT',
  'chancery.json',
  'package.json',
  'tsconfig.json',
]);

/** Folders of which these files are read. */
const READ =
  /^(?:config\/.*\.ya?ml|(?:cmd|internal|controllers|pkg)\/.*\.go|(?:typescript\/)?(?:src\/.*\.ts|samples\/.*\.yaml|package\.json))$/;

/** Whether a file is one of an installed package, or of git's own data. */
export function isInstalled(path: string): boolean {
  return INSTALLED.test(path);
}

/** Whether the plugin reads a file. The texts of all others are dropped while they arrive. */
export function isRead(path: string): boolean {
  return !isInstalled(path) && (ROOT_FILES.has(path) || READ.test(path));
}

/**
 * A path of the universe with `/` as the separator; undefined for a path that no walk of a folder gives: one
 * that leaves the folder, or an absolute one.
 */
export function normalPath(path: string): string | undefined {
  const normal = path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  return isInside(normal) ? normal : undefined;
}

/**
 * The files of an answer, sorted by path.
 *
 * kubebuilder joins a path to the working directory without a look at it, and truncates what is there. So each
 * path is checked, and a file is only repeated when it changes.
 *
 * @param before - the texts of the files that were read.
 * @param paths - of all files of the project.
 * @throws Error for a path outside of the project, which is a bug of the toolkit.
 * @throws ConfigurationError `CONFIG` when a file would lose text that could not be read.
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
 * kubebuilder writes file by file: a file in the place of a folder would stop it after some of them.
 *
 * @throws ConfigurationError `CONFIG` for a file where a folder is needed, or a folder where a file is.
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

/** `a` and `a/b` of `a/b/c.yaml`. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
}

/** An empty part, `.` or `..`. */
const OUTSIDE = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** Relative, and without empty parts, `.` and `..`. A drive such as `C:` makes a path absolute, too. */
function isInside(path: string): boolean {
  if (/[\\\0]|^[A-Za-z]:/.test(path)) return false;
  return !OUTSIDE.test(path);
}
