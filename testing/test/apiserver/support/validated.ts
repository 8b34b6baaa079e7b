import { builtInStrategy } from '../../../src/apiserver/built-in-kinds/built-in-strategy.ts';
import { canonicalBuiltIn } from '../../../src/apiserver/objects/canonical.ts';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';
import { BUILT_IN_RESOURCES } from '../../../src/apiserver/registry/built-in-resources.ts';

/** What is set in an object, by path: `spec.ports[0].name`. `undefined` removes a field. */
export type Changes = Readonly<Record<string, unknown>>;

/** A row of a table: what is done, how, and what the server says of it as `field: message`. */
export type Row = readonly [what: string, changes: Changes, problems: readonly string[]];

/** A copy of an object with some of it changed. */
export function changedBy(object: object, changes: Changes): object {
  const copy = structuredClone(object);
  for (const [path, value] of Object.entries(changes)) set(copy, path, value);
  return copy;
}

function set(object: object, path: string, value: unknown): void {
  const parts = path.split(/\.|\[(\d+)\]\.?/).filter((part) => part !== undefined && part !== '');
  const last = parts.pop() ?? '';
  let at = object as Record<string, unknown>;
  for (const [index, part] of parts.entries()) {
    at[part] ??= /^\d+$/.test(parts[index + 1] ?? last) ? [] : {};
    at = at[part] as Record<string, unknown>;
  }
  if (value === undefined) delete at[last];
  else at[last] = structuredClone(value);
}

/** An object as it would be stored: decoded, with all defaults, and with what its kind adds. */
export function asStored(object: object, previous?: StoredObject): StoredObject {
  const strategy = strategyOf(object as StoredObject);
  const prepared = strategy.prepare(object as StoredObject, previous);
  const kept = previous === undefined ? prepared : strategy.keep?.(prepared, previous, 0);
  return canonicalBuiltIn(strategy.complete(kept ?? prepared));
}

/** What the server says of a new object; or of a change, where there is one before. */
export function problemsOf(object: object, previous?: object): readonly string[] {
  const before = previous === undefined ? undefined : asStored(previous);
  const stored = asStored(object, before);
  return strategyOf(stored)
    .validate(stored, before)
    .map(({ field, message }) => `${field}: ${message}`);
}

function strategyOf({ apiVersion, kind }: StoredObject): ReturnType<typeof builtInStrategy> {
  const resource = BUILT_IN_RESOURCES.find(
    (one) =>
      one.kind === kind &&
      apiVersion === (one.group === '' ? one.version : `${one.group}/${one.version}`),
  );
  if (resource === undefined) throw new Error(`no built-in kind ${apiVersion} ${kind}`);
  return builtInStrategy(resource);
}
