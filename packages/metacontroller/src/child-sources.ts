import {
  controllerOf,
  dropManagedFields,
  type KubernetesObject,
  type Resource,
  source,
} from 'chancery';
import type { ChildType, Transform } from 'chancery/internal';
import type { ChildTypeSpec } from './spec.ts';

/**
 * A transform that keeps `managedFields`, for sources whose objects are sent to webhooks with this
 * field.
 */
export function keepManagedFields(object: KubernetesObject): KubernetesObject {
  return object;
}

export interface ChildSourcesOptions {
  /** The resources of the parents. */
  readonly owners: readonly Resource[];
  /** True when children have the label `controller-uid`. Then only objects with this label are read. */
  readonly generateSelector: boolean;
  /** True when objects without a controller may become children. */
  readonly adopts: boolean;
  readonly managedFields: boolean;
}

/** The types of children, with sources that keep only the data that a controller can need. */
export function childTypes(
  specs: readonly ChildTypeSpec[],
  resources: readonly Resource[],
  options: ChildSourcesOptions,
): readonly ChildType[] {
  const transform = options.generateSelector
    ? managedFieldsOf(options)
    : ownedOnly(options.owners, options);
  return specs.flatMap(({ update, statusChecks }, index): ChildType[] => {
    const resource = resources[index];
    if (resource === undefined) return [];
    return [
      {
        resource,
        update,
        statusChecks,
        source: source(resource, {
          transform,
          ...(options.generateSelector && { labelSelector: 'controller-uid' }),
        }),
      },
    ];
  });
}

function managedFieldsOf({ managedFields }: ChildSourcesOptions): Transform {
  return managedFields ? keepManagedFields : dropManagedFields;
}

/**
 * Transforms, keyed by their options. Sources share a cache only if their transforms are the same
 * function, so equal transforms are created once.
 */
const known = new Map<string, Transform>();

/**
 * Maximum number of known transforms, enough for all controllers of a process. If a transform is
 * dropped, its source only gets a separate cache.
 */
const MAX_KNOWN = 1_000;

/**
 * A transform that reduces objects of other owners to their metadata. There may be many such
 * objects, and no hook gets them.
 */
function ownedOnly(owners: readonly Resource[], options: ChildSourcesOptions): Transform {
  const kinds = new Set(owners.map(({ group, kind }) => kindKey(group, kind)));
  const key = JSON.stringify([[...kinds].sort(), options.adopts, options.managedFields]);
  const before = known.get(key);
  if (before !== undefined) return before;
  const shown = managedFieldsOf(options);
  const transform: Transform = (object) => {
    const owner = controllerOf(object);
    const isShown =
      owner === undefined
        ? options.adopts
        : kinds.has(kindKey(groupOf(owner.apiVersion), owner.kind));
    return isShown ? shown(object) : metadataOf(object);
  };
  const [oldest] = known.keys();
  if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  known.set(key, transform);
  return transform;
}

function metadataOf(object: KubernetesObject): KubernetesObject {
  const { apiVersion, kind, metadata } = dropManagedFields(object);
  return { apiVersion, kind, metadata };
}

function kindKey(group: string, kind: string): string {
  return `${group}/${kind}`;
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}
