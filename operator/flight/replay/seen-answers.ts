import type { KubernetesObject } from '../../model/object.ts';
import { asObject, jsonOf, type RecordedObjects } from './recorded-objects.ts';
import type { RecordedExchange } from './recorded-run.ts';
import { requestTarget } from './request-target.ts';

/**
 * Notes the objects in a recorded answer.
 *
 * @param written - called for an object that the request has written.
 */
export function observeAnswer(
  { request, reply }: RecordedExchange,
  objects: RecordedObjects,
  written: (collection: string, object: KubernetesObject) => void,
): void {
  const target = requestTarget(request.path);
  if (request.purpose !== 'call' || target === undefined || target.query.has('dryRun')) return;
  const answer = reply.find((line) => line.kind === 'answer');
  if (answer?.kind !== 'answer' || answer.status < 200 || answer.status >= 300) return;
  if (request.method === 'DELETE') return; // the watch says when the object is gone
  const { collection } = target;
  const value = jsonOf(reply.map((line) => (line.kind === 'chunk' ? line.text : '')).join(''));
  const items = (value as { readonly items?: unknown } | undefined)?.items;
  if (Array.isArray(items)) {
    const { apiVersion, kind } = value as {
      readonly apiVersion?: unknown;
      readonly kind?: unknown;
    };
    const form = { apiVersion, kind: String(kind).replace(/List$/, '') };
    if (form.kind === 'PartialObjectMetadata') return;
    for (const item of items) {
      const object = asObject({ ...form, ...(item as object) });
      if (object !== undefined) objects.put(collection, object);
    }
    return;
  }
  const isWhole = target.subresource === undefined || target.subresource === 'status';
  const object = isWhole ? asObject(value) : undefined;
  if (object === undefined || object.kind === 'PartialObjectMetadata') return;
  objects.put(collection, object);
  if (request.method !== 'GET') written(collection, object);
}
