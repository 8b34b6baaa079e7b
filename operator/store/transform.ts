import { ProtocolError } from '../core/errors.ts';
import { HeldObject } from '../model/held-object.ts';
import { type KubernetesObject, keyOf } from '../model/object.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import type { ListPage, ListPageRequest, ListWatch, WatchRequest } from '../watch/list-watch.ts';

/**
 * What of an object is worth keeping. Called once for every object that is received, listed or
 * watched, before it is compared, cached or shown to a handler. The object is fresh from the wire:
 * it may be changed in place or replaced, but name, namespace, uid and resourceVersion must stay.
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
 * `source` with all of its objects transformed. An object whose transform throws, or changes what
 * tells one object from another, fails as an undecodable one: a ProtocolError `DECODE`, so that it
 * is reported and retried, and the cache never holds a part of it.
 */
export function transformed<T extends KubernetesObject>(
  source: ListWatch<T>,
  transform: Transform<T>,
): ListWatch<T> {
  const event = (received: WatchEvent<T>): WatchEvent<T> => {
    if (received.type === 'BOOKMARK' || received.object instanceof HeldObject) return received;
    return { ...received, object: checked(transform, received.object) };
  };
  // Of a text managedFields are cut out; for anything else to be done with it, it must be read.
  const drops = (transform as unknown) === dropManagedFields;
  const holding = <R extends Pick<WatchRequest, 'hold'>>({ hold, ...request }: R) => ({
    ...request,
    ...(hold !== undefined && drops && { hold: { ...hold, dropManagedFields: true } }),
  });
  return {
    discovery: source.discovery,
    async listPage(request: ListPageRequest): Promise<ListPage<T>> {
      const page = await source.listPage(holding(request));
      return { ...page, items: page.items.map((item) => checked(transform, item)) };
    },
    async watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
      const batches = await source.watch(holding(request));
      return mapBatches(batches, event);
    },
  };
}

/** As an iterator of promises: each generator that a batch passes takes it several turns of its own. */
function mapBatches<E>(
  batches: AsyncIterable<readonly E[]>,
  change: (event: E) => E,
): AsyncIterable<readonly E[]> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = batches[Symbol.asyncIterator]();
      return {
        async next() {
          const { done, value } = await iterator.next();
          if (done === true) return { done, value };
          try {
            return { done: false, value: value.map(change) };
          } catch (error) {
            await iterator.return?.(); // nobody leaves what has failed
            throw error;
          }
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

function checked<T extends KubernetesObject>(transform: Transform<T>, object: T): T {
  // It is held for who drops managedFields alone, and without them.
  if (object instanceof HeldObject) return object;
  const key = keyOf(object);
  const { uid, resourceVersion } = object.metadata;
  const problem = (message: string, cause?: unknown): ProtocolError =>
    new ProtocolError(message, { code: 'DECODE', cause, context: { key } });
  let result: T;
  let same: boolean;
  try {
    result = transform(object);
    const { metadata } = result;
    same =
      keyOf(result) === key && metadata.uid === uid && metadata.resourceVersion === resourceVersion;
  } catch (error) {
    throw problem('the transform of a source threw, or returned no object', error);
  }
  if (!same) throw problem('the transform of a source changed the identity of an object');
  return result;
}
