import type { KubernetesObject } from '../../model/object.ts';
import type { AcceptedWrite } from '../policies/key-gate.ts';
import { shownObject } from './wakes/wake-causes.ts';

/** Maximum number of changes in one log line. */
const MAX_CHANGES = 10;

/**
 * Maximum number of characters of a string in the log. Longer strings are omitted, because they may contain
 * anything.
 */
const MAX_TEXT = 64;

/** Maximum depth to which fields are compared. */
const MAX_DEPTH = 32;

/** Metadata that is omitted, because it changes with every write, or is logged in another line. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'metadata.managedFields',
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.uid',
  'metadata.creationTimestamp',
]);

/** If a path contains one of these names, no string is logged, because people store credentials there. */
const PRIVATE =
  /(?:^|[.[])(?:data|binaryData|stringData|env|annotations|args|command|value)(?:[.[]|$)|token|passw|passphrase|secret|credential|cookie|authoriz|private|api-?key|dsn|cert/i;

/**
 * Matches numbers, words, paths, images and times, but no strings with spaces, and no URLs with a user name.
 */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._:/+-]*(?:@sha256:[0-9a-f]{64})?$/;

/** A write of an attempt as fields of a debug line: `applied StatefulSet demo/x: spec.replicas 2 → 3`. */
export function writtenFacts(
  { resource, namespace, name, hasChanged, before, answer }: AcceptedWrite,
  options: object,
): Readonly<Record<string, unknown>> {
  const subresource = 'subresource' in options ? options.subresource : undefined;
  const object = shownObject(resource, { namespace, name });
  const [old] = before;
  // A cache of metadata contains objects of another kind.
  const isComparable = old !== undefined && answer !== undefined && old.kind === answer.kind;
  const changes = isComparable && hasChanged ? writtenFields(old, answer) : [];
  return {
    object,
    ...(subresource !== undefined && { subresource }),
    ...(changes.length > 0 && { changes }),
    ...(!hasChanged && { unchanged: true }),
  };
}

/** Verbs in the past tense, for the message of a debug line. */
export const DONE: Readonly<Record<string, string>> = {
  create: 'created',
  apply: 'applied',
  update: 'updated',
  patch: 'patched',
  delete: 'deleted',
};

/**
 * The fields in which two states of an object differ, such as `spec.replicas 2 → 3`. At most 10 are listed,
 * followed by the number of further ones.
 *
 * The result contains values if they are numbers, booleans or short strings without spaces. It contains no
 * value of a field in which people store credentials: `data`, `env`, annotations, and fields with a name that
 * suggests a credential. The same applies to every field of a Secret, and of a kind whose name contains
 * Secret.
 */
export function writtenFields(
  before: KubernetesObject,
  after: KubernetesObject,
): readonly string[] {
  const changes: string[] = [];
  let further = 0;
  const isPrivateObject = after.kind.includes('Secret');
  const compare = (path: string, old: unknown, now: unknown, depth: number): void => {
    if (old === now || LEFT_OUT.has(path)) return;
    if (isRecord(old) && isRecord(now)) {
      if (depth >= MAX_DEPTH) return;
      for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
        const inner = Array.isArray(now) ? `${path}[${name}]` : join(path, name);
        compare(inner, old[name], now[name], depth + 1);
      }
      return;
    }
    if (changes.length >= MAX_CHANGES) {
      further++;
      return;
    }
    changes.push(described(path, old, now, isPrivateObject || PRIVATE.test(path)));
  };
  compare('', before, after, 0);
  return further === 0 ? changes : [...changes, `and ${further} more`];
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function described(path: string, old: unknown, now: unknown, isPrivate: boolean): string {
  const name = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  if (now === undefined) return `${name} removed`;
  const from = shown(old);
  const to = shown(now);
  if (isPrivate || to === undefined) return `${name} ${old === undefined ? 'added' : 'changed'}`;
  if (old === undefined) return `${name} → ${to}`;
  return from === undefined ? `${name} changed` : `${name} ${from} → ${to}`;
}

/** The text of a value in a log line. Undefined for a value that must not, or need not, be logged. */
function shown(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return `${value}`;
  if (typeof value !== 'string' || value.length > MAX_TEXT + 71) return undefined;
  const isPlain = PLAIN.test(value) && value.replace(/@sha256:.*$/, '').length <= MAX_TEXT;
  return isPlain ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
