import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Io, readManifests } from 'chancery/internal';

/**
 * The CustomResourceDefinitions that the kinds of hooks are known by.
 *
 * @param crds - files or folders as given. Undefined: the folder `crds` of the hooks, if there is one.
 * @throws ConfigurationError `CONFIG` for a file that cannot be read or is not YAML.
 */
export async function definitionsFor(
  dir: string,
  crds: readonly string[] | undefined,
  { stdin }: Pick<Io, 'stdin'>,
): Promise<readonly unknown[]> {
  const folder = join(dir, 'crds');
  const hasOwn = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const paths = crds ?? (hasOwn ? [folder] : []);
  return (await readManifests(paths, stdin, '--crd ')).map(({ value }) => value);
}
