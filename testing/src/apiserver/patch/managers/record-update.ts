import {
  isJsonObject,
  type JsonObject,
  withField,
  withoutField,
} from '../../objects/json-value.ts';
import { compareFields, type FieldComparison } from '../fields/field-comparison.ts';
import type { FieldSchema } from '../fields/field-schema.ts';
import { isEmptyFieldSet, unionOf } from '../fields/field-set.ts';
import { kindSchema } from '../fields/kind-schema.ts';
import type {
  ManagedFieldsEntry,
  RecordUpdateRequest,
  WriteIdentity,
} from './managed-fields-entry.ts';
import {
  capUpdateOwners,
  decodeOwners,
  encodeOwners,
  isManagedFieldsReset,
  managedFieldsOf,
  type Owner,
  type Owners,
  ownerIdentity,
} from './managers.ts';
import { ownable, ownersInSchema, takeOver } from './ownership.ts';

/**
 * The managedFields of an object after a create, an update or a patch other than apply. The writer owns each
 * changed field, and a removed field has no owner. A write that changes nothing does not change the entries
 * and their times.
 *
 * In a write to the main resource, the `managedFields` that the client sent in `after` replace the entries.
 * With `[]` or `[{}]`, no owners are recorded until the next apply.
 */
export function recordUpdate(request: RecordUpdateRequest): ManagedFieldsEntry[] {
  const { before, after, apiVersion } = request;
  const former = ownersToStartFrom(request);
  if (former.size === 0 && before !== undefined) return [];
  const schema = kindSchema(apiVersion, String(after.kind), request.schema);
  const owners = ownersInSchema(former, schema);
  const comparison = compareStates(before, after, schema);
  return encodeOwners(capUpdateOwners(ownersAfterUpdate(owners, comparison, request)));
}

function ownersToStartFrom({ before, after, subresource }: RecordUpdateRequest): Owners {
  const sent = managedFieldsOf(after);
  const stored = (): Owners => decodeOwners(managedFieldsOf(before)) ?? new Map();
  if (subresource !== '') return stored();
  if (isManagedFieldsReset(sent)) return new Map();
  const owners = decodeOwners(sent);
  return owners === undefined || owners.size === 0 ? stored() : owners;
}

/** The differences between two states. Before a create, every field is absent. */
export function compareStates(
  before: JsonObject | undefined,
  after: JsonObject,
  schema: FieldSchema,
): FieldComparison {
  const former = withoutManagedFields(before ?? {});
  return compareFields(former, withoutManagedFields(after), schema);
}

/** The object without `metadata.managedFields`, because no manager owns this field. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata)) return object;
  return withField(object, 'metadata', withoutField(metadata, 'managedFields'));
}

/** Moves the changed fields to the writer's Update entry. */
export function ownersAfterUpdate(
  owners: Owners,
  comparison: FieldComparison,
  { manager, apiVersion, subresource, time }: Omit<WriteIdentity, 'schema'>,
): Owners {
  const left = new Map(takeOver(owners, undefined, comparison, 'everything'));
  const taken = ownable(unionOf(comparison.added, comparison.modified));
  if (isEmptyFieldSet(taken)) return left;
  const writer = { manager, operation: 'Update' as const, apiVersion, subresource };
  const kept = left.get(ownerIdentity(writer));
  const fields = kept === undefined ? taken : unionOf(kept.fields, taken);
  const entry: Owner = { ...writer, time, fields };
  return left.set(ownerIdentity(writer), entry);
}
