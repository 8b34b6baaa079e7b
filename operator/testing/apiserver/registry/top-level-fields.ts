import { builtInKind, builtInKinds } from '../built-in-types/built-in-types.ts';

const SPEC_AND_STATUS: readonly string[] = ['spec', 'status'];

/** Where every built-in object has the same: they are no fields of the kind. */
const COMMON: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);

let fieldsByKind: ReadonlyMap<string, readonly string[]> | undefined;

/** The top-level fields of a built-in kind, in the order in which they are encoded. */
export function topLevelFields(kind: string): readonly string[] {
  fieldsByKind ??= readFields();
  return fieldsByKind.get(kind) ?? SPEC_AND_STATUS;
}

/** Of a kind that stands in several groups, such as Event, those of the core group count. */
function readFields(): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>();
  for (const qualified of builtInKinds()) {
    const slash = qualified.lastIndexOf('/');
    const [apiVersion, kind] = [qualified.slice(0, slash), qualified.slice(slash + 1)];
    if (fields.has(kind) && apiVersion !== 'v1') continue;
    const names = Object.keys(builtInKind(apiVersion, kind)?.fields ?? {});
    fields.set(
      kind,
      names.filter((name) => !COMMON.has(name)),
    );
  }
  return fields;
}
