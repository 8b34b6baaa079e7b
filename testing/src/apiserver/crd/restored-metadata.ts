import { isObject, type Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';

/**
 * The metadata of a converted object: the original metadata with the labels and annotations of the webhook's
 * answer. If the answer's labels or annotations are invalid, returns a string with the reason
 * (k8s.io/apiextensions-apiserver, pkg/apiserver/conversion/webhook_converter.go, restoreObjectMeta).
 */
export function restoredMetadata(original: StoredObject, converted: Json): Json | string {
  const answered = converted.metadata;
  if (answered === undefined) return 'missing metadata in converted object';
  if (!isObject(answered))
    return `invalid metadata of type ${goType(answered)} in converted object`;
  const metadata: Record<string, unknown> = { ...original.metadata };
  for (const field of ['labels', 'annotations']) {
    const values = answered[field];
    delete metadata[field];
    if (values === undefined || values === null) continue;
    if (!isObject(values)) {
      return `invalid metadata.${field} of type ${goType(values)} in converted object`;
    }
    for (const [key, value] of Object.entries(values)) {
      if (typeof value === 'string') continue;
      return `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`;
    }
    metadata[field] = values;
  }
  return metadata;
}

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
