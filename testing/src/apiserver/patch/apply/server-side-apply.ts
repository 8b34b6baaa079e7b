import { ApiError } from 'chancery';
import { isJsonObject, type JsonObject, jsonEquals } from '../../objects/json-value.ts';
import { rebuildJson } from '../../objects/json-walk.ts';
import type { FieldSchema } from '../fields/field-schema.ts';
import {
  differenceOf,
  type FieldSet,
  fieldSetOf,
  intersectionOf,
  isEmptyFieldSet,
  NO_FIELDS,
  sameFields,
  unionOf,
  withoutSubtrees,
} from '../fields/field-set.ts';
import { isBuiltIn, kindSchema } from '../fields/kind-schema.ts';
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

/** Owns the fields that existed before the first apply to an untracked object. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * Merges a configuration into the live object: the manager owns exactly the fields of this
 * configuration afterwards. A field that it applied before and leaves out now is removed, unless another
 * manager owns it. Neither input is changed.
 *
 * @throws ApiError 500, as the server has it, when the configuration does not fit the schema of the
 *   kind; 409 with one cause a field, when the configuration changes what another manager
 *   owns and `force` is not set.
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
  const said = withoutSubtrees(ownedFields(applied, schema), ignored);
  const own = { ...writer, time: last?.time ?? time, fields: ownable(said) };
  const claimed = new Map(former).set(identity, own);

  const merged = mergeFields(stored, applied, schema);
  // As in the server's `stripMetaManager`: the name in a configuration becomes nobody's only after
  // pruning, so it keeps `metadata` when the manager's last label or annotation goes.
  const needed = new Map(former).set(identity, { ...own, fields: said });
  const doomed = fieldsToPrune(merged, last?.fields ?? NO_FIELDS, needed, schema);
  const pruned = removeFields(merged, doomed, schema);
  const object = withoutNulls(pruned, isBuiltIn(apiVersion, String(request.applied.kind)));
  const comparison = {
    // A value made null is a modified one.
    ...compareStates(stored, pruned, schema),
    // A null for an absent field takes the field from no owner.
    added: compareStates(stored, object, schema).added,
  };
  const mayTake = force ? 'everything' : fieldsToUpgrade(stored, request, schema);
  const owners = takeOver(claimed, identity, comparison, mayTake);

  const isChange = !jsonEquals(stored, object) || !sameOwners(owners, before);
  return {
    object: withLastApplied(object, request.applied, request),
    managedFields: encodeOwners(isChange ? touch(owners, identity, time) : owners),
  };
}

function untypedPatch({ apiVersion, kind, metadata }: JsonObject, problem: string): ApiError {
  const { namespace = '', name = '' } = isJsonObject(metadata) ? metadata : {};
  const version = String(apiVersion).includes('/') ? apiVersion : `/${apiVersion}`;
  const message = `failed to create typed patch object (${namespace}/${name}; ${version}, Kind=${kind}): ${problem}`;
  return new ApiError({ status: 'Failure', message, code: 500 });
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

/** The fields that the manager applied last time and that no manager owns now. */
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
  // A removed parent takes fields with it that the manager never applied: those stay.
  return intersectionOf(differenceOf(all, left(unclaimed)), withParents(last));
}

/** A null in a configuration says that the manager owns the absence of a value. */
function withoutNulls(object: JsonObject, everywhere: boolean): JsonObject {
  const cleaned = Object.entries(object)
    .filter(([name, value]) => value !== null || !(everywhere || name === 'metadata'))
    .map(([name, value]): [string, unknown] => [
      name,
      everywhere || name === 'metadata' ? withoutNullFields(value) : value,
    ]);
  return Object.fromEntries(cleaned);
}

function withoutNullFields(value: unknown): unknown {
  return rebuildJson(value, {
    namesOf: (object) => Object.keys(object).filter((name) => object[name] !== null),
  });
}

function sameOwners(left: Owners, right: Owners): boolean {
  if (left.size !== right.size) return false;
  return [...left].every(([identity, { fields }]) => {
    const other = right.get(identity);
    return other !== undefined && sameFields(fields, other.fields);
  });
}

function touch(owners: Owners, identity: string, time: string): Owners {
  const own = owners.get(identity);
  return own === undefined ? owners : new Map(owners).set(identity, { ...own, time });
}
