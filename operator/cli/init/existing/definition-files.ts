import type { Readable } from 'node:stream';
import { isDefinition } from '../../../schema/definition.ts';
import { manifestItems, readManifests } from '../../files/manifest-files.ts';
import { collectedKinds, type ExistingKinds } from './collected-kinds.ts';
import { existingKind } from './existing-kind.ts';

/**
 * The kinds of the CustomResourceDefinitions in files or folders. Other objects are skipped.
 *
 * @throws ConfigurationError `CONFIG` when a file cannot be read, or when there is no kind.
 */
export async function definitionKinds(
  paths: readonly string[],
  stdin: Readable,
): Promise<ExistingKinds> {
  const documents = (await readManifests(paths, stdin, '--from-crd ')).flatMap(manifestItems);
  const definitions = documents.flatMap(({ value }) => (isDefinition(value) ? [value] : []));
  const others = documents.length - definitions.length;
  const what = others === 1 ? '1 object that is' : `${others} objects that are`;
  return collectedKinds(
    [
      ...definitions.map((value) => () => existingKind(value)),
      ...(others === 0 ? [] : [() => `${what} no CustomResourceDefinition`]),
    ],
    `--from-crd ${paths.join(', ')}`,
  );
}
