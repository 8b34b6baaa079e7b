import type { RequestPath } from '../../../access/request-path.ts';
import { isMapping, type Mapping } from '../../../core/mapping.ts';
import { keyOf, objectKey } from '../../../model/object.ts';
import type { Moment, ObjectHistories, ObjectName } from './object-histories.ts';
import type { RecordedSources } from './recorded-sources.ts';

/** The members that identify an object. */
export interface NamedObject extends Mapping {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export function isNamed(value: unknown): value is NamedObject {
  if (!isMapping(value) || !isMapping(value.metadata)) return false;
  const { name, namespace } = value.metadata;
  return typeof name === 'string' && (namespace === undefined || typeof namespace === 'string');
}

/** True for an object of which only the metadata is known. */
export function isPartial({ kind }: Mapping): boolean {
  return typeof kind === 'string' && kind.startsWith('PartialObjectMetadata');
}

/**
 * Adds the state of the object in an answer. Undefined if the answer is not a single object, but for example
 * a list or a `Status`.
 */
export function learnAnswer(
  histories: ObjectHistories,
  answer: unknown,
  at: number,
): Moment | undefined {
  if (!isNamed(answer) || isPartial(answer)) return undefined;
  const { apiVersion, kind } = answer;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || kind === 'Status')
    return undefined;
  const object = histories.refer({ apiVersion, kind, key: keyOf(answer), form: 'full' });
  return histories.learn(object, answer, { at, how: 'answered' });
}

/**
 * The name of the object to which a path refers. For a creation, the name is in the body or in the answer.
 *
 * @returns undefined for a path that does not refer to a single object.
 */
export function learnedName(
  sources: RecordedSources,
  path: RequestPath | undefined,
  body: unknown,
): ObjectName | undefined {
  if (path === undefined) return undefined;
  const name = path.name ?? (isNamed(body) ? body.metadata.name : undefined);
  if (name === undefined) return undefined;
  const { apiVersion, kind } = sources.kindOf(path);
  const isUnknown = kind === path.plural;
  const own = isUnknown && path.subresource !== 'scale' && isMapping(body) ? body.kind : undefined;
  const key = objectKey(path.namespace, name);
  return { apiVersion, kind: typeof own === 'string' ? own : kind, key, form: 'full' };
}
