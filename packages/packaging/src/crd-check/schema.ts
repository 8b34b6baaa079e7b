import { type CheckedSchema, fieldStep, isMapping, stepped } from 'chancery/internal';

/** A schema, at any depth in the schema of a version. */
export interface SchemaNode {
  /** The path, such as `.spec.ports[].name`. `{}` is any key of a map, and `.` is the whole object. */
  readonly path: string;
  readonly schema: CheckedSchema;
}

/** Keywords whose value is a list of schemas. */
const IN_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;

/** All schemas below `root`, keyed by their paths, `root` first. */
export function schemaNodes(root: CheckedSchema): ReadonlyMap<string, CheckedSchema> {
  const nodes = new Map<string, CheckedSchema>();
  const visit = (path: string, schema: CheckedSchema): void => {
    nodes.set(path, schema);
    for (const child of childrenOf(path, schema)) visit(child.path, child.schema);
  };
  visit('.', root);
  return nodes;
}

function childrenOf(path: string, schema: CheckedSchema): readonly SchemaNode[] {
  const { properties, items, additionalProperties, not } = schema;
  const child = (step: string, value: unknown): readonly SchemaNode[] =>
    isMapping(value) ? [{ path: stepped(path, step), schema: value }] : [];
  return [
    ...Object.entries(isMapping(properties) ? properties : {}).flatMap(([name, value]) =>
      child(fieldStep(name), value),
    ),
    ...child('[]', items),
    ...child('{}', additionalProperties),
    ...child('(not)', not),
    ...IN_LISTS.flatMap((keyword) => {
      const list = schema[keyword];
      const schemas: readonly unknown[] = Array.isArray(list) ? list : [];
      return schemas.flatMap((value, at) => child(`(${keyword}[${at}])`, value));
    }),
  ];
}

/** True when `path` is below `ancestor`, at any depth. */
export function isBelow(path: string, ancestor: string): boolean {
  if (ancestor === '.') return path !== '.';
  return path.startsWith(ancestor) && /^[.[{(]/.test(path.slice(ancestor.length));
}

/** JSON with sorted keys: equal values have equal JSON. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, each: unknown) =>
      isMapping(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    ) ?? 'nothing'
  );
}
