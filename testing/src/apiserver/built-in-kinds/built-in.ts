import { resourceName } from 'chancery';
import {
  BUILT_IN_RESOURCES,
  type BuiltInResource,
  MIGRATION_RESOURCES,
} from '../registry/built-in-resources.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { builtInColumns } from '../tables/built-in-columns.ts';
import { AUTOSCALER_SHAPE } from './autoscaling-shape.ts';
import { builtInStrategy } from './built-in-strategy.ts';
import { EVENT_SHAPE } from './event-shape.ts';

/** Kinds of which a PUT makes the object that is not there. */
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

/** Groups with two versions of the same resource. */
const STORAGE_VERSIONS: Readonly<Record<string, string>> = {
  autoscaling: 'v2',
  'storagemigration.k8s.io': 'v1',
};

/** Every built-in resource with its rules. */
export function builtInResources({
  storageMigrations,
}: {
  readonly storageMigrations: boolean;
}): readonly ServedResource[] {
  return [...BUILT_IN_RESOURCES, ...(storageMigrations ? MIGRATION_RESOURCES : [])].map(served);
}

function served(resource: BuiltInResource): ServedResource {
  const isNewEvent = resource.group === 'events.k8s.io';
  const isOldAutoscaler = resource.group === 'autoscaling' && resource.version === 'v1';
  return {
    ...resource,
    listKind: `${resource.kind}List`,
    storedAs: isNewEvent ? 'events' : resourceName(resource),
    storageVersion: STORAGE_VERSIONS[resource.group] ?? resource.version,
    custom: false,
    strategy: builtInStrategy(resource),
    columns: builtInColumns(resource.kind),
    createOnUpdate: CREATED_BY_UPDATE.has(resource.kind),
    ...(isNewEvent ? { shape: EVENT_SHAPE } : {}),
    ...(isOldAutoscaler ? { shape: AUTOSCALER_SHAPE } : {}),
  };
}
