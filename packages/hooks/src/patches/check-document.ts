import { ConfigurationError, type KubernetesObject } from 'chancery';
import { encodeExact, inSlices, isDnsLabel, type JsonPatchOperation } from 'chancery/internal';
import { DocumentError, shownName } from '../results/document-error.ts';
import { type ReadParts, readDocuments, readTexts } from '../results/read-documents.ts';
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

/** The additional fields of each operation. */
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
 * @param written - the document as the hook wrote it. Bodies may still be text.
 * @param number - the position of the document in the file, counted from 1.
 * @param onWarning - called for a field that has no effect.
 * @throws DocumentError with the document and the field. The only value that the error quotes is
 * `operation`.
 */
function checkDocument(
  value: unknown,
  written: unknown,
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
      text: encodeExact(written),
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

/** Reports every field that the operation does not use. */
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
  // An empty namespace means no namespace, but a URL cannot contain an empty one.
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

function bodyOf(fields: Fields, field: string): unknown {
  const body = fields[field];
  if (body === undefined || body === null) throw new FieldError(`${field} is missing`);
  return body;
}

/** The name of the subresource. `/status` and `status` mean the same. */
function subresourceOf(fields: Fields): string | undefined {
  const name = optionalText(fields, 'subresource')?.replace(/^\//, '');
  if (name === undefined || isDnsLabel(name)) return name;
  throw new FieldError('subresource must be a name such as status or scale');
}

/** Fields whose value is written either directly, or as a string that contains YAML or JSON. */
const BODY_FIELDS: ReadonlySet<string> = new Set(['object', 'mergePatch', 'jsonPatch', 'status']);

/**
 * The documents, in which bodies that are strings are replaced by their parsed values. The strings
 * of all documents are parsed together, so that they share one limit.
 */
async function withReadBodies(
  documents: readonly unknown[],
  parts: ReadParts,
): Promise<readonly unknown[]> {
  const found: { readonly at: number; readonly field: string; readonly text: string }[] = [];
  for (const [at, document] of documents.entries()) {
    if (typeof document !== 'object' || document === null) continue;
    const { operation, ...fields } = document as Fields;
    for (const field of BODIES[operation as PatchOperation] ?? []) {
      const text = fields[field];
      if (BODY_FIELDS.has(field) && typeof text === 'string') found.push({ at, field, text });
    }
  }
  if (found.length === 0) return documents;
  try {
    const values = await readTexts(
      found.map(({ text }) => text),
      parts,
    );
    const read = [...documents];
    for (const [index, { at, field }] of found.entries()) {
      read[at] = { ...(read[at] as Fields), [field]: values[index] };
    }
    return read;
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { at = 0, field = '' } = found[error.document - 1] ?? {};
    throw new DocumentError(at + 1, `the text of ${field} ${error.problem}`, { cause: error });
  }
}

/**
 * The documents of a patch file, checked without the API server.
 *
 * @param onWarning - called for a field that has no effect.
 * @throws DocumentError for the first document that violates the contract; `signal.reason` when
 * aborted.
 */
export async function checkPatchFile(
  text: string,
  onWarning: (problem: string) => void,
  parts: ReadParts,
): Promise<readonly PatchDocument[]> {
  const written = await readDocuments(text, parts);
  const documents = await withReadBodies(written, parts);
  return await inSlices(documents, (value, at) =>
    checkDocument(value, written[at], at + 1, (problem) =>
      onWarning(`document ${at + 1}: ${problem}`),
    ),
  );
}
