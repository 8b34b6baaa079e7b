import type { ApiError } from 'chancery';
import { builtInKindName } from '../../built-in-types/built-in-types.ts';
import { internalError } from '../../failures/failure.ts';
import {
  isJsonObject,
  type JsonObject,
  jsonEquals,
  withField,
  withoutField,
} from '../../objects/json-value.ts';
import { decodeMetadata, decodeStruct, type Mismatch } from '../../objects/struct-decoder.ts';
import type { FieldSchema } from '../fields/field-schema.ts';
import {
  differenceOf,
  type FieldSet,
  fieldSetOf,
  intersectionOf,
  isEmptyFieldSet,
  NO_FIELDS,
  unionOf,
  withoutSubtrees,
} from '../fields/field-set.ts';
import { kindSchema } from '../fields/kind-schema.ts';
import { fieldElement } from '../fields/path-element.ts';
import type {
  ServerSideApplyRequest,
  ServerSideApplyResult,
} from '../managers/managed-fields-entry.ts';
import {
  decodeOwners,
  encodeOwners,
  managedFieldsOf,
  type Owner,
  type Owners,
  ownerIdentity,
} from '../managers/managers.ts';
import { ownable, ownersInSchema, takeOver } from '../managers/ownership.ts';
import {
  compareStates,
  ownersAfterUpdate,
  withoutManagedFields,
} from '../managers/record-update.ts';
import { appliedProblem } from './applied-problems.ts';
import { fieldsToUpgrade, withLastApplied } from './last-applied.ts';
import { mergeFields } from './merge-fields.ts';
import { ownedFields, withNamedParents } from './owned-fields.ts';
import { removeFields } from './remove-fields.ts';

/** The manager that owns the fields that existed before the first apply to an untracked object. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * Merges a configuration into the live object. Afterwards the manager owns exactly the fields of this
 * configuration. A field that the manager applied before and now omits is removed, unless another manager
 * owns the field. Neither input is changed.
 *
 * @throws ApiError 500, as on a real server, when the configuration does not fit the schema of the
 * kind; 409 with one cause per field, when the configuration changes a field that another manager
 * owns and `force` is not set.
 */
export function serverSideApply(request: ServerSideApplyRequest): ServerSideApplyResult {
  const { live, manager, apiVersion, subresource, force, time } = request;
  const schema = kindSchema(apiVersion, String(request.applied.kind), request.schema);
  const stored = withoutManagedFields(live ?? identityOf(request.applied));
  const ignored = fieldSetOf((request.ignoredFields ?? []).map((path) => path.map(fieldElement)));
  const problem = appliedProblem(request.applied, schema);
  if (problem !== undefined) throw untypedPatch(request.applied, problem);
  const applied = removeFields(request.applied, ignored, schema);
  const before = ownersBeforeApply(request, schema);
  const former = ownersInSchema(before, schema);

  const writer = { manager, operation: 'Apply' as const, apiVersion, subresource };
  const identity = ownerIdentity(writer);
  const last = former.get(identity);
  const stated = withoutSubtrees(ownedFields(applied, schema), ignored);
  const own = { ...writer, time: last?.time, fields: ownable(stated) };
  const claimed = new Map(former).set(identity, own);

  const merged = mergeFields(stored, applied, schema);
  // As in the server's `stripMetaManager`, the name in the configuration loses its owner only after pruning.
  // During pruning, the name still has an owner, so `metadata` stays in the object when the manager's last
  // label or annotation is removed.
  const needed = new Map(former).set(identity, { ...own, fields: stated });
  const doomed = fieldsToPrune(merged, last?.fields ?? NO_FIELDS, needed, schema);
  const pruned = removeFields(merged, doomed, schema);
  const object = asStored(pruned, apiVersion, request.applied);
  // A field whose value becomes null counts as modified. A null for a field that was absent counts as added.
  const comparison = compareStates(stored, pruned, schema);
  const mayTake = force ? 'everything' : fieldsToUpgrade(stored, request, schema);
  const owners = takeOver(claimed, identity, comparison, mayTake);

  // If the apply changes nothing, and the manager only becomes an additional owner of fields, its new entry
  // has no time.
  const isChange = !jsonEquals(stored, pruned);
  return {
    object: withLastApplied(object, request.applied, request),
    managedFields: encodeOwners(isChange ? touch(owners, identity, time) : owners),
  };
}

