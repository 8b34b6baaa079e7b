import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import type { MountedFolder } from '../../generate/manifests/mounted-folder.ts';

/**
 * Maximum total size of the files in bytes. The kubelet and the API server limit the size of an
 * object, and keys and metadata also need space.
 */
const MAX_BYTES = 1_000_000;

/** Matches files that are not mounted, because no program needs them in the Pod. */
const LEFT_OUT = /^(?:\..*|.*\.md|kustomization\.yaml)$/;

/** Matches files in the folder `hooks` that are never hooks, even if they are executable. */
const DATA = /\.(?:yaml|json|md|txt)$/;

/**
 * The files of a folder, as the manifests mount them.
 *
 * @param mount - the name of the mount point, as in `MountedFolder`. Messages contain it.
 * @param output - the folder of the manifests.
 * @throws ConfigurationError `CONFIG` when the files are too large for a ConfigMap, and when the
 * manifests would be in the folder.
 */
export async function mountedFolder(
  mount: string,
  dir: string,
  output: string,
): Promise<MountedFolder> {
  const [from, to] = [join(resolve(output), 'base'), resolve(dir)];
  if (`${resolve(output)}${sep}`.startsWith(`${to}${sep}`)) {
    throw new ConfigurationError(
      `the manifests cannot be in ${dir}, the folder of the ${mount}: name another folder with -o`,
    );
  }
  const files: FileOfFolder[] = [];
  try {
    await collect(to, '', files);
  } catch (error) {
    throw new ConfigurationError(`cannot read ${dir}: ${messageOf(error)}`, { cause: error });
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_BYTES) {
    throw new ConfigurationError(
      `the files in ${dir} have ${bytes} bytes, and a ConfigMap takes ${MAX_BYTES}: put them into an image`,
    );
  }
  const paths = files.map(({ path }) => path).sort();
  // Hooks are found by their execute bit, which a ConfigMap would set for all files.
  const plain = mount === 'hooks' ? files.filter(({ isPlain }) => isPlain) : [];
  return {
    ...{ mount, fromBase: relative(from, to).replaceAll(sep, '/'), files: paths },
    plain: plain.map(({ path }) => path),
  };
}

interface FileOfFolder {
  readonly path: string;
  readonly size: number;
  readonly isPlain: boolean;
}

/**
 * Adds the contents of the files to a mounted folder.
 *
 * @throws ConfigurationError `CONFIG` for a file that is not text. Packages contain the files in
 * the data of a ConfigMap.
 */
export async function withTexts(folder: MountedFolder, dir: string): Promise<MountedFolder> {
  const texts = new Map<string, string>();
  for (const path of folder.files) {
    try {
      const bytes = await readFile(join(dir, path));
      texts.set(path, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    } catch (error) {
      throw new ConfigurationError(`cannot read ${join(dir, path)} as text: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
  return { ...folder, texts };
}

async function collect(root: string, below: string, files: FileOfFolder[]): Promise<void> {
  for (const name of await readdir(join(root, below))) {
    if (LEFT_OUT.test(name)) continue;
    const path = below === '' ? name : `${below}/${name}`;
    const found = await stat(join(root, path));
    if (found.isDirectory()) await collect(root, path, files);
    else if (found.isFile()) {
      const isPlain = (found.mode & 0o111) === 0 && !DATA.test(name);
      files.push({ path, size: found.size, isPlain });
    }
  }
}
