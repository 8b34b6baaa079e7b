import {
  differenceOf,
  type FieldSet,
  fieldSetOf,
  intersectionOf,
  isEmptyFieldSet,
} from '../fields/field-set.ts';
import { fieldElement } from '../fields/path-element.ts';
import type { ManagedFieldsEntry } from './managed-fields-entry.ts';
import { decodeOwners, encodeOwners, type Owner, type Owners } from './managers.ts';

/** The path of the replicas in a Scale. */
const IN_SCALE = fieldSetAt(['spec', 'replicas']);

function fieldSetAt(path: readonly string[]): FieldSet {
  return fieldSetOf([path.map(fieldElement)]);
}

function owns({ fields }: Owner, path: FieldSet): boolean {
  return !isEmptyFieldSet(intersectionOf(fields, path));
}

/**
 * The managedFields of an object's Scale: the object's entries that own its replicas
 * (`ScaleHandler.ToSubresource` in k8s.io/apimachinery).
 *
 * @param replicas - the path of the replicas in the object.
 */
export function scaleEntries(
  entries: unknown,
  replicas: readonly string[],
): readonly ManagedFieldsEntry[] {
  const path = fieldSetAt(replicas);
  const owners = [...(decodeOwners(entries) ?? [])].filter(([, owner]) => owns(owner, path));
  return encodeOwners(
    new Map(
      owners.map(([identity, owner]) => [
        identity,
        { ...owner, apiVersion: 'autoscaling/v1', fields: IN_SCALE },
      ]),
    ),
  );
}

/**
 * The managedFields of an object after a write of its Scale (`ScaleHandler.ToParent`). A new entry
 * has no time.
 *
 * @param entries - the entries of the object before the write.
 * @param ofScale - the entries of the object's Scale after the write.
 * @param apiVersion - the version of the object.
 */
export function parentEntries(
  entries: unknown,
  ofScale: readonly ManagedFieldsEntry[],
  { replicas, apiVersion }: { readonly replicas: readonly string[]; readonly apiVersion: string },
): readonly ManagedFieldsEntry[] {
  const path = fieldSetAt(replicas);
  const scale = [...(decodeOwners(ofScale) ?? [])];
  // A manager that still has an entry in the Scale keeps its fields of the object.
  const left = new Map(scale.map(([, owner]) => [keyOf(owner), owner]));
  const owners = new Map<string, Owner>();
  for (const [identity, owner] of decodeOwners(entries) ?? (new Map() as Owners)) {
    const isKept = !owns(owner, path) || left.delete(keyOf(owner));
    const fields = isKept ? owner.fields : differenceOf(owner.fields, path);
    if (!isEmptyFieldSet(fields)) owners.set(identity, { ...owner, fields });
  }
  for (const [key, owner] of left) {
    if (!owns(owner, IN_SCALE)) continue;
    owners.set(`scale ${key}`, { ...owner, apiVersion, time: undefined, fields: path });
  }
  return encodeOwners(owners);
}

/**
 * A key that is the same for a manager's entry in the object and in its Scale. It does not contain the API
 * version, because the object and the Scale have different API versions.
 */
function keyOf({ manager, operation, subresource }: Owner): string {
  return JSON.stringify([manager, operation, subresource]);
}