function untypedPatch(applied: JsonObject, problem: string): ApiError {
  return internalError(`failed to create typed patch object (${described(applied)}): ${problem}`);
}

/** The object in the format of the server's messages: `namespace/name; group/version, Kind=kind`. */
function described({ apiVersion, kind, metadata }: JsonObject): string {
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const version = String(apiVersion).includes('/') ? apiVersion : `/${apiVersion}`;
  return `${text(namespace)}/${text(name)}; ${version}, Kind=${kind}`;
}

function identityOf({ apiVersion, kind }: JsonObject): JsonObject {
  return { apiVersion, kind };
}

function ownersBeforeApply(request: ServerSideApplyRequest, schema: FieldSchema): Owners {
  const { live, apiVersion, subresource, time } = request;
  const owners = decodeOwners(managedFieldsOf(live)) ?? new Map<string, Owner>();
  if (live === undefined || owners.size > 0) return owners;
  const comparison = compareStates(undefined, live, schema);
  const writer = { manager: BEFORE_FIRST_APPLY, apiVersion, subresource, time };
  return ownersAfterUpdate(owners, comparison, writer);
}

/** The fields that the manager applied last time and that now have no owner. */
function fieldsToPrune(
  merged: JsonObject,
  last: FieldSet,
  owners: Owners,
  schema: FieldSchema,
): FieldSet {
  if (isEmptyFieldSet(last)) return NO_FIELDS;
  const withParents = (set: FieldSet): FieldSet => withNamedParents(set, schema);
  const fieldsOf = (object: JsonObject): FieldSet => withParents(ownedFields(object, schema));
  const owned = [...owners.values()].reduce((all, { fields }) => unionOf(all, fields), NO_FIELDS);
  const all = fieldsOf(merged);

  const left = (fields: FieldSet): FieldSet => fieldsOf(removeFields(merged, fields, schema));
  const withoutLast = left(withParents(last));
  const unclaimed = differenceOf(all, unionOf(withoutLast, withParents(owned)));
  // The result contains only fields that the manager applied, and their parents. Other fields in these
  // parents must be kept, because the manager never applied them.
  return intersectionOf(differenceOf(all, left(unclaimed)), withParents(last));
}

/**
 * The merged object as the server stores it. A built-in object is decoded into its Go type, in which null
 * becomes the zero value. In a custom object only the metadata is decoded, so nulls in other fields are not
 * removed.
 *
 * @throws ApiError 500 for a string that the schema accepts but the Go type does not, such as an invalid
 * time.
 */
function asStored(object: JsonObject, apiVersion: string, applied: JsonObject): JsonObject {
  const kind = String(applied.kind);
  const typeName = builtInKindName(apiVersion, kind);
  if (typeName === undefined) {
    const { metadata } = object;
    if (!isJsonObject(metadata)) return withoutField(object, 'metadata');
    return withField(object, 'metadata', decodeMetadata(metadata).value);
  }
  const { value, mismatch } = decodeStruct(object, typeName, 'converted');
  if (mismatch === undefined) return value;
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  throw internalError(
    `failed to convert new object (${described(applied)}) to proper version: unable to convert unstructured object to ${version}, Kind=${kind}: ${unconverted(mismatch)}`,
  );
}

function unconverted({ problem, found, wanted }: Mismatch): string {
  if (problem?.startsWith('illegal base64') === true) return `error decoding from json: ${problem}`;
  if (problem !== undefined) return problem;
  return `cannot convert ${found.startsWith('number') ? 'float64' : found} to ${wanted}`;
}

function touch(owners: Owners, identity: string, time: string): Owners {
  const own = owners.get(identity);
  return own === undefined ? owners : new Map(owners).set(identity, { ...own, time });
}
