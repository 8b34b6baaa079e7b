import type { KubernetesObject } from 'chancery';
import { isObject } from './metadata.ts';

/**
 * One or several documents as a string in YAML or JSON, the URL of such a file or of a folder of such files,
 * or objects.
 */
export type Manifest = string | URL | KubernetesObject | readonly KubernetesObject[];

/**
 * The objects in one document of a manifest. If the document is a List, its items.
 *
 * @param refuse - makes the error for a document that is not an object.
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
