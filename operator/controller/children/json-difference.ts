import { OperatorError } from '../../core/errors.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';

/**
 * Maximum depth of compared objects, which come from an API server or from a hook. Deeper ones are refused.
 */
const MAX_DEPTH = 1_000;

/** Maximum number of paths that a message contains. */
const MAX_PATHS = 5;

/**
 * The member with the given name; undefined if `value` is not a mapping. Safe for members with names such as
 * `constructor`.
 */
export function memberOf(value: unknown, key: string): unknown {
  return isMapping(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** @throws OperatorError `USER_CODE` when values are nested more deeply than any real object. */
export function requireDepth(depth: number): void {
  if (depth <= MAX_DEPTH) return;
  throw new OperatorError('an object is nested too deeply to be compared', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { maxDepth: MAX_DEPTH },
  });
}

/**
 * True when both are the same JSON value. Undefined members count as absent. An integer beyond the range of a
 * number is a bigint in an answer and a rounded number in a cached object; the two count as equal.
 */
export function isSameJson(a: unknown, b: unknown, depth: number = 0): boolean {
  requireDepth(depth);
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isSameJson(item, b[at], depth + 1));
  }
  if (isMapping(a) && isMapping(b)) {
    return keysOf(a, b).every((key) => isSameJson(memberOf(a, key), memberOf(b, key), depth + 1));
  }
  return isNumeric(a) && isNumeric(b) && Number(a) === Number(b);
}

/** The JSON merge patch (RFC 7386) that changes `before` to `after`; undefined when they are the same. */
export function mergePatchOf(
  before: Mapping,
  after: Mapping,
  depth: number = 0,
): Mapping | undefined {
  requireDepth(depth);
  const members = new Map<string, unknown>();
  for (const key of keysOf(before, after)) {
    const [old, now] = [memberOf(before, key), memberOf(after, key)];
    if (isMapping(old) && isMapping(now)) {
      const inner = mergePatchOf(old, now, depth + 1);
      if (inner !== undefined) members.set(key, inner);
    } else if (!isSameJson(old, now, depth + 1)) {
      members.set(key, now ?? null);
    }
  }
  return members.size === 0 ? undefined : Object.fromEntries(members);
}

/**
 * The paths where two values differ, such as `spec.template.spec.containers[0].image`, without the values. At
 * most five.
 */
export function differingPaths(a: unknown, b: unknown): readonly string[] {
  const paths: string[] = [];
  collectPaths(a, b, '', 0, paths);
  return paths;
}

function collectPaths(a: unknown, b: unknown, path: string, depth: number, into: string[]): void {
  if (into.length >= MAX_PATHS || isSameJson(a, b, depth)) return;
  if (isMapping(a) && isMapping(b)) {
    for (const key of keysOf(a, b)) {
      collectPaths(
        memberOf(a, key),
        memberOf(b, key),
        `${path}${step(key, path)}`,
        depth + 1,
        into,
      );
    }
  } else if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    for (const [at, item] of a.entries()) {
      collectPaths(item, b[at], `${path}[${at}]`, depth + 1, into);
    }
  } else {
    into.push(path === '' ? '.' : path);
  }
}

function step(key: string, path: string): string {
  if (!/^[\w-]+$/.test(key)) return `[${key}]`;
  return path === '' ? key : `.${key}`;
}

function keysOf(a: Mapping, b: Mapping): readonly string[] {
  const both = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...both].sort();
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
