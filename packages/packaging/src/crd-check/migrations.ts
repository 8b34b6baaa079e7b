import {
  type CheckedDefinition,
  type StorageVersionMigration,
  storageMigration,
} from 'chancery/internal';

/** Objects that have to be written again after a change of a definition. */
export interface Migration {
  /** The name of the definition. */
  readonly definition: string;
  /** The versions in which objects are stored, apart from the new storage version. */
  readonly from: readonly string[];
  /** The new storage version. */
  readonly to: string;
  /** The manifest to apply after the new definition is installed. */
  readonly manifest: StorageVersionMigration;
}

/**
 * The migration that a change of the storage version requires. Undefined when objects are already
 * stored in the new storage version. Also undefined when the new definition no longer has a version
 * in which objects are stored, because such a definition cannot be installed.
 *
 * @param before - the definition in the cluster. Without a status, its storage version counts as
 * the stored version.
 */
export function migrationOf(
  before: CheckedDefinition,
  { name, versions, storageVersion: to }: CheckedDefinition,
): Migration | undefined {
  const known = new Set(versions.map((version) => version.name));
  const from = before.storedVersions.filter((version) => version !== to && known.has(version));
  if (to === undefined || from.length === 0) return undefined;
  return { definition: name, from, to, manifest: storageMigration(name, to) };
}
