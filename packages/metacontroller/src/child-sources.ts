import {
  controllerOf,
  dropManagedFields,
  type KubernetesObject,
  type Resource,
  source,
} from 'chancery';
import type { ChildType, Transform } from 'chancery/internal';
import type { ChildTypeSpec } from './spec.ts';

/** For a source whose objects are shown to webhooks, which get `managedFields`. */
export function keepManagedFields(object: KubernetesObject): KubernetesObject {
  return object;
}

export interface ChildSourcesOptions {
  /** Kinds of the parents. */
  readonly owners: readonly Resource[];
  /** True: children carry the label `controller-uid`, and no other objects are read. */
  readonly generateSelector: boolean;
  /** Whether objects without a controller may become children. */
  readonly adopts: boolean;
  readonly managedFields: boolean;
}

/** The types of children, with sources that keep no more than what a controller can need. */
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

/** Sources with the same transform share a cache, so equal ones must be the same function. */
const known = new Map<string, Transform>();

/** Enough for every controller of a process. A forgotten transform only costs a cache of its own. */
const MAX_KNOWN = 1_000;

/** Reduces objects of other owners to their metadata. There may be many of them, and no hook sees them. */
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
