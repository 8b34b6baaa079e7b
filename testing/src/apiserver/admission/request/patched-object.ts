import { apiVersionOf } from 'chancery/internal';
import { builtInKindName } from '../../built-in-types/built-in-types.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { decodeStruct, describeMismatch } from '../../objects/struct-decoder.ts';
import { applyJsonPatch } from '../../patch/json/json-patch.ts';
import { parsePointer, readAt } from '../../patch/json/json-pointer.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

/**
 * An object after a JSON patch of a webhook or policy, as the server decodes it again; a text says why
 * the patch does not apply, in the words of the library that real servers use (evanphx/json-patch v4).
 */
export function patchedObject(
  object: StoredObject,
  operations: readonly unknown[],
  served: ServedResource,
): StoredObject | string {
  let document = object as Json;
  for (const operation of operations) {
    if (!isObject(operation)) return 'Unexpected kind: unknown';
    try {
      document = applyJsonPatch(document, [operation]);
    } catch {
      return whyNot(document, operation);
    }
  }
  return decodedAgain(document, served);
}

/** As the server reads an object that admission has changed; a text says what does not fit. */
export function decodedAgain(document: Json, served: ServedResource): StoredObject | string {
  // A Scale has a type of its own.
  const { kind = served.kind, apiVersion = apiVersionOf(served) } = document;
  const typeName = builtInKindName(String(apiVersion), String(kind));
  if (typeName === undefined) {
    const metadata = isObject(document.metadata) ? document.metadata : {};
    return { ...document, metadata } as unknown as StoredObject;
  }
  const { value, mismatch } = decodeStruct(document, typeName);
  if (mismatch !== undefined) return describeMismatch(mismatch);
  const metadata = isObject(value.metadata) ? value.metadata : {};
  return { ...value, metadata } as unknown as StoredObject;
}

function whyNot(document: Json, { op, path, from }: Json): string {
  const where = String(path ?? '');
  const key = where.slice(where.lastIndexOf('/') + 1);
  const parent = partAt(document, where.slice(0, -key.length - 1));
  const hasParent = isObject(parent) || Array.isArray(parent);
  switch (op) {
    case 'add':
      return hasParent
        ? `error in add for path: '${where}': Unable to access invalid index: ${key}: invalid index referenced`
        : `add operation does not apply: doc is missing path: "${where}": missing value`;
    case 'remove':
      return hasParent
        ? `error in remove for path: '${where}': Unable to remove nonexistent key: ${key}: missing value`
        : `remove operation does not apply: doc is missing path: "${where}": missing value`;
    case 'replace':
      return hasParent
        ? `replace operation does not apply: doc is missing key: ${where}: missing value`
        : `replace operation does not apply: doc is missing path: ${where}: missing value`;
    case 'test':
      return `testing value ${where} failed: test failed`;
    case 'copy':
    case 'move':
      return `${op} operation does not apply: doc is missing from path: ${from ?? ''}: missing value`;
    default:
      return `Unexpected kind: ${op ?? 'unknown'}`;
  }
}

function partAt(document: Json, pointer: string): unknown {
  try {
    return readAt(document, parsePointer(pointer));
  } catch {
    return undefined;
  }
}
