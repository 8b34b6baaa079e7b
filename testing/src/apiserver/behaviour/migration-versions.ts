import { ConfigurationError } from 'chancery/internal-objects';
import { DIFFERENCES, type ServerGates } from './differences.ts';
import type { ServerGeneration } from './server-generation.ts';

/**
 * The versions of StorageVersionMigrations that a server serves.
 *
 * @param asked - the value of the option `storageMigrations`; undefined if it is omitted.
 * @throws ConfigurationError `CONFIG` when the option is true and the release has no version of
 * StorageVersionMigrations.
 */
export function migrationVersions(
  asked: boolean | undefined,
  generation: ServerGeneration,
  { storageMigrations }: ServerGates,
): readonly string[] {
  if (asked === false) return [];
  if (asked === undefined) return storageMigrations === 'v1' ? ['v1'] : [];
  if (storageMigrations === 'none') {
    const first = DIFFERENCES.storageMigrations.steps[0]?.since;
    throw new ConfigurationError(
      `Kubernetes ${generation} has no StorageVersionMigrations that the embedded API server knows: choose ${first} or later`,
    );
  }
  return storageMigrations === 'v1' ? ['v1', 'v1beta1'] : ['v1beta1'];
}
