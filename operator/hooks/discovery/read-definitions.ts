import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { parseYamlDocuments } from '../../core/yaml.ts';

/** A folder beside the hooks with definitions of kinds. */
const FOLDER = 'crds';

/**
 * The documents of the YAML files in the folder `crds` of a folder of hooks, and of `files`.
 *
 * @param files - paths, as `--crd` names them.
 * @throws ConfigurationError `CONFIG` for a file that cannot be read or is not YAML.
 */
export async function readDefinitions(
  dir: string,
  files: readonly string[] = [],
): Promise<readonly unknown[]> {
  const folder = join(dir, FOLDER);
  const names = await readdir(folder).catch(() => []);
  const own = names.filter((name) => /^[^.].*\.ya?ml$/.test(name)).sort();
  const paths = [...own.map((name) => join(folder, name)), ...files];
  const documents = await Promise.all(paths.map(documentsOf));
  return documents.flat();
}

async function documentsOf(path: string): Promise<readonly unknown[]> {
  try {
    return parseYamlDocuments(await readFile(path, 'utf8'));
  } catch (error) {
    throw new ConfigurationError(`cannot read definitions from ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
