import type { KubernetesObject } from 'chancery';
import { isObject } from './metadata.ts';

/**
 * YAML or JSON text of one document or several, the URL of such a file or of a folder of them, or
 * objects.
 */
export type Manifest = string | URL | KubernetesObject | readonly KubernetesObject[];

/**
 * The objects of one document of a manifest; of a List, its items.
 *
 * @param refuse - makes the error for a document that is no object.
 */
export function manifestObjects(
  document: unknown,
  refuse: (message: string) => Error,
): readonly KubernetesObject[] {
  if (!isObject(document) || typeof document.kind !== 'string') {
    throw refuse('the manifest has a document without a kind');
  }
  if (Array.isArray(document.items) && document.kind.endsWith('List')) {
    return document.items.flatMap((item) => manifestObjects(item, refuse));
  }
  const metadata = isObject(document.metadata) ? document.metadata : {};
  return [{ ...document, metadata } as unknown as KubernetesObject];
}
