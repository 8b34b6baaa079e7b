import type { JsonPatchOperation } from '../../client/client.ts';
import { encodeExact } from '../../client/rest-client.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { isDnsLabel } from '../../model/dns-name.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { DocumentError, shownName } from '../results/json-stream.ts';
import { inSlices, readDocuments, readText } from '../results/read-documents.ts';
import { PATCH_OPERATIONS, type PatchOperation } from '../rights/verbs-of-operation.ts';
import { checkJsonPatch } from './check-json-patch.ts';
import {
  FieldError,
  type Fields,
  fieldsOf,
  flagOf,
  optionalText,
  textOf,
} from './document-fields.ts';
import type { PatchAction, PatchDocument } from './patch-document.ts';

/** Fields of every operation. */
const COMMON = [
  'operation',
  'apiVersion',
  'kind',
  'namespace',
  'name',
  'subresource',
  'ignoreMissingObject',
  'ignoreHookError',
] as const;

/** The further fields of each operation. */
const BODIES: Readonly<Record<PatchOperation, readonly string[]>> = {
  Create: ['object'],
  CreateIfNotExists: ['object'],
  CreateOrUpdate: ['object'],
  Delete: [],
  DeleteInBackground: [],
  DeleteNonCascading: [],
  JQPatch: ['jqFilter'],
  MergePatch: ['mergePatch'],
  JSONPatch: ['jsonPatch'],
  Apply: ['object', 'force'],
  Status: ['status'],
};

/**
 * A document of a patch file, checked without the API server.
 *
 * @param number - its place in the file, from 1.
 * @param onWarning - called for a field that has no effect.
 * @throws DocumentError that names the document and the field. It quotes no value but that of `operation`.
 */
function checkDocument(
  value: unknown,
  number: number,
  onWarning: (problem: string) => void,
): PatchDocument {
  try {
    const fields = fieldsOf(value, 'it');
    const operation = operationOf(fields);
    warnOfIdle(operation, fields, onWarning);
    return {
      number,
      action: actionOf(operation, fields),
      ignoreMissingObject: flagOf(fields, 'ignoreMissingObject'),
      ignoreHookError: flagOf(fields, 'ignoreHookError'),
      text: encodeExact(value),
    };
  } catch (error) {
    const isUnwritable = error instanceof ConfigurationError; // a number that JSON cannot hold
    if (!(isUnwritable || error instanceof FieldError)) throw error;
    throw new DocumentError(number, error.message);
  }
}

function actionOf(operation: PatchOperation, fields: Fields): PatchAction {
  switch (operation) {
    case 'Create':
    case 'CreateIfNotExists':
    case 'CreateOrUpdate':
      return { operation, object: objectIn(fields, operation) };
    case 'Apply':
      return {
        operation,
        object: objectIn(fields, operation),
        subresource: subresourceOf(fields),
        force: flagOf(fields, 'force'),
      };
    case 'Delete':
    case 'DeleteInBackground':
    case 'DeleteNonCascading':
      return { operation, ...namesIn(fields) };
    case 'JQPatch':
      return {
        operation,
        ...namesIn(fields),
        subresource: subresourceOf(fields),
        jqFilter: textOf(fields, 'jqFilter'),
      };
    case 'MergePatch':
      return {
        operation,
        ...namesIn(fields),
        subresource: subresourceOf(fields),
        mergePatch: fieldsOf(bodyOf(fields, 'mergePatch'), 'mergePatch'),
      };
    case 'JSONPatch':
      return {
        operation,
        ...namesIn(fields),
        subresource: subresourceOf(fields),
        jsonPatch: jsonPatchIn(fields),
      };
    case 'Status':
      return {
        operation,
        ...namesIn(fields),
        status: fieldsOf(bodyOf(fields, 'status'), 'status'),
      };
  }
}

