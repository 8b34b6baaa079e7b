import { apiVersionOf } from 'chancery/internal-objects';
import { internalError } from '../failures/failure.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { fromStored, type ServedResource, toStored } from '../registry/served-resource.ts';
import { answerOf, type Steps } from './steps.ts';

/** Like `convertedFromStored`, but for many stored objects, with one call of the webhook. */
export function* allConvertedFromStored(
  served: ServedResource,
  objects: readonly StoredObject[],
): Steps<readonly StoredObject[]> {
  const { converter } = served;
  const own = apiVersionOf(served);
  if (converter === undefined || objects.every(({ apiVersion }) => apiVersion === own)) {
    return objects;
  }
  const converted = yield* answerOf(() => converter.fromStored(objects));
  if (converted === undefined) throw unasked();
  return converted;
}

/**
 * A stored object in the version of `served`. Calls the conversion webhook if there is one. Pass the result
 * to `fromStored` afterwards.
 */
export function* convertedFromStored(
  served: ServedResource,
  object: StoredObject,
): Steps<StoredObject> {
  const [converted = object] = yield* allConvertedFromStored(served, [object]);
  return converted;
}

/**
 * An object in the version in which it is stored. Calls the conversion webhook if there is one. The object
 * must be a result of `toStored`.
 */
export function* convertedToStored(
  { converter, group, storageVersion }: ServedResource,
  object: StoredObject,
): Steps<StoredObject> {
  const stored = apiVersionOf({ group, version: storageVersion });
  if (converter === undefined || object.apiVersion === stored) return object;
  const converted = yield* answerOf(() => converter.toStored(object));
  if (converted === undefined) throw unasked();
  return converted;
}

/** An object of a resource, converted to another version. */
export function* convertedTo(
  to: ServedResource,
  from: ServedResource,
  object: StoredObject,
): Steps<StoredObject> {
  if (to === from) return object;
  const stored = yield* convertedToStored(from, toStored(from, object));
  return fromStored(to, yield* convertedFromStored(to, stored));
}

function unasked(): Error {
  return internalError('embedded API server: a write from inside the server asks no webhook');
}
