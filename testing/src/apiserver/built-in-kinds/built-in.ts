import { apiVersionOf, resourceName } from 'chancery/internal-objects';
import {
  BUILT_IN_RESOURCES,
  type BuiltInResource,
  MIGRATION_RESOURCES,
  OLDER_RESOURCES,
} from '../registry/built-in-resources.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { builtInColumns } from '../tables/built-in-columns.ts';
import type { TableColumn } from '../tables/column.ts';
import { DEFINITION_COLUMNS } from '../tables/definition-columns.ts';
import { AUTOSCALER_SHAPE } from './autoscaling-shape.ts';
import { builtInStrategy } from './built-in-strategy.ts';
import { EVENT_SHAPE } from './event-shape.ts';

/** Kinds for which a PUT of an object that does not exist creates the object. */
const CREATED_BY_UPDATE: ReadonlySet<string> = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'Endpoints',
  'Event',
  'Lease',
  'LimitRange',
  'Role',
  'RoleBinding',
]);

/** The settings that decide which built-in resources a server has. */
export interface ServedBy {
  /** The served versions of StorageVersionMigrations, the stored version first. */
  readonly storageMigrations: readonly string[];
  /**
   * The resources and subresources that this server does not serve. Each resource is written as
   * `group/version/plural`.
   */
  readonly unserved: ReadonlySet<string>;
  readonly gates: { readonly definitionColumns: boolean };
}

/** Every built-in resource of a server, with its rules. */
export function builtInResources(by: ServedBy): readonly ServedResource[] {
  const migrations = MIGRATION_RESOURCES.filter(({ version }) =>
    by.storageMigrations.includes(version),
  );
  return [...BUILT_IN_RESOURCES, ...migrations, ...OLDER_RESOURCES]
    .filter((resource) => !by.unserved.has(pathOf(resource)))
    .map((resource) => served(withServedParts(resource, by.unserved), by));
}

/** The group, version and plural of a resource, such as `apps/v1/deployments` or `v1/pods`. */
function pathOf(resource: BuiltInResource): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}

function withServedParts(
  resource: BuiltInResource,
  unserved: ServedBy['unserved'],
): BuiltInResource {
  const subresources = resource.subresources.filter(
    ({ name }) => !unserved.has(`${pathOf(resource)}/${name}`),
  );
  return { ...resource, subresources };
}

/** The storage version of a resource, for groups that serve it in two versions. */
function storageVersionOf({ group, version }: BuiltInResource, by: ServedBy): string {
  if (group === 'autoscaling') return 'v2';
  if (group === 'storagemigration.k8s.io') return by.storageMigrations[0] ?? version;
  return version.includes('beta') ? 'v1' : version;
}

function columnsOf({ kind }: BuiltInResource, { gates }: ServedBy): readonly TableColumn[] {
  const isDefinition = kind === 'CustomResourceDefinition';
  return isDefinition && gates.definitionColumns ? DEFINITION_COLUMNS : builtInColumns(kind);
}

function served(resource: BuiltInResource, by: ServedBy): ServedResource {
  const isNewEvent = resource.group === 'events.k8s.io';
  const isOldAutoscaler = resource.group === 'autoscaling' && resource.version === 'v1';
  return {
    ...resource,
    listKind: `${resource.kind}List`,
    storedAs: isNewEvent ? 'events' : resourceName(resource),
    storageVersion: storageVersionOf(resource, by),
    custom: false,
    strategy: builtInStrategy(resource),
    columns: columnsOf(resource, by),
    createOnUpdate: CREATED_BY_UPDATE.has(resource.kind),
    ...(isNewEvent ? { shape: EVENT_SHAPE } : {}),
    ...(isOldAutoscaler ? { shape: AUTOSCALER_SHAPE } : {}),
  };
}