function operationOf(fields: Fields): PatchOperation {
  const written = textOf(fields, 'operation');
  const known = PATCH_OPERATIONS.find((operation) => operation === written);
  if (known !== undefined) return known;
  const near = PATCH_OPERATIONS.find(
    (operation) => operation.toLowerCase() === written.toLowerCase(),
  );
  const remedy = near === undefined ? `use one of ${PATCH_OPERATIONS.join(', ')}` : `write ${near}`;
  throw new FieldError(`operation ${shownName(written)} is not known: ${remedy}`);
}

/** Tells of every field that the operation does not use. */
function warnOfIdle(
  operation: PatchOperation,
  fields: Fields,
  onWarning: (problem: string) => void,
): void {
  const known: readonly string[] = [...COMMON, ...BODIES[operation]];
  for (const field of Object.keys(fields)) {
    if (!known.includes(field)) onWarning(`${operation} has no field ${shownName(field)}`);
  }
  const usesSubresource = ['JQPatch', 'MergePatch', 'JSONPatch', 'Apply'].includes(operation);
  if (!usesSubresource && fields.subresource !== undefined && fields.subresource !== '') {
    const isItsOwn = operation === 'Status' && subresourceOf(fields) === 'status';
    if (!isItsOwn) onWarning(`subresource has no effect on ${operation}`);
  }
}

function namesIn(fields: Fields): {
  readonly kind: string;
  readonly apiVersion: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
} {
  return {
    kind: textOf(fields, 'kind'),
    apiVersion: optionalText(fields, 'apiVersion'),
    namespace: optionalText(fields, 'namespace'),
    name: textOf(fields, 'name'),
  };
}

function objectIn(fields: Fields, operation: PatchOperation): KubernetesObject {
  const object = fieldsOf(bodyOf(fields, 'object'), 'object');
  textOf(object, 'apiVersion', 'object.');
  textOf(object, 'kind', 'object.');
  const metadata = fieldsOf(object.metadata, 'object.metadata');
  const generates = operation === 'Create' || operation === 'CreateIfNotExists';
  const isNamed = optionalText(metadata, 'name', 'object.metadata.') !== undefined;
  const mayGenerate =
    generates && optionalText(metadata, 'generateName', 'object.metadata.') !== undefined;
  if (!isNamed && !mayGenerate) throw new FieldError('object.metadata.name is missing');
  const namespace = optionalText(metadata, 'namespace', 'object.metadata.');
  // An empty namespace means none, but a URL cannot have it.
  if (namespace === undefined && 'namespace' in metadata) {
    const { namespace: _, ...rest } = metadata;
    return { ...object, metadata: rest } as unknown as KubernetesObject;
  }
  return object as unknown as KubernetesObject;
}

function jsonPatchIn(fields: Fields): readonly JsonPatchOperation[] {
  const items = bodyOf(fields, 'jsonPatch');
  const problem = checkJsonPatch(items);
  if (problem !== undefined) throw new FieldError(problem);
  return items as readonly JsonPatchOperation[];
}

/** A body is written as such, or as text that is YAML or JSON. */
function bodyOf(fields: Fields, field: string): unknown {
  const body = fields[field];
  if (body === undefined || body === null) throw new FieldError(`${field} is missing`);
  if (typeof body !== 'string') return body;
  try {
    return readText(body);
  } catch {
    throw new FieldError(`${field} is a text that is neither JSON nor YAML`);
  }
}

/** `/status` and `status` mean the same. */
function subresourceOf(fields: Fields): string | undefined {
  const name = optionalText(fields, 'subresource')?.replace(/^\//, '');
  if (name === undefined || isDnsLabel(name)) return name;
  throw new FieldError('subresource must be a name such as status or scale');
}

/**
 * The documents of a patch file, checked without the API server.
 *
 * @param onWarning - called for a field that has no effect.
 * @throws DocumentError for the first that is not as the contract says.
 */
export async function checkPatchFile(
  text: string,
  onWarning: (problem: string) => void,
): Promise<readonly PatchDocument[]> {
  return inSlices(await readDocuments(text), (value, at) =>
    checkDocument(value, at + 1, (problem) => onWarning(`document ${at + 1}: ${problem}`)),
  );
}
