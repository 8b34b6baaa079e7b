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
  /** What to apply when the new definition is installed. */
  readonly manifest: StorageVersionMigration;
}

/**
 * The migration that a change of the storage version asks for; undefined when objects are stored in the new storage
 * version already, or when the new definition has their version no more: then it cannot be installed.
 *
 * @param before - as the cluster has it. Without a status its storage version counts as the stored one.
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
