import type { JsonPatchOperation } from '../../client/client.ts';
import { memberOf, requireDepth } from '../../controller/children/json-difference.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';

/** If the changes of a list would need more operations than this, the list is replaced as a whole. */
const MAX_LIST_OPERATIONS = 100;

/**
 * The JSON patch (RFC 6902) that changes `before` to `after`. Empty when both are equal. Both are JSON
 * values. Integers that a number cannot represent exactly are bigints.
 *
 * @throws OperatorError `USER_CODE` for values with more than 1,000 levels.
 */
export function jsonPatchOf(before: unknown, after: unknown): readonly JsonPatchOperation[] {
  return changes(before, after, '', 0);
}

function changes(
  before: unknown,
  after: unknown,
  path: string,
  depth: number,
): readonly JsonPatchOperation[] {
  requireDepth(depth);
  if (isMapping(before) && isMapping(after)) return changesOfMap(before, after, path, depth);
  if (Array.isArray(before) && Array.isArray(after)) {
    return changesOfList(before, after, path, depth);
  }
  return isSame(before, after, depth) ? [] : [{ op: 'replace', path, value: after }];
}

function changesOfMap(
  before: Mapping,
  after: Mapping,
  path: string,
  depth: number,
): readonly JsonPatchOperation[] {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [
    ...removed.map((key): JsonPatchOperation => ({ op: 'remove', path: pathOf(path, key) })),
    ...Object.keys(after).flatMap((key): readonly JsonPatchOperation[] => {
      const inner = pathOf(path, key);
      const value = memberOf(after, key);
      if (!Object.hasOwn(before, key)) return [{ op: 'add', path: inner, value }];
      return changes(memberOf(before, key), value, inner, depth + 1);
    }),
  ];
}

/**
 * The changes of a list. Equal items at the beginning and at the end are not changed. The items between them
 * are compared one by one, in order.
 */
function changesOfList(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
  depth: number,
): readonly JsonPatchOperation[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && isSame(before[head], after[head], depth + 1)) head++;
  let tail = 0;
  const isTailSame = (): boolean =>
    isSame(before[before.length - 1 - tail], after[after.length - 1 - tail], depth + 1);
  while (tail < shorter - head && isTailSame()) tail++;
  const end = shorter - tail; // end of the middle items that both lists have
  const operations: JsonPatchOperation[] = [];
  for (let at = head; at < end; at++) {
    operations.push(...changes(before[at], after[at], pathOf(path, String(at)), depth + 1));
  }
  for (let at = before.length - tail - 1; at >= end; at--) {
    operations.push({ op: 'remove', path: pathOf(path, String(at)) });
  }
  for (let at = end; at < after.length - tail; at++) {
    operations.push({ op: 'add', path: pathOf(path, String(at)), value: after[at] });
  }
  if (operations.length <= MAX_LIST_OPERATIONS) return operations;
  return [{ op: 'replace', path, value: after }];
}

function isSame(a: unknown, b: unknown, depth: number): boolean {
  requireDepth(depth);
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isSame(item, b[at], depth + 1));
  }
  if (isMapping(a) && isMapping(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key], depth + 1))
    );
  }
  return false;
}

function pathOf(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
