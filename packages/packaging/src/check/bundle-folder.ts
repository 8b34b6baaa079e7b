import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError, messageOf } from 'chancery';

/**
 * Limits on the files of a bundle. They are far above any bundle that OLM accepts, because OLM
 * accepts at most 1 MiB after compression.
 */
const MAX_FILES = 1_000;
const MAX_BYTES = 32 * 1_048_576;

/** Folders of a bundle. Their parent folder may contain further files, such as a whole project. */
const PARTS = ['manifests', 'metadata', 'tests'];
const DOCKERFILE = 'bundle.Dockerfile';

/**
 * Reads the files of a bundle, keyed by their paths relative to its folder. `bundle.Dockerfile` may
 * be beside the folder, where operator-sdk writes it.
 *
 * @throws ConfigurationError `CONFIG` when the folder cannot be read or contains too much. The
 * message contains the path of the folder.
 */
export async function readBundleFolder(folder: string): Promise<ReadonlyMap<string, string>> {
  try {
    if (!(await stat(folder)).isDirectory()) throw new Error('it is no folder');
    const paths = (await Promise.all(PARTS.map((part) => pathsIn(folder, part)))).flat();
    if (paths.length > MAX_FILES) throw new Error(`it has more than ${MAX_FILES} files`);
    const files = new Map<string, string>();
    let bytes = 0;
    for (const path of paths.sort()) {
      bytes += (await stat(join(folder, path))).size;
      if (bytes > MAX_BYTES) throw new Error(`its files have more than ${MAX_BYTES} bytes`);
      files.set(path, await readFile(join(folder, path), 'utf8'));
    }
    const dockerfile = await dockerfileOf(folder);
    if (dockerfile !== undefined) files.set(DOCKERFILE, dockerfile);
    return files;
  } catch (error) {
    throw new ConfigurationError(`cannot read the bundle ${folder}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function pathsIn(folder: string, part: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const visit = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = `${below}/${entry.name}`;
      if (paths.length > MAX_FILES) return;
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) paths.push(path);
    }
  };
  await visit(part).catch(ignoreMissing);
  return paths;
}

async function dockerfileOf(folder: string): Promise<string | undefined> {
  for (const path of [join(folder, DOCKERFILE), join(folder, '..', DOCKERFILE)]) {
    const text = await readFile(path, 'utf8').catch(ignoreMissing);
    if (text !== undefined) return text;
  }
  return undefined;
}

function ignoreMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  return undefined;
}
