import { BUILT_IN_RESOURCES } from '../../../testing/src/apiserver/registry/built-in-resources.ts';
import { HEADER } from './header.ts';
import type { TypeData } from './type-data.ts';

/** What the generated table says about one field. */
interface Field {
  readonly of?: string;
  readonly each?: true;
  readonly keys?: readonly string[];
  readonly set?: true;
}

const METADATA = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Types that matter without a list: one of their fields is stored under another name. */
const POD_SPEC = 'io.k8s.api.core.v1.PodSpec';

/**
 * `built-in-lists.ts`: the lists of built-in kinds whose items have keys, or are a set, and the types on the way to
 * them. The status is left out, because the server does not take it from a child.
 */
export function listFile(data: TypeData): string {
  const fields = new Map<string, Readonly<Record<string, Field>>>();
  const isUseful = usefulTypes(data);
  const kinds = BUILT_IN_RESOURCES.map(({ group, version, kind }) => {
    const name = `${group === '' ? version : `${group}/${version}`}/${kind}`;
    return [name, data.kinds[name]] as const;
  }).filter((each): each is readonly [string, string] => isUseful.has(each[1] ?? ''));
  const waiting = [METADATA, ...kinds.map(([, type]) => type)];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (fields.has(name)) continue;
    const found = fieldsOf(name, data, isUseful);
    fields.set(name, found);
    for (const { of } of Object.values(found)) if (of !== undefined) waiting.push(of);
  }
  const rows = [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${HEADER}
/** A field of a built-in type that has lists with keys in it. */
export interface ListField {
  /** The type of the value, or of its items. */
  readonly of?: string;
  /** The value is a map whose values have the type. */
  readonly each?: true;
  /** The fields that identify an item, each with its default behind \`=\`. */
  readonly keys?: readonly string[];
  /** Equal items are one item. */
  readonly set?: true;
}

/** Type by \`apiVersion/kind\`. */
export const KINDS: Readonly<Record<string, string>> = {
${[...new Map(kinds)].map(([kind, type]) => `  '${kind}': '${shortName(type)}',\n`).join('')}};

export const TYPES: Readonly<Record<string, Readonly<Record<string, ListField>>>> = {
${rows.map(([name, row]) => `  '${shortName(name)}': ${rowText(row)},\n`).join('')}};
`;
}

function fieldsOf(
  name: string,
  { types }: TypeData,
  isUseful: ReadonlySet<string>,
): Readonly<Record<string, Field>> {
  const found: Record<string, Field> = {};
  for (const [field, schema] of Object.entries(types[name]?.fields ?? {})) {
    if (field === 'status' || field === 'metadata') continue;
    const of = referred(schema.type);
    const part: Field = {
      ...(of !== undefined && isUseful.has(of) && { of }),
      ...(schema.type.startsWith('map:') && { each: true as const }),
      ...(schema.listType === 'map' && { keys: keysOf(of ?? '', schema.listMapKeys ?? [], types) }),
      ...(schema.listType === 'set' && { set: true as const }),
    };
    if (part.of !== undefined || part.keys !== undefined || part.set !== undefined) {
      found[field] = part;
    }
  }
  return found;
}

/** Types from which a list with keys, a set or the spec of a Pod can be reached. */
function usefulTypes({ types }: TypeData): ReadonlySet<string> {
  const useful = new Set([METADATA, POD_SPEC]);
  for (let size = 0; size !== useful.size; ) {
    size = useful.size;
    for (const [name, { fields }] of Object.entries(types)) {
      const leads = Object.entries(fields).some(
        ([field, { type, listType }]) =>
          field !== 'status' &&
          field !== 'metadata' &&
          (listType !== undefined || useful.has(referred(type) ?? '')),
      );
      if (leads) useful.add(name);
    }
  }
  return useful;
}

function keysOf(
  item: string,
  keys: readonly string[],
  types: TypeData['types'],
): readonly string[] {
  return keys.map((key) => {
    const { default: byDefault } = types[item]?.fields[key] ?? {};
    return byDefault === undefined ? key : `${key}=${byDefault}`;
  });
}

function referred(type: string): string | undefined {
  const item = type.replace(/^(\[\]|map:)+/, '');
  return item.startsWith('#') ? item.slice(1) : undefined;
}

/** `core.v1.PodSpec` of `io.k8s.api.core.v1.PodSpec`. */
function shortName(name: string): string {
  return name.split('.').slice(-3).join('.');
}

function rowText(row: Readonly<Record<string, Field>>): string {
  const parts = Object.entries(row).map(([field, { of, each, keys, set }]) => {
    const facts = [
      ...(of === undefined ? [] : [`of: '${shortName(of)}'`]),
      ...(each === undefined ? [] : ['each: true']),
      ...(keys === undefined ? [] : [`keys: [${keys.map((key) => `'${key}'`).join(', ')}]`]),
      ...(set === undefined ? [] : ['set: true']),
    ];
    const name = /^\w+$/.test(field) ? field : `'${field}'`;
    return `${name}: { ${facts.join(', ')} }`;
  });
  const line = parts.join(', ');
  return line.length <= 70
    ? `{ ${line} }`
    : `{\n${parts.map((part) => `    ${part},\n`).join('')}  }`;
}
