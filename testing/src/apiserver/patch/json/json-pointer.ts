import {
  fieldOf,
  isJsonObject,
  type JsonObject,
  withField,
  withoutField,
} from '../../objects/json-value.ts';
import { unprocessablePatch } from '../patch-error.ts';

/** A parsed JSON pointer (RFC 6901). Empty: the whole document. */
export type Pointer = readonly string[];

/** @throws ApiError 422 for anything but a pointer. */
export function parsePointer(text: unknown): Pointer {
  if (text === '') return [];
  if (typeof text !== 'string' || !text.startsWith('/')) throw unprocessablePatch();
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** @throws ApiError 422 when nothing is there. */
export function readAt(document: unknown, pointer: Pointer): unknown {
  return pointer.reduce(childOf, document);
}

/** Sets a field, or inserts into a list; `-` appends. @throws ApiError 422 without a parent. */
export function addAt(document: unknown, pointer: Pointer, value: unknown): unknown {
  return changeAt(document, pointer, value, (parent, token) => {
    if (isJsonObject(parent)) return withField(parent, token, value);
    const index = token === '-' ? parent.length : indexOf(token, parent.length + 1);
    return parent.toSpliced(index, 0, value);
  });
}

/** @throws ApiError 422 when nothing is there to replace. */
export function replaceAt(document: unknown, pointer: Pointer, value: unknown): unknown {
  return changeAt(document, pointer, value, (parent, token) => {
    childOf(parent, token);
    if (isJsonObject(parent)) return withField(parent, token, value);
    return parent.with(indexOf(token, parent.length), value);
  });
}

/** @throws ApiError 422 when nothing is there to remove, and for the document itself. */
export function removeAt(document: unknown, pointer: Pointer): unknown {
  if (pointer.length === 0) throw unprocessablePatch();
  return changeAt(document, pointer, undefined, (parent, token) => {
    childOf(parent, token);
    if (isJsonObject(parent)) return withoutField(parent, token);
    return parent.toSpliced(indexOf(token, parent.length), 1);
  });
}

type Container = JsonObject | readonly unknown[];

/** Copies the containers on the way, and lets `change` make the new innermost one. */
function changeAt(
  document: unknown,
  pointer: Pointer,
  whole: unknown,
  change: (parent: Container, token: string) => Container,
): unknown {
  const last = pointer.at(-1);
  if (last === undefined) return whole;
  const above: { readonly parent: Container; readonly token: string }[] = [];
  let parent = containerOf(document);
  for (const token of pointer.slice(0, -1)) {
    above.push({ parent, token });
    parent = containerOf(childOf(parent, token));
  }
  let changed: Container = change(parent, last);
  for (const { parent: outer, token } of above.reverse()) {
    changed = Array.isArray(outer)
      ? outer.with(indexOf(token, outer.length), changed)
      : withField(outer as JsonObject, token, changed);
  }
  return changed;
}

function containerOf(value: unknown): Container {
  if (isJsonObject(value) || Array.isArray(value)) return value;
  throw unprocessablePatch();
}

function childOf(parent: unknown, token: string): unknown {
  if (Array.isArray(parent)) return parent[indexOf(token, parent.length)];
  if (!isJsonObject(parent) || !Object.hasOwn(parent, token)) throw unprocessablePatch();
  return fieldOf(parent, token);
}

/** The server counts negative indices from the end, although RFC 6902 knows none. */
function indexOf(token: string, length: number): number {
  if (!/^-?(0|[1-9][0-9]*)$/.test(token)) throw unprocessablePatch();
  const index = Number(token) < 0 ? Number(token) + length : Number(token);
  if (index < 0 || index >= length) throw unprocessablePatch();
  return index;
}
