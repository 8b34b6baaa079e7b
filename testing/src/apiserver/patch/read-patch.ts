import { messageOf } from 'chancery/internal-objects';
import { badRequest, failure } from '../failures/failure.ts';
import { type Fractions, type GoJson, overflowText, parseGoJson } from '../objects/go-json.ts';
import { isJsonObject, type JsonObject } from '../objects/json-value.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

export const APPLY = 'application/apply-patch+yaml';

/** An operation as the client sent it. Fields may be missing or have any type. */
export type JsonPatchOperation = JsonObject | null;

/** A patch in JSON, and the findings of a strict decoder. */
export interface ReadPatch<T> {
  readonly value: T;
  readonly findings: readonly string[];
  /** The numbers that are invalid in integer fields, keyed by their path in the patched object. */
  readonly fractions: Fractions;
}

/** The server's limit for the operations in one patch (`maxJSONPatchOperations`). */
export const MAX_JSON_PATCH_OPERATIONS = 10_000;

const OPERATION_FIELDS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/**
 * Parses the operations of a JSON patch.
 *
 * @param isChecked - whether the strict decoder, which refuses more patches, reads the patch first. This is
 * false with `fieldValidation=Ignore`.
 * @throws ApiError 400 for a body that is not a list of operations; 413 for more than 10 000 operations.
 */
export function readJsonPatch(
  text: string,
  isChecked: boolean,
): ReadPatch<readonly JsonPatchOperation[]> {
  const prefix = isChecked ? DECODING : '';
  const { value, duplicates, fractions } = parsed(text, prefix, isChecked ? VALUE : undefined);
  const operations = value ?? [];
  if (!Array.isArray(operations)) {
    const wanted = isChecked ? '[]handlers.jsonPatchOp' : 'jsonpatch.Patch';
    throw misread(prefix, operations, `Go value of type ${wanted}`);
  }
  const misfit = operations.find((operation) => operation !== null && !isJsonObject(operation));
  if (misfit !== undefined && !isChecked) {
    throw misread(prefix, misfit, 'Go value of type jsonpatch.Operation');
  }
  const unknown = isChecked
    ? operations.flatMap((operation, index) => unknownIn(operation, `[${index}]`))
    : [];
  if (operations.length > MAX_JSON_PATCH_OPERATIONS) throw tooManyOperations(operations.length);
  const findings = [
    ...duplicates.map((field) => `json patch duplicate field "${field}"`),
    ...unknown.map((field) => `json patch unknown field "${field}"`),
  ];
  return { value: operations, findings, fractions: placed(operations, fractions) };
}

/**
 * The fractions, keyed by paths in the object. Such a path is the path of the operation, followed by the path
 * in the operation's value.
 */
function placed(operations: readonly JsonPatchOperation[], fractions: Fractions): Fractions {
  const inObject = new Map<string, string>();
  for (const [path, text] of fractions) {
    const [, index, rest = ''] = /^\[(\d+)\]\.value(.*)$/s.exec(path) ?? [];
    const pointer = operations[Number(index)]?.path;
    if (typeof pointer !== 'string') continue;
    const steps = pointer
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`));
    inObject.set(`${steps.join('')}${rest}`.replace(/^\./, ''), text);
  }
  return inObject;
}

/**
 * Parses a merge patch. With `fieldValidation=Ignore` any JSON value is accepted here, and `applyMergePatch`
 * refuses invalid patches.
 *
 * @throws ApiError 400 for a body that is not an object.
 */
export function readMergePatch(text: string, isChecked: boolean): ReadPatch<unknown> {
  if (isChecked) return readMap(text, DECODING);
  try {
    return { ...parseGoJson(text), findings: [] };
  } catch {
    throw badRequest('Invalid JSON Patch');
  }
}

/** @throws ApiError 400 for a body that is not an object. */
export function readStrategicPatch(text: string): ReadPatch<JsonObject> {
  const { value, ...rest } = readMap(text, '');
  return { value: value ?? {}, ...rest };
}

function tooManyOperations(count: number): Error {
  return failure({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${count}`,
  });
}

const DECODING = 'error decoding patch: ';

/** Parses a patch that is an object. Like the server's decoder, also accepts null. */
function readMap(text: string, prefix: string): ReadPatch<JsonObject | null> {
  const { value, duplicates, fractions } = parsed(text, prefix, 'Go value');
  if (value !== null && !isJsonObject(value)) {
    throw misread(prefix, value, 'Go value of type map[string]interface {}');
  }
  const findings = duplicates.map((field) => `duplicate field "${field}"`);
  return { value, findings, fractions };
}

function unknownIn(operation: unknown, path: string): readonly string[] {
  if (operation === null) return [];
  if (!isJsonObject(operation)) {
    throw misread(DECODING, operation, 'Go value of type handlers.jsonPatchOp');
  }
  for (const [field, own] of Object.entries(operation)) {
    if (!TEXTS.has(field) || own === null || typeof own === 'string') continue;
    throw misread(DECODING, own, `Go struct field jsonPatchOp.${field} of type string`);
  }
  return Object.keys(operation)
    .filter((name) => !OPERATION_FIELDS.has(name))
    .map((name) => `${path}.${name}`);
}

const TEXTS: ReadonlySet<string> = new Set(['op', 'path', 'from']);

/** The name of an operation's `value` in the error messages of the server's decoder. */
const VALUE = 'Go struct field jsonPatchOp.value';

/**
 * @param place - the words with which the error message describes the place of a number that is too large. If
 * undefined, numbers of any size are accepted.
 */
function parsed(text: string, prefix: string, place: string | undefined): GoJson {
  let json: GoJson;
  try {
    json = parseGoJson(text);
  } catch (error) {
    throw badRequest(prefix + messageOf(error));
  }
  if (json.overflow === undefined || place === undefined) return json;
  throw badRequest(prefix + overflowText(json.overflow, place));
}

function misread(prefix: string, value: unknown, wanted: string): Error {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return badRequest(`${prefix}json: cannot unmarshal ${kind} into ${wanted}`);
}
