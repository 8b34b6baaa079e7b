import { type ErrorContext, OperatorError } from '../core/errors.ts';
import { Entry } from './entry.ts';
import { type KubernetesObject, keyOf, type ObjectMeta } from './object.ts';

/**
 * Decides which parts of an object are kept. It is called once for every object that a list or a watch
 * brings, before the object is compared, cached or shown to a handler. It may change the object in place
 * or return another one, but name, namespace, uid and resourceVersion must stay.
 *
 * If it throws, only that object is affected: see `transformed` in `client/source.ts`.
 * The type of a method, so that a source of Pods is a source.
 */
export type Transform<T extends KubernetesObject = KubernetesObject> = {
  transform(object: T): T;
}['transform'];

/** Drops `metadata.managedFields`, often half of an object, which no cache's reader needs. */
export function dropManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * What `transform` makes of an object; where it fails, what stands for the object.
 *
 * @param failed - called with the failure. Default: does nothing.
 */
export function transformedEntry<T extends KubernetesObject>(
  object: T,
  transform: Transform<T>,
  failed: (error: OperatorError) => void = () => {},
): Entry<T> {
  // A transform that changes it in place may have taken members away before it throws.
  const { apiVersion, kind } = object;
  const metadata = { ...object.metadata };
  let failure: OperatorError;
  try {
    const result = transform(object);
    if (hasIdentity(result, metadata)) return Entry.of(result);
    failure = failureAt(metadata, 'the transform of a source changed the identity of an object');
  } catch (error) {
    const problem = 'the transform of a source threw, or returned no object';
    failure = failureAt(metadata, problem, error);
  }
  failed(failure);
  return Entry.withheld<T>({ apiVersion, kind, metadata } as T, failure); // its object cannot be asked for
}

function hasIdentity({ metadata }: KubernetesObject, before: ObjectMeta): boolean {
  const { name, namespace, uid, resourceVersion } = before;
  return (
    metadata.name === name &&
    metadata.namespace === namespace &&
    metadata.uid === uid &&
    metadata.resourceVersion === resourceVersion
  );
}

/** No cause, and no message of it: what a transform throws may quote the object, which may be a Secret. */
function failureAt(metadata: ObjectMeta, message: string, thrown?: unknown): OperatorError {
  const context = { key: keyOf({ metadata }), ...(thrown !== undefined && placeOf(thrown)) };
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', context });
}

/** The class of what was thrown, and the first frame of its stack. */
function placeOf(thrown: unknown): ErrorContext {
  if (!(thrown instanceof Error)) return { thrown: typeof thrown };
  const { message, stack = '' } = thrown;
  const begin = stack.indexOf(message);
  // Frames stand behind the message, which may look like one.
  const frames = begin < 0 ? '' : stack.slice(begin + message.length);
  const at = /^ {4}at .{1,300}$/m.exec(frames)?.[0].trim();
  return { thrown: thrown.constructor.name, ...(at !== undefined && { at }) };
}
