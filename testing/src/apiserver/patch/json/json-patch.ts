import { ApiError } from 'chancery/internal-objects';
import type { JsonObject } from '../../objects/json-value.ts';
import { UNPROCESSABLE } from '../patch-error.ts';
import type { JsonPatchOperation } from '../read-patch.ts';
import { deepCopy, isSameNode, LazyNode, plainJson } from './lazy-node.ts';

/**
 * The server's limit for copied bytes (`JSONPatchMaxCopyBytes`). Without it, thirty copies of copies would
 * make a gigabyte.
 */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/**
 * The error for an operation that fails: status 422, with the one message that the server has for all such
 * errors.
 */
export class JsonPatchError extends ApiError {
  /** The reason, in the words of evanphx/json-patch v4. */
  readonly why: string;

  constructor(why: string) {
    super(UNPROCESSABLE);
    this.why = why;
  }
}

/**
 * The document after a JSON patch. Either all operations are applied or none. Where RFC 6902 and
 * evanphx/json-patch v4 differ, this server does what the library does: `replace` and `add` set absent
 * fields, `copy` copies null from an absent field, a missing `value` is null, and `-1` is the last item of a
 * list.
 *
 * Neither input is changed. The result may share values with both.
 *
 * @param isEscaped - false when the JSON of the patch contains `<`, `>` or `&` unescaped. In a `test` these
 * characters then differ from the same characters of the document.
 * @throws JsonPatchError when an operation cannot be applied.
 */
export function applyJsonPatch(
  document: JsonObject,
  operations: readonly JsonPatchOperation[],
  isEscaped = true,
): unknown {
  const state: State = { root: new LazyNode(document), copiedBytes: 0, isEscaped };
  for (const operation of operations) carryOut(state, operation);
  return plainJson(state.root);
}

interface State {
  root: LazyNode;
  copiedBytes: number;
  /** Whether the values of the patch are escaped; see `LazyNode`. */
  readonly isEscaped: boolean;
}

function carryOut(state: State, operation: JsonPatchOperation): void {
  const kind = typeof operation?.op === 'string' ? operation.op : 'unknown';
  const act = Object.hasOwn(OPERATIONS, kind) ? OPERATIONS[kind] : undefined;
  if (act === undefined || operation === null) throw new JsonPatchError(`Unexpected kind: ${kind}`);
  act(state, operation);
}

const OPERATIONS: Readonly<Record<string, (state: State, operation: JsonObject) => void>> = {
  add(state, operation) {
    const path = textOf(operation, 'path', 'add operation failed to decode path: missing value');
    const place = placeAt(state.root, path);
    if (place === undefined)
      throw missing(`add operation does not apply: doc is missing path: "${path}"`);
    within(`error in add for path: '${path}'`, () => add(place, operandOf(state, operation)));
  },

  remove(state, operation) {
    const path = textOf(operation, 'path', 'remove operation failed to decode path: missing value');
    const place = placeAt(state.root, path);
    if (place === undefined)
      throw missing(`remove operation does not apply: doc is missing path: "${path}"`);
    within(`error in remove for path: '${path}'`, () => remove(place));
  },

  replace(state, operation) {
    const path = textOf(operation, 'path', 'replace operation failed to decode path');
    if (path === '') return replaceAll(state, operation);
    const place = placeAt(state.root, path);
    if (place === undefined)
      throw missing(`replace operation does not apply: doc is missing path: ${path}`);
    try {
      get(place);
    } catch {
      throw missing(`replace operation does not apply: doc is missing key: ${path}`);
    }
    set(place, operandOf(state, operation));
  },

  move(state, operation) {
    const from = textOf(operation, 'from', 'move operation failed to decode from');
    const source = placeAt(state.root, from);
    if (source === undefined)
      throw missing(`move operation does not apply: doc is missing from path: ${from}`);
    const value = within(`error in move for path: '${source.key}'`, () => {
      const found = get(source);
      remove(source);
      return found;
    });
    const path = textOf(operation, 'path', 'move operation failed to decode path');
    const place = placeAt(state.root, path);
    if (place === undefined)
      throw missing(`move operation does not apply: doc is missing destination path: ${path}`);
    within(`error in move for path: '${path}'`, () => add(place, value));
  },

  copy(state, operation) {
    const from = textOf(operation, 'from', 'copy operation failed to decode from');
    const source = placeAt(state.root, from);
    if (source === undefined)
      throw missing(`copy operation does not apply: doc is missing from path: ${from}`);
    const value = within(`error in copy for from: '${from}'`, () => get(source));
    const path = textOf(operation, 'path', 'copy operation failed to decode path: missing value');
    const place = placeAt(state.root, path);
    if (place === undefined)
      throw missing(`copy operation does not apply: doc is missing destination path: ${path}`);
    const { copy, bytes } = deepCopy(value);
    state.copiedBytes += bytes;
    if (state.copiedBytes > MAX_COPIED_BYTES) {
      throw new JsonPatchError(
        `Unable to complete the copy, the accumulated size increase of copy is ${state.copiedBytes}, exceeding the limit ${MAX_COPIED_BYTES}`,
      );
    }
    within('error while adding value during copy', () => add(place, copy));
  },

  test(state, operation) {
    const path = textOf(operation, 'path', 'test operation failed to decode path');
    const expected = operandOf(state, operation);
    const failed = new JsonPatchError(`testing value ${path} failed: test failed`);
    if (path === '') {
      if (expected === null || !isSameNode(state.root, expected)) throw failed;
      return;
    }
    const place = placeAt(state.root, path);
    if (place === undefined)
      throw missing(`test operation does not apply: is missing path: ${path}`);
    const found = within(`error in test for path: '${path}'`, () => get(place));
    // An absent field counts as null.
    const isNull = expected === null || expected.raw === undefined;
    if (found === null ? !isNull : expected === null || !isSameNode(found, expected)) throw failed;
  },
};

