import { ConfigurationError } from '../../core/errors.ts';

export type Mapping = Readonly<Record<string, unknown>>;

/**
 * A schema in the form in which two schemas are compared: a keyword with the value that it has when it is
 * left out (`nullable: false`, `required: []`, an empty text) is left out.
 */
export type CheckedSchema = Mapping;

/** A schema somewhere in the schema of a version. */
export interface SchemaNode {
  /** `.spec.ports[].name`; `{}` is any key of a map, and `.` is the whole object. */
  readonly path: string;
  readonly schema: CheckedSchema;
}

/** Schemas of the Kubernetes project itself are nested 20 deep at most. This bounds the recursion. */
const MAX_DEPTH = 100;

/** Keywords whose value is a list of schemas, or one of them. */
const IN_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * `schema` in the form in which two schemas are compared.
 *
 * @throws ConfigurationError `CONFIG` that names the path of what is no schema, or is nested too deep.
 */
export function checkedSchema(schema: unknown, path: string = '.', depth: number = 0): Mapping {
  if (!isMapping(schema)) throw new ConfigurationError(`the schema of ${path} must be a mapping`);
  if (depth > MAX_DEPTH) throw nestedTooDeep(path);
  const entries = Object.entries(schema).flatMap(([keyword, value]) => {
    const checked = checkedKeyword(keyword, value, path, depth + 1);
    return checked === undefined ? [] : [[keyword, checked] as const];
  });
  return Object.fromEntries(entries);
}

/** The value of a keyword; undefined when it means the same as no keyword. */
function checkedKeyword(keyword: string, value: unknown, path: string, depth: number): unknown {
  if (value === null || value === undefined) return undefined;
  switch (keyword) {
    case 'default':
    case 'enum':
    case 'example':
      return isEmptyList(value) && keyword === 'enum' ? undefined : shallow(value, path, depth);
    case 'properties':
      return checkedProperties(value, path, depth);
    case 'items':
      return checkedSchema(value, stepped(path, '[]'), depth);
    case 'not':
      return checkedSchema(value, stepped(path, '(not)'), depth);
    case 'additionalProperties':
      // `false` forbids what no keyword would allow.
      return typeof value === 'boolean' ? value : checkedSchema(value, stepped(path, '{}'), depth);
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return checkedList(keyword, value, path, depth);
    default:
      return isUnset(value) ? undefined : shallow(value, path, depth);
  }
}

/** `value`, which is any JSON: `false` and an empty text mean themselves in a default. */
function shallow(value: unknown, path: string, depth: number): unknown {
  if (depth > MAX_DEPTH) throw nestedTooDeep(path);
  if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) shallow(each, path, depth + 1);
  }
  return value;
}

function nestedTooDeep(path: string): ConfigurationError {
  const where = path.length > 100 ? `${path.slice(0, 100)}…` : path;
  return new ConfigurationError(`the schema is nested deeper than ${MAX_DEPTH}, at ${where}`);
}

function checkedProperties(value: unknown, path: string, depth: number): Mapping | undefined {
  if (!isMapping(value)) {
    throw new ConfigurationError(`properties in the schema of ${path} must be a mapping`);
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return undefined;
  return Object.fromEntries(
    entries.map(([name, each]) => [
      name,
      checkedSchema(each, stepped(path, fieldStep(name)), depth),
    ]),
  );
}

function checkedList(
  keyword: string,
  value: unknown,
  path: string,
  depth: number,
): readonly Mapping[] | undefined {
  if (!Array.isArray(value)) {
    throw new ConfigurationError(`${keyword} in the schema of ${path} must be a list`);
  }
  if (value.length === 0) return undefined;
  return value.map((each: unknown, at) =>
    checkedSchema(each, stepped(path, `(${keyword}[${at}])`), depth),
  );
}

function isUnset(value: unknown): boolean {
  const isEmpty = isMapping(value) && Object.keys(value).length === 0;
  return value === false || value === '' || isEmpty || isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** All schemas below `root` by their paths, `root` first. */
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

/** `.name`, or `['a.b']` for a name that would look like several steps. */
function fieldStep(name: string): string {
  return /^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function stepped(path: string, step: string): string {
  return path === '.' && step.startsWith('.') ? step : `${path}${step}`;
}

/** True when `path` is somewhere below `ancestor`. */
export function isBelow(path: string, ancestor: string): boolean {
  if (ancestor === '.') return path !== '.';
  return path.startsWith(ancestor) && /^[.[{(]/.test(path.slice(ancestor.length));
}

/** JSON with sorted keys: equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, each: unknown) =>
      isMapping(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    ) ?? 'nothing'
  );
}
