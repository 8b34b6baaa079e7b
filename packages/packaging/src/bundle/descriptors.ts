import { type DefinitionVersion, type StructuralSchema, valuesSchema } from 'chancery/internal';
import { spacedWords } from './words.ts';

/** How a console shows and edits a field. */
export interface Descriptor {
  /** Path below `spec` or `status`: `template.ports[0].name`. */
  readonly path: string;
  readonly displayName: string;
  readonly description: string;
  readonly 'x-descriptors'?: readonly string[];
}

/**
 * Maximum number of descriptors, so that all fit into one object. Fields that are nearest to the
 * root are kept.
 */
const MAX_DESCRIPTORS = 500;

const UI = 'urn:alm:descriptor:com.tectonic.ui';
const KUBERNETES = 'urn:alm:descriptor:io.kubernetes';

/** A field with its schema and its path. */
interface Field {
  readonly name: string;
  readonly path: string;
  readonly schema: StructuralSchema;
  /** Paths of the objects that contain the field, outermost first. */
  readonly groups: readonly string[];
}

/** Descriptors of all fields below `spec` that have a description. */
export function specDescriptors(version: DefinitionVersion): readonly Descriptor[] {
  const replicas = version.subresources?.scale?.specReplicasPath.replace(/^\.spec\./, '');
  return described(version, 'spec', (field) => specHints(field, replicas));
}

/**
 * Descriptors of all fields below `status` that have a description. `conditions` and `phase` are
 * included even without a description.
 */
export function statusDescriptors(version: DefinitionVersion): readonly Descriptor[] {
  return described(version, 'status', statusHints);
}

function described(
  { schema: { openAPIV3Schema } }: DefinitionVersion,
  part: 'spec' | 'status',
  hints: (field: Field) => readonly string[],
): readonly Descriptor[] {
  const root = openAPIV3Schema.properties?.[part];
  return root === undefined ? [] : descriptorsOf(fieldsBelow(root), hints);
}

function descriptorsOf(
  fields: Iterable<Field>,
  hints: (field: Field) => readonly string[],
): readonly Descriptor[] {
  const descriptors: Descriptor[] = [];
  for (const field of fields) {
    const { path, name, schema } = field;
    const known = hints === statusHints ? KNOWN_STATUS.get(path) : undefined;
    const description = schema.description ?? known?.description;
    if (description === undefined) continue;
    const found = hints(field);
    descriptors.push({
      path,
      displayName: schema.title ?? spacedWords(name),
      description,
      ...(found.length > 0 && { 'x-descriptors': found }),
    });
    if (descriptors.length === MAX_DESCRIPTORS) break;
  }
  return descriptors;
}

/**
 * All fields, level by level, so that the limit drops the deepest fields. The values of a map are
 * not included, because their names are not known.
 */
function* fieldsBelow(root: StructuralSchema): Generator<Field> {
  let level: readonly Field[] = [{ name: '', path: '', schema: root, groups: [] }];
  while (level.length > 0) {
    const next = level.flatMap(fieldsOf);
    yield* next;
    level = next;
  }
}

function fieldsOf({ path, schema, groups, name }: Field): readonly Field[] {
  if (schema.type === 'array' && schema.items !== undefined) {
    const item = { name, path: `${path}[0]`, schema: schema.items, groups };
    // For a list of lists, continue with the inner lists.
    return schema.items.type === 'array'
      ? fieldsOf(item)
      : childrenOf(item.path, item.schema, groups);
  }
  return childrenOf(path, schema, path === '' ? groups : [...groups, path]);
}

function childrenOf(
  path: string,
  { properties = {} }: StructuralSchema,
  groups: readonly string[],
): readonly Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    path: path === '' ? name : `${path}.${name}`,
    schema,
    groups,
  }));
}

function specHints(field: Field, replicas: string | undefined): readonly string[] {
  const groups = field.groups.map((path) => `${UI}:fieldGroup:${path}`);
  return [...groups, ...inputHints(field, replicas)];
}

/** Patterns for names of fields whose value is the name of an object. */
const REFERENCES: readonly (readonly [RegExp, string])[] = [
  [/secret(name)?$/i, 'Secret'],
  [/config-?map(name)?$/i, 'ConfigMap'],
  [/service-?account(name)?$/i, 'ServiceAccount'],
  [/storage-?class(name)?$/i, 'StorageClass'],
];

function inputHints(
  { name, path, schema }: Field,
  replicas: string | undefined,
): readonly string[] {
  const { type, format } = schema;
  const choices = schema.enum?.filter((value) => typeof value === 'string') ?? [];
  if (type === 'boolean') return [`${UI}:booleanSwitch`];
  if (type === 'integer' || type === 'number') {
    return [path === (replicas ?? 'replicas') ? `${UI}:podCount` : `${UI}:number`];
  }
  if (type === 'object') return isResources(schema) ? [`${UI}:resourceRequirements`] : [];
  if (type !== 'string') return [];
  if (choices.length > 0) return choices.map((value) => `${UI}:select:${value}`);
  if (format === 'password' || /password$/i.test(name)) return [`${UI}:password`];
  const [, kind] = REFERENCES.find(([pattern]) => pattern.test(name)) ?? [];
  return [kind === undefined ? `${UI}:text` : `${KUBERNETES}:${kind}`];
}

/** True for a schema with the maps `limits` and `requests`, as containers have them. */
function isResources({ properties = {} }: StructuralSchema): boolean {
  return ['limits', 'requests'].every((name) => {
    const found = properties[name];
    return found !== undefined && valuesSchema(found) !== undefined;
  });
}

/** Fields of a status that have a conventional meaning. */
const KNOWN_STATUS: ReadonlyMap<string, { readonly description: string; readonly hint: string }> =
  new Map([
    [
      'conditions',
      {
        description: 'What is known about the state of the object.',
        hint: `${KUBERNETES}.conditions`,
      },
    ],
    ['phase', { description: 'The state of the object in one word.', hint: `${KUBERNETES}.phase` }],
  ]);

function statusHints({ path, schema }: Field): readonly string[] {
  const known = KNOWN_STATUS.get(path);
  if (known !== undefined) return [known.hint];
  const isScalar = ['boolean', 'integer', 'number', 'string'].includes(schema.type ?? '');
  return isScalar ? [`${UI}:text`] : [];
}
