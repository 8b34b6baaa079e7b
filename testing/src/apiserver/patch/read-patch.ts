import { messageOf } from 'chancery';
import { type GoJson, parseGoJson } from '../objects/go-json.ts';
import { isJsonObject } from '../objects/json-value.ts';
import { malformedPatch } from './patch-error.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

export const APPLY = 'application/apply-patch+yaml';

/** A patch in JSON, and the findings of a strict decoder. */
export interface ReadPatch {
  readonly value: unknown;
  readonly findings: readonly string[];
}

const OPERATION_FIELDS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/**
 * The value of a patch in JSON.
 *
 * @throws ApiError 400 for a text that is no JSON, or that has not the form of its media type.
 */
export function readPatch(mediaType: string, text: string): ReadPatch {
  const { value, duplicates } = parsed(text, mediaType);
  if (mediaType !== JSON_PATCH) {
    if (value !== null && !isJsonObject(value)) {
      throw misread(mediaType, value, 'Go value of type map[string]interface {}');
    }
    const findings = duplicates.map((field) => `duplicate field "${field}"`);
    return { value: value ?? {}, findings };
  }
  if (!Array.isArray(value)) {
    throw misread(mediaType, value, 'Go value of type []handlers.jsonPatchOp');
  }
  const unknown = value.flatMap((operation, index) => unknownIn(operation, `[${index}]`));
  const findings = [
    ...duplicates.map((field) => `json patch duplicate field "${field}"`),
    ...unknown.map((field) => `json patch unknown field "${field}"`),
  ];
  return { value, findings };
}

function unknownIn(operation: unknown, path: string): readonly string[] {
  if (!isJsonObject(operation)) {
    throw misread(JSON_PATCH, operation, 'Go value of type handlers.jsonPatchOp');
  }
  for (const field of ['op', 'path', 'from']) {
    const own = operation[field];
    if (own === undefined || own === null || typeof own === 'string') continue;
    throw misread(JSON_PATCH, own, `Go struct field jsonPatchOp.${field} of type string`);
  }
  return Object.keys(operation)
    .filter((name) => !OPERATION_FIELDS.has(name))
    .map((name) => `${path}.${name}`);
}

function parsed(text: string, mediaType: string): GoJson {
  try {
    return parseGoJson(text);
  } catch (error) {
    throw malformedPatch(prefixOf(mediaType) + messageOf(error));
  }
}

function misread(mediaType: string, value: unknown, wanted: string): Error {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return malformedPatch(`${prefixOf(mediaType)}json: cannot unmarshal ${kind} into ${wanted}`);
}

function prefixOf(mediaType: string): string {
  return mediaType === STRATEGIC_PATCH ? '' : 'error decoding patch: ';
}
