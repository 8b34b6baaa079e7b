import { jsonOf } from '../../../core/json/json-of.ts';
import type { KubernetesObject } from '../../../model/object.ts';
import { asObject } from './recorded-objects.ts';
import { answeredText, type RecordedExchange } from './recorded-run.ts';
import { requestTarget } from './request-target.ts';

interface SeenObject {
  readonly collection: string;
  readonly object: KubernetesObject;
}

/** The objects in the answer to a call, if they are in the state that the API server stores. */
export function objectsInAnswer(exchange: RecordedExchange): readonly SeenObject[] {
  const { request, reply } = exchange;
  const target = requestTarget(request.path);
  if (request.purpose !== 'call' || target === undefined || target.query.has('dryRun')) return [];
  const answer = reply.find((line) => line.kind === 'answer');
  if (answer?.kind !== 'answer' || answer.status < 200 || answer.status >= 300) return [];
  if (request.method === 'DELETE') return []; // the watch shows when the object is gone
  const { collection, subresource } = target;
  if (subresource !== undefined && subresource !== 'status') return [];
  return objectsIn(jsonOf(answeredText(exchange)))
    .filter(({ kind }) => kind !== 'PartialObjectMetadata')
    .map((object) => ({ collection, object }));
}

/** If the value is a list, its items, to which their kind is added. Otherwise the object itself. */
function objectsIn(value: unknown): readonly KubernetesObject[] {
  const { apiVersion, kind, items } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(items)) return [asObject(value) ?? []].flat();
  const form = { apiVersion, kind: String(kind).replace(/List$/, '') };
  return items.flatMap((item: object) => asObject({ ...form, ...item }) ?? []);
}
