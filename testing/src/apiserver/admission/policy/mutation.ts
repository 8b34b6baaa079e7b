import type { PolicyMutation } from '../../cel/compiled-policy.ts';
import { isTypedObject, plainJson, typeProblem } from '../../cel/functions/mutation-functions.ts';
import { isJsonObject, type JsonObject } from '../../objects/json-value.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { appliedProblem } from '../../patch/apply/applied-problems.ts';
import { mergeFields } from '../../patch/apply/merge-fields.ts';
import { type FieldSchema, fieldSchema, itemSchema } from '../../patch/fields/field-schema.ts';
import { kindSchema } from '../../patch/fields/kind-schema.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { decodedAgain, patchedObject } from '../request/patched-object.ts';
import type { PolicyRun } from './evaluate.ts';

/**
 * An object after one mutation of a policy.
 *
 * @throws Error with the server's message when the expression fails, or its result cannot be applied.
 */
export function mutated(
  { patchType, patch }: PolicyMutation,
  run: PolicyRun,
  object: StoredObject,
  served: ServedResource,
): StoredObject {
  const result = run.run(patch);
  return patchType === 'JSONPatch'
    ? afterJsonPatch(result, object, served)
    : afterConfiguration(result, object, served);
}

/**
 * Merges the configuration like server-side apply, but without owners and without removing fields
 * (k8s.io/apiserver, pkg/admission/plugin/policy/mutating/patch/smd.go).
 */
function afterConfiguration(
  result: unknown,
  object: StoredObject,
  served: ServedResource,
): StoredObject {
  if (!isTypedObject(result)) {
    throw new Error('unsupported return type from ApplyConfiguration expression');
  }
  const mismatch = typeProblem(result, 'Object');
  if (mismatch !== undefined) throw new Error(`type mismatch: ${mismatch}`);
  const identity = { apiVersion: object.apiVersion, kind: object.kind };
  const configuration = { ...(plainJson(result) as JsonObject), ...identity };
  const schema = kindSchema(object.apiVersion, object.kind, served.schema);
  const problem = appliedProblem(configuration, schema);
  if (problem !== undefined) {
    const what = 'failed to convert patch object to typed object';
    throw new Error(`error applying patch: ${what}: ${problem}`);
  }
  const atomics = atomicsIn(configuration, schema, '');
  if (atomics.length > 0) {
    throw new Error(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  }
  return decoded(mergeFields(object as Json, configuration, schema), served);
}

/** The paths of atomic lists and maps in a configuration. */
function atomicsIn(value: unknown, schema: FieldSchema, path: string): readonly string[] {
  if (Array.isArray(value)) {
    const isAtomic = schema.atomic === true || (schema.set !== true && schema.keys === undefined);
    const below = value.flatMap((item, at) =>
      atomicsIn(item, itemSchema(schema), `${path}[${at}]`),
    );
    return isAtomic ? [path, ...below] : below;
  }
  if (!isJsonObject(value)) return [];
  const below = Object.entries(value).flatMap(([name, one]) =>
    atomicsIn(one, fieldSchema(schema, name), `${path}.${name}`),
  );
  return schema.atomic === true ? [path, ...below] : below;
}

function afterJsonPatch(
  result: unknown,
  object: StoredObject,
  served: ServedResource,
): StoredObject {
  if (!Array.isArray(result)) {
    throw new Error('type mismatch: JSONPatchType.expression should evaluate to array');
  }
  const operations = result.map((operation) => {
    if (!isTypedObject(operation) || operation.type !== 'JSONPatch') {
      throw new Error(
        'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch',
      );
    }
    return operationOf(plainJson(operation) as Json, operation.get('value'));
  });
  const patched = patchedObject(object, operations, served);
  if (typeof patched !== 'string') return patched;
  // If a test operation fails, the object stays unchanged.
  if (patched.endsWith('test failed')) return object;
  throw new Error(`JSON Patch: ${patched}`);
}

const TEXTS = ['op', 'path', 'from'];

function operationOf(operation: Json, value: unknown): Json {
  for (const [field, text] of Object.entries(operation)) {
    if (field === 'value') continue;
    if (!TEXTS.includes(field)) throw new Error(`unexpected JSONPatchType field: ${field}`);
    if (typeof text !== 'string') {
      throw new Error(`unexpected type ${typeof text} for JSONPatchType '${field}' field`);
    }
  }
  const mismatch = isTypedObject(value) ? typeProblem(value, value.type) : undefined;
  if (mismatch !== undefined) throw new Error(`type mismatch: ${mismatch}`);
  return operation;
}

function decoded(document: unknown, served: ServedResource): StoredObject {
  if (!isObject(document)) throw new Error('error applying patch: no object');
  const object = decodedAgain(document, served);
  if (typeof object === 'string') throw new Error(object);
  return object;
}
