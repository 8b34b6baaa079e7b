import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Io, readManifests } from 'chancery/internal';

/**
 * The CustomResourceDefinitions from which the kinds of hooks are resolved.
 *
 * @param crds - files or folders. If undefined, the folder `crds` in the folder of hooks is read,
 * if it exists.
 * @throws ConfigurationError `CONFIG` when a file cannot be read or is not YAML.
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
