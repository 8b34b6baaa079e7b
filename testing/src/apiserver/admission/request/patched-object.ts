import { apiVersionOf } from 'chancery/internal-objects';
import { builtInKindName } from '../../built-in-types/built-in-types.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { decodeStruct, describeMismatch } from '../../objects/struct-decoder.ts';
import { applyJsonPatch, JsonPatchError } from '../../patch/json/json-patch.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

/**
 * Applies the JSON patch of a webhook or policy to an object. Like on the server, the result is decoded
 * again. If the patch cannot be applied, returns a string: the message of the library that real servers use
 * (evanphx/json-patch v4).
 */
export function patchedObject(
  object: StoredObject,
  operations: readonly unknown[],
  served: ServedResource,
): StoredObject | string {
  try {
    const document = applyJsonPatch(
      object as Json,
      operations.map((operation) => (isObject(operation) ? operation : null)),
    );
    return isObject(document) ? decodedAgain(document, served) : 'the patched object is no object';
  } catch (error) {
    if (error instanceof JsonPatchError) return error.why;
    throw error;
  }
}

/**
 * A document that admission has changed, decoded like on the server. If the document does not fit its type,
 * returns a string with the server's message.
 */
export function decodedAgain(document: Json, served: ServedResource): StoredObject | string {
  // The kind and apiVersion of a Scale are not those of the resource.
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
