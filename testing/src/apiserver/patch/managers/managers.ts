import { isJsonObject, type JsonObject } from '../../objects/json-value.ts';
import { type FieldSet, isEmptyFieldSet, unionOf } from '../fields/field-set.ts';
import { fromFieldsV1, toFieldsV1 } from '../fields/fields-v1.ts';
import type { ManagedFieldsEntry } from './managed-fields-entry.ts';

/** The fields that one manager owns, and the identity of the manager. */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** The owners, keyed by identity. The map contains no owner without fields. */
export type Owners = ReadonlyMap<string, Owner>;

/**
 * The identity of a manager's writes. Writes with the same identity share one entry. The identity of an apply
 * does not include the API version.
 */
export function ownerIdentity(owner: Omit<Owner, 'fields' | 'time'>): string {
  const { manager, operation, apiVersion, subresource } = owner;
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource]);
}

/** @returns undefined when an entry cannot be read. */
export function decodeOwners(managedFields: unknown): Owners | undefined {
  if (managedFields === undefined || managedFields === null) return new Map();
  if (!Array.isArray(managedFields)) return undefined;
  const owners = new Map<string, Owner>();
  for (const entry of managedFields) {
    const owner = decodeOwner(entry);
    if (owner === undefined) return undefined;
    owners.set(ownerIdentity(owner), owner);
  }
  return withoutEmpty(owners);
}

function decodeOwner(entry: unknown): Owner | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { manager, operation, apiVersion, subresource, time } = entry;
  const fields = fromFieldsV1(entry.fieldsV1);
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (fields === undefined || entry.fieldsType !== 'FieldsV1') return undefined;
  return {
    manager: textOf(manager) ?? '',
    operation,
    apiVersion: textOf(apiVersion) ?? '',
    subresource: textOf(subresource) ?? '',
    time: textOf(time),
    fields,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function withoutEmpty(owners: Owners): Owners {
  return new Map([...owners].filter(([, owner]) => !isEmptyFieldSet(owner.fields)));
}

/**
 * The entries in the server's order: Apply before Update, then sorted by time, manager, API version and
 * subresource.
 */
export function encodeOwners(owners: Owners): ManagedFieldsEntry[] {
  const sortKey = (owner: Owner): readonly string[] => [
    owner.operation,
    owner.time ?? '',
    owner.manager,
    owner.apiVersion,
    owner.subresource,
  ];
  return [...owners.values()]
    .toSorted((left, right) => compareTexts(sortKey(left), sortKey(right)))
    .map(({ manager, operation, apiVersion, subresource, time, fields }) => ({
      manager,
      operation,
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: toFieldsV1(fields),
      ...(subresource === '' ? {} : { subresource }),
    }));
}

function compareTexts(left: readonly string[], right: readonly string[]): number {
  for (const [index, text] of left.entries()) {
    const other = right[index] ?? '';
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}

/** True for the two values with which a client resets the managed fields. */
export function isManagedFieldsReset(managedFields: unknown): boolean {
  if (!Array.isArray(managedFields)) return false;
  if (managedFields.length === 0) return true;
  const [only, ...others] = managedFields;
  const isEmptyEntry = isJsonObject(only) && Object.keys(only).length === 0;
  return others.length === 0 && isEmptyEntry;
}

/**
 * The maximum number of Update entries. If there are more, the oldest entries are merged (the server's
 * `DefaultMaxUpdateManagers`).
 */
const MAX_UPDATE_OWNERS = 10;

/** Limits the owners to ten Update entries. Older entries are merged into `ancient-changes`. */
export function capUpdateOwners(owners: Owners): Owners {
  const updates = [...owners].filter(([, owner]) => owner.operation === 'Update');
  const excess = updates.length - MAX_UPDATE_OWNERS;
  if (excess <= 0) return owners;
  const oldest = updates
    .toSorted(([, left], [, right]) =>
      compareTexts([left.time ?? '', left.manager], [right.time ?? '', right.manager]),
    )
    .slice(0, excess + 1);
  const capped = new Map(owners);
  for (const [identity, owner] of oldest) {
    capped.delete(identity);
    const bucket: Owner = { ...owner, manager: 'ancient-changes', subresource: '' };
    const place = ownerIdentity(bucket);
    const earlier = capped.get(place);
    const fields = earlier === undefined ? owner.fields : unionOf(earlier.fields, owner.fields);
    capped.set(place, { ...bucket, fields });
  }
  return capped;
}

/** The `metadata.managedFields` of an object. */
export function managedFieldsOf(object: JsonObject | undefined): unknown {
  const metadata = object?.metadata;
  return isJsonObject(metadata) ? metadata.managedFields : undefined;
}
