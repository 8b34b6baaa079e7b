import { ConfigurationError, OperatorError } from '../core/errors.ts';
import { deepCopy } from '../core/json/deep-json.ts';
import type { Entry } from '../model/entry.ts';
import {
  type KubernetesObject,
  keyFrom,
  type ObjectKey,
  splitKey,
  type Target,
} from '../model/object.ts';
import { matchesSelector, parseSelector, type Selector } from '../model/selector.ts';
import { type Index, type Indices, indexValue } from './indices.ts';
import type { OwnWrites } from './own-writes.ts';

/** How an object is returned. */
interface GetOptions {
  /**
   * True for a deep copy that belongs to the caller. Default false: the shared object is returned, which is
   * read-only.
   */
  readonly copy?: boolean;
}

/** Which objects to list. Default: all. */
interface Query {
  /** Only objects of this namespace. Default: every namespace. */
  readonly namespace?: string;
  /** A label selector, parsed or as a string. It selects the same objects as on the server. */
  readonly selector?: string | Selector;
}

/**
 * The interface for reading a cache. Objects are shared and read-only, and frozen for reconcilers: copy an
 * object before you change it. The cache and its indices change before any handler is called.
 */
export interface Store<T extends KubernetesObject> {
  /** True from the first full list until the informer stops. */
  readonly synced: boolean;
  /**
   * The object with a key or a name; undefined if it does not exist.
   *
   * @throws OperatorError `NOT_SYNCED` before the first full list and after the end; `USER_CODE` for an
   *   object whose transform failed, because it exists but cannot be read.
   * @throws ProtocolError `DECODE` for an object that is not valid JSON. The source of the object then lists
   *   it again.
   */
  get(key: ObjectKey | Target, options?: GetOptions): T | undefined;
  /**
   * A snapshot: later events do not change the returned array. It contains all objects that the query
   * selects. If one of them is unreadable, the call throws an error instead of omitting the object.
   *
   * @throws OperatorError `USER_CODE` when the transform of a selected object failed, and
   *   ProtocolError `DECODE` when one is not valid JSON. Objects in other namespaces, and objects
   *   that the selector does not match, cause no error.
   * @throws OperatorError `NOT_SYNCED` before the first full list and after the end.
   * @throws ConfigurationError `CONFIG` for a selector that cannot be parsed.
   */
  list(query?: Query): readonly T[];
  /**
   * A snapshot of the objects that an index has under `value`, which is a string or the name of another
   * object.
   *
   * @throws OperatorError `NOT_SYNCED` in the same cases as `list`, and while a new index is being built;
   *   `USER_CODE` and ProtocolError `DECODE` in the same cases as `list`.
   * @throws ConfigurationError `CONFIG` when the index does not exist.
   */
  byIndex(name: string, value: string | Target): readonly T[];
}

/** The members of a cache that a store uses. */
interface StoreSource<T extends KubernetesObject> {
  /** The name of the source in errors. */
  readonly name: string;
  readonly state: () => 'unsynced' | 'synced' | 'stopped';
  readonly entries: () => ReadonlyMap<ObjectKey, Entry<T>> | undefined;
  readonly indices: Indices<T>;
  /** Writes that readers get instead of older cached objects. Default: none. */
  readonly ownWrites?: OwnWrites<T>;
}

/** A read-only view of a cache that other code changes. */
export function storeOf<T extends KubernetesObject>(source: StoreSource<T>): Store<T> {
  const { name, state, indices, ownWrites } = source;
  const entries = (): ReadonlyMap<ObjectKey, Entry<T>> => {
    const known = source.entries();
    if (known === undefined || state() !== 'synced') throw notSynced(name, state() === 'stopped');
    return known;
  };
  return {
    get synced() {
      return state() === 'synced';
    },
    get(of, options) {
      const key = keyFrom(of);
      const cached = entries().get(key);
      const shown = ownWrites === undefined ? cached : ownWrites.shown(key, cached);
      return shown === undefined ? undefined : copied(shown.keep(), options);
    },
    list: (query) => shownEntries(entries(), ownWrites).filter(filterOf(query)).map(kept),
    byIndex(indexName, value) {
      const index = indices.get(indexName);
      if (index === undefined) throw unknownIndex(indexName, indices.names);
      const known = entries();
      if (!index.complete) throw indexNotBuilt(name, indexName);
      return shownUnder(index, indexValue(value), known, ownWrites).map(kept);
    },
  };
}

/** Keeps the object parsed, because a reader of a store will read it again. */
function kept<T extends KubernetesObject>(entry: Entry<T>): T {
  return entry.keep();
}

function shownEntries<T extends KubernetesObject>(
  cached: ReadonlyMap<ObjectKey, Entry<T>>,
  ownWrites: OwnWrites<T> | undefined,
): Entry<T>[] {
  if (ownWrites === undefined || ownWrites.isEmpty) return [...cached.values()];
  const shown = [...cached].map(([key, entry]) => ownWrites.shown(key, entry));
  for (const key of ownWrites.keys()) {
    if (!cached.has(key)) shown.push(ownWrites.shown(key, undefined));
  }
  return shown.filter((entry) => entry !== undefined);
}

/**
 * The entries that readers get for `value` of an index. An index contains only cached objects, but a write
 * that readers get instead of a cached object may have other values.
 */
function shownUnder<T extends KubernetesObject>(
  index: Index<T>,
  value: string,
  cached: ReadonlyMap<ObjectKey, Entry<T>>,
  ownWrites: OwnWrites<T> | undefined,
): Entry<T>[] {
  const keys = new Set(index.keys(value));
  const indexed = (key: ObjectKey): Entry<T> | undefined => {
    const entry = cached.get(key);
    if (ownWrites === undefined || ownWrites.isEmpty) return entry;
    const shown = ownWrites.shown(key, entry);
    const isSame = shown === undefined || (shown === entry && keys.has(key));
    return isSame || index.valuesOf(shown).includes(value) ? shown : undefined;
  };
  const found = Array.from(keys, indexed);
  for (const key of ownWrites?.keys() ?? []) if (!keys.has(key)) found.push(indexed(key));
  return found.filter((entry) => entry !== undefined);
}

/** `object` itself, or a copy when `options` request one. */
export function copied<T>(object: T, { copy = false }: GetOptions = {}): T {
  return copy ? deepCopy(object) : object;
}

/** The error for reading a cache before its first list or after its end. */
export function notSynced(name: string, stopped: boolean): OperatorError {
  const problem = stopped
    ? `the cache of ${name} has stopped: read it before the signal of its run aborts`
    : `the cache of ${name} has no first list yet: run its informer, and await ` +
      'informer.until(() => informer.synced, signal) before reading';
  const context = { resource: name };
  return new OperatorError(problem, { code: 'NOT_SYNCED', layer: 'user-code', context });
}

function filterOf({ namespace, selector = [] }: Query = {}): (entry: Entry) => boolean {
  const requirements = typeof selector === 'string' ? parseSelector(selector) : selector;
  return (entry) =>
    (namespace === undefined || splitKey(entry.key).namespace === namespace) &&
    (requirements.length === 0 || matchesSelector(requirements, entry.keepMetadata().labels));
}

export function unknownIndex(index: string, known: readonly string[]): ConfigurationError {
  return new ConfigurationError('no such index: name it in the indexes of the source', {
    context: { index, known: known.join(',') },
  });
}

function indexNotBuilt(resource: string, index: string): OperatorError {
  return new OperatorError(
    'the index is still being built: await informer.until(() => informer.hasIndex(name), signal)',
    { code: 'NOT_SYNCED', layer: 'user-code', context: { resource, index } },
  );
}
