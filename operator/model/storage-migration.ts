import type { Condition } from './condition.ts';
import type { KubernetesObject } from './object.ts';
import { apiVersionOf, defineResource, type Resource } from './resource.ts';

/**
 * Asks the control plane to write every stored object of a resource again, in its storage version. Since
 * Kubernetes 1.37 every API server serves `v1`. Before 1.37, an administrator must enable `v1beta1` (since
 * 1.35) or `v1alpha1` (since 1.30).
 */
export interface StorageVersionMigration extends KubernetesObject {
  readonly spec: {
    readonly resource: {
      readonly group: string;
      readonly resource: string;
      /** Set only in `v1alpha1`. */
      readonly version?: string;
    };
  };
  readonly status?: { readonly conditions?: readonly Condition[] | null };
}

/** Versions of the migration's API, newest first. */
export const MIGRATION_VERSIONS: readonly string[] = ['v1', 'v1beta1', 'v1alpha1'];

/** The resource of migrations in one of these versions. */
export function storageMigrations(version: string): Resource<StorageVersionMigration> {
  return defineResource<StorageVersionMigration>({
    group: 'storagemigration.k8s.io',
    version,
    plural: 'storageversionmigrations',
    kind: 'StorageVersionMigration',
    namespaced: false,
  });
}

/**
 * The migration of a definition's objects to a storage version.
 *
 * @param definition - the name of the definition, such as `websites.example.dev`.
 * @param target - the storage version.
 * @param version - the version of the migration's API.
 */
export function storageMigration(
  definition: string,
  target: string,
  version: string = 'v1',
): StorageVersionMigration {
  const dot = definition.indexOf('.');
  const resource = { group: definition.slice(dot + 1), resource: definition.slice(0, dot) };
  return {
    apiVersion: apiVersionOf(storageMigrations(version)),
    kind: 'StorageVersionMigration',
    metadata: { name: `${definition}-${target}` },
    spec: { resource: version === 'v1alpha1' ? { ...resource, version: target } : resource },
  };
}
