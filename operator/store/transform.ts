import { type ErrorContext, OperatorError } from '../core/errors.ts';
import { Entry } from '../model/entry.ts';
import { type KubernetesObject, keyOf, type ObjectKey, type ObjectMeta } from '../model/object.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import type { ListPage, ListPageRequest, ListWatch, WatchRequest } from '../watch/list-watch.ts';

/**
 * What of an object is worth keeping. Called once for every object that is received, listed or
 * watched, before it is compared, cached or shown to a handler. The object is fresh from the wire:
 * it may be changed in place or replaced, but name, namespace, uid and resourceVersion must stay.
 *
 * One that throws costs nobody but the object: see `transformed`.
 * The type of a method, so that a source of Pods is a source.
 */
export type Transform<T extends KubernetesObject = KubernetesObject> = {
  transform(object: T): T;
}['transform'];

/** Told of what became of objects. Must not throw. */
export interface TransformObserver {
  /** The transform of an object failed; the error has no word of the object but its key. */
  failed(key: ObjectKey, error: OperatorError): void;
  /** The transform of an object succeeded, or the object is gone. */
  settled(key: ObjectKey): void;
}

const UNOBSERVED: TransformObserver = { failed: () => {}, settled: () => {} };

/** Drops `metadata.managedFields`, often half of an object, which no cache's reader needs. */
export function dropManagedFields<T extends KubernetesObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * `source` with all of its objects transformed.
 *
 * An object whose transform throws, returns no object, or changes what tells one object from another,
 * is withheld: the cache knows that it is there and has its metadata, and nobody can read it (see
 * `Entry.withheld`). A reader of that object, or of a list that has it, gets an OperatorError
 * `USER_CODE`; nobody is told that the object is not there. Every other object is as ever, and nothing
 * is listed anew for it: its next state, and the next list, are transformed again.
 */
export function transformed<T extends KubernetesObject>(
  source: ListWatch<T>,
  transform: Transform<T>,
  observer: TransformObserver = UNOBSERVED,
): ListWatch<T> {
  // This one needs no object: the source leaves managedFields out before it makes entries.
  if ((transform as unknown) === dropManagedFields) return withoutManagedFields(source);
  const one = (entry: Entry<T>): Entry<T> => observed(entry, transform, observer);
  const event = (received: WatchEvent<T>): WatchEvent<T> => {
    if (received.type === 'BOOKMARK') return received;
    const entry = one(received.entry);
    if (received.type === 'DELETED') observer.settled(entry.key);
    return { ...received, entry };
  };
  return {
    discovery: source.discovery,
    async listPage({ known: _, ...request }: ListPageRequest<T>): Promise<ListPage<T>> {
      const page = await source.listPage(request);
      return { ...page, items: page.items.map(one) };
    },
    async watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
      return mapBatches(await source.watch(request), event);
    },
  };
}

function withoutManagedFields<T extends KubernetesObject>(source: ListWatch<T>): ListWatch<T> {
  return {
    discovery: source.discovery,
    listPage: (request) => source.listPage({ ...request, dropManagedFields: true }),
    watch: (request) => source.watch({ ...request, dropManagedFields: true }),
  };
}

/** @throws ProtocolError `DECODE` for text that is no JSON: the list or the watch fails, as by a bad line. */
function observed<T extends KubernetesObject>(
  entry: Entry<T>,
  transform: Transform<T>,
  observer: TransformObserver,
): Entry<T> {
  let failed = false;
  const result = transformedEntry(entry.object, transform, (error) => {
    failed = true;
    observer.failed(entry.key, error);
  });
  if (!failed) observer.settled(entry.key);
  return result;
}

/**
 * What `transform` makes of an object; where it fails, what stands for the object.
 *
 * @param failed - told of the failure. Default: nobody is.
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

/** What was thrown, by its class, and where: the first frame of its stack. */
function placeOf(thrown: unknown): ErrorContext {
  if (!(thrown instanceof Error)) return { thrown: typeof thrown };
  const { message, stack = '' } = thrown;
  const begin = stack.indexOf(message);
  // Frames stand behind the message, which may look like one.
  const frames = begin < 0 ? '' : stack.slice(begin + message.length);
  const at = /^ {4}at .{1,300}$/m.exec(frames)?.[0].trim();
  return { thrown: thrown.constructor.name, ...(at !== undefined && { at }) };
}

/**
 * As an iterator of promises: each generator that a batch passes takes it several turns of its own. What
 * `change` throws comes after the events before.
 */
function mapBatches<E>(
  batches: AsyncIterable<readonly E[]>,
  change: (event: E) => E,
): AsyncIterable<readonly E[]> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = batches[Symbol.asyncIterator]();
      let failure: { readonly error: unknown } | undefined;
      return {
        async next() {
          if (failure !== undefined) throw failure.error;
          const { done, value } = await iterator.next();
          if (done === true) return { done, value };
          const changed: E[] = [];
          try {
            for (const event of value) changed.push(change(event));
          } catch (error) {
            if (changed.length === 0) throw error;
            failure = { error };
          }
          return { done: false, value: changed };
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