function replaceAll(state: State, operation: JsonObject): void {
  const value = operandOf(state, operation);
  if (value?.fields === undefined && value?.items === undefined) {
    throw new JsonPatchError('replace operation value must be object or array');
  }
  state.root = value;
}

/** The `value` of an operation; null if the operation has no `value`. */
function operandOf({ isEscaped }: State, operation: JsonObject): LazyNode | null {
  if (!Object.hasOwn(operation, 'value')) return null;
  return new LazyNode(operation.value === null ? undefined : operation.value, isEscaped);
}

function textOf(operation: JsonObject, field: 'path' | 'from', why: string): string {
  const text = Object.hasOwn(operation, field) ? operation[field] : undefined;
  if (typeof text !== 'string') throw new JsonPatchError(why);
  return text;
}

/** The position of a field or item, and the object or list around it. The field or item need not exist. */
interface Place {
  readonly container: LazyNode;
  readonly key: string;
}

/**
 * Finds the place to which a path refers.
 * @returns undefined when the path leads through an absent value, or through a scalar.
 */
function placeAt(root: LazyNode, path: string): Place | undefined {
  const tokens = path.split('/').slice(1).map(unescaped);
  const key = tokens.pop();
  if (key === undefined) return undefined;
  let container = root;
  for (const token of tokens) {
    let next: LazyNode | null;
    try {
      next = get({ container, key: token });
    } catch {
      return undefined;
    }
    if (next === null || (next.fields === undefined && next.items === undefined)) return undefined;
    container = next;
  }
  return { container, key };
}

function unescaped(token: string): string {
  return token.replace(/~[01]/g, (coded) => (coded === '~1' ? '/' : '~'));
}

function get({ container, key }: Place): LazyNode | null {
  if (container.fields !== undefined) return container.fields.get(key) ?? null;
  const items = container.items ?? [];
  return items[indexOf(key, items.length)] ?? null;
}

/** Sets the value at a place. `get` must have found the place, so it exists. */
function set({ container, key }: Place, value: LazyNode | null): void {
  if (container.fields !== undefined) container.fields.set(key, value);
  else if (container.items !== undefined) {
    container.items[indexOf(key, container.items.length)] = value;
  }
}

function add({ container, key }: Place, value: LazyNode | null): void {
  if (container.fields !== undefined) {
    container.fields.set(key, value);
    return;
  }
  const items = container.items ?? [];
  if (key !== '-' && !INTEGER.test(key)) {
    throw new JsonPatchError(
      `value was not a proper array index: '${key}': strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`,
    );
  }
  const at = key === '-' ? items.length : indexOf(key, items.length + 1);
  items.splice(at, 0, value);
}

function remove({ container, key }: Place): void {
  if (container.fields === undefined) {
    const items = container.items ?? [];
    items.splice(indexOf(key, items.length), 1);
  } else if (!container.fields.delete(key)) {
    throw missing(`Unable to remove nonexistent key: ${key}`);
  }
}

/** Matches the integers that Go's strconv.Atoi accepts. Leading zeros and a plus are allowed. */
const INTEGER = /^[+-]?[0-9]+$/;

/** Parses a path segment as the index of an item. A negative index counts from the end. */
function indexOf(key: string, length: number): number {
  if (!INTEGER.test(key)) {
    throw new JsonPatchError(`strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`);
  }
  const index = Number(key);
  if (index >= length || index < -length) {
    throw new JsonPatchError(`Unable to access invalid index: ${index}: invalid index referenced`);
  }
  return index < 0 ? index + length : index + 0;
}

function missing(why: string): JsonPatchError {
  return new JsonPatchError(`${why}: missing value`);
}

function within<T>(where: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof JsonPatchError) throw new JsonPatchError(`${where}: ${error.why}`);
    throw error;
  }
}
