import { lstat, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { projectImageFiles, projectModulePath } from '../../generate/image/project-image.ts';
import type { FileState } from './written-files.ts';

/** An npm project that depends on `chancery`. */
export interface Project {
  /** The folder of the package.json. */
  readonly folder: string;
  /** The paths of the modules, relative to `folder`, with `/` as the separator. */
  readonly modules: readonly string[];
}

/**
 * The project that contains all modules: the folder of the nearest package.json, if its
 * `dependencies` contain `chancery`. Undefined when there is none, or when the modules are in
 * several projects.
 */
export async function projectOf(modules: readonly string[]): Promise<Project | undefined> {
  const files = modules.map((module) => resolve(module));
  const folders = new Set(await Promise.all(files.map((file) => packageFolder(dirname(file)))));
  const [folder] = folders;
  if (folder === undefined || folders.size > 1 || !(await dependsOnToolkit(folder))) {
    return undefined;
  }
  return {
    folder,
    modules: files.map((file) => relative(folder, file).replaceAll(sep, '/')),
  };
}

/** The paths of the modules in the image that `missingImageFiles` describes. */
export function imagePaths({ modules }: Project): readonly string[] {
  return modules.map(projectModulePath);
}

/**
 * The missing Dockerfile and .dockerignore of a project. Empty when the project has a Dockerfile or
 * a Containerfile, because a new .dockerignore might not fit that file.
 */
export async function missingImageFiles(project: Project): Promise<readonly FileState[]> {
  const exists = (name: string): Promise<boolean> =>
    lstat(join(project.folder, name)).then(
      () => true,
      () => false,
    );
  if ((await exists('Dockerfile')) || (await exists('Containerfile'))) return [];
  const states: FileState[] = [];
  for (const { path, text } of projectImageFiles(project.modules)) {
    if (await exists(path)) continue;
    const shown = relative('', join(project.folder, path));
    states.push({ path: shown, state: 'missing', before: '', after: text });
  }
  return states;
}

async function packageFolder(folder: string): Promise<string | undefined> {
  const isThere = await lstat(join(folder, 'package.json')).catch(() => undefined);
  if (isThere !== undefined) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : packageFolder(parent);
}

/**
 * True when package.json has the dependency. False when package.json cannot be read, because Node
 * reports that problem when it imports the modules.
 */
async function dependsOnToolkit(folder: string): Promise<boolean> {
  try {
    const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return Object.hasOwn(dependencies ?? {}, 'chancery');
  } catch {
    return false;
  }
}
