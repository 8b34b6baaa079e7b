import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { namesIn } from '../files/new-files.ts';

/** The project of a module. */
export interface ProjectFolder {
  /** The nearest folder above the module that has a package.json. */
  readonly root: string;
  /** The folder of the module relative to the root, with `/` as the separator. */
  readonly sources: string;
  /** The file name of the module. */
  readonly module: string;
  readonly moduleText: string;
}

/**
 * Finds the project to which a module belongs.
 *
 * @throws ConfigurationError `CONFIG` when the module does not exist, or when there is no
 * package.json above it.
 */
export async function projectOf(path: string): Promise<ProjectFolder> {
  const moduleText = await readModule(path);
  const folder = dirname(resolve(path));
  for (let root = folder; ; root = dirname(root)) {
    if ((await namesIn(root)).includes('package.json')) {
      const sources = relative(root, folder).split(sep).join('/');
      return { root, sources: sources === '' ? '.' : sources, module: basename(path), moduleText };
    }
    if (root === dirname(root)) break;
  }
  throw new ConfigurationError(
    `no folder above ${path} has a package.json: chancery init NAME writes a project`,
  );
}

async function readModule(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'there is no such file' : messageOf(error);
    throw new ConfigurationError(
      `cannot read ${path}: ${why}; run this command in the folder of a project, or name the module that ` +
        'exports its controllers with --module',
      { cause: error },
    );
  }
}

/**
 * Searches the folder of the module for a file that defines a kind. Undefined when there is none.
 * Tests are ignored.
 */
export async function definingFile(
  { root, sources }: ProjectFolder,
  { group, kind }: { readonly group: string; readonly kind: string },
): Promise<string | undefined> {
  const has = (text: string, field: string, value: string): boolean =>
    new RegExp(`\\b${field}:\\s*['"]${value.replaceAll('.', '\\.')}['"]`).test(text);
  const folder = join(root, sources);
  for (const name of (await readdir(folder)).sort()) {
    if (!/\.[cm]?[jt]s$/.test(name) || /\.test\./.test(name)) continue;
    const text = await readFile(join(folder, name), 'utf8');
    if (has(text, 'group', group) && has(text, 'kind', kind)) return name;
  }
  return undefined;
}
