import type { StructuralSchema } from 'chancery/internal';
import { valuesSchema } from 'chancery/internal-objects';
import { celFieldName } from '../expression/field-name.ts';

/** The maximum size of a request, in bytes. No value can be longer. */
const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

export type SizedKind =
  | 'list'
  | 'map'
  | 'object'
  | 'string'
  | 'bytes'
  | 'int'
  | 'double'
  | 'bool'
  | 'timestamp'
  | 'duration'
  | 'dyn';

/**
 * The largest size that values of a schema can have, used to estimate the cost of a rule
 * (k8s.io/apiserver, pkg/cel/common/schemas.go, SchemaDeclType).
 */
export interface DeclaredSize {
  readonly kind: SizedKind;
  /**
   * The maximum number of items in a list, entries in a map, or characters in a string; 0 for kinds without a
   * size.
   */
  readonly most: number;
  /** The length of the shortest possible JSON of a value, in bytes. */
  readonly leastBytes: number;
  readonly items?: DeclaredSize;
  readonly keys?: DeclaredSize;
  /** The sizes of the fields, keyed by the name that a rule uses. */
  readonly fields?: ReadonlyMap<string, DeclaredSize>;
}

/** The size of a map key. A schema cannot limit the length of keys. */
const KEY: DeclaredSize = { kind: 'string', most: 0, leastBytes: 2 };

const SCALARS: Readonly<Record<string, DeclaredSize>> = {
  boolean: { kind: 'bool', most: 0, leastBytes: 4 },
  number: { kind: 'double', most: 0, leastBytes: 1 },
  integer: { kind: 'int', most: 0, leastBytes: 1 },
};

/** Formats that limit the length of a string. The lengths include the quotes. */
const FORMATS: Readonly<Record<string, DeclaredSize>> = {
  duration: { kind: 'duration', most: 32, leastBytes: 3 },
  date: { kind: 'timestamp', most: 12, leastBytes: 12 },
  'date-time': { kind: 'timestamp', most: 32, leastBytes: 21 },
};

const TEXT: StructuralSchema = { type: 'string' };

/**
 * The fields that every resource has. If a schema declares all of them itself, its declarations are
 * used instead.
 */
const RESOURCE_FIELDS: Readonly<Record<string, StructuralSchema>> = {
  kind: TEXT,
  apiVersion: TEXT,
  metadata: { type: 'object', properties: { name: TEXT, generateName: TEXT } },
};

/** @returns undefined for a schema whose values rules cannot see. */
export function declaredSize(schema: StructuralSchema, isRoot: boolean): DeclaredSize | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { kind: 'dyn', most: textLength(schema), leastBytes: 1 };
  }
  switch (schema.type) {
    case 'array':
      return listSize(schema);
    case 'object':
      return valuesSchema(schema) === undefined ? objectSize(schema, isRoot) : mapSize(schema);
    case 'string':
      return textSize(schema);
    default:
      return SCALARS[schema.type ?? ''];
  }
}

/**
 * How many values of at least this size fit into one request, if nothing else limits their number. Each value
 * is followed by a comma.
 */
export function mostInRequest({ leastBytes }: DeclaredSize): number {
  return Math.floor(MAX_REQUEST_BYTES / (leastBytes + 1));
}

function isEmbedded(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function listSize({ items, maxItems }: StructuralSchema): DeclaredSize | undefined {
  const of = items && declaredSize(items, isEmbedded(items));
  if (of === undefined) return undefined;
  const most = bound(maxItems) ?? Math.floor((MAX_REQUEST_BYTES - 2) / (of.leastBytes + 1));
  return { kind: 'list', most, leastBytes: 2, items: of };
}

function mapSize(schema: StructuralSchema): DeclaredSize | undefined {
  const values = valuesSchema(schema);
  const of = values && declaredSize(values, isEmbedded(values));
  if (of === undefined) return undefined;
  // The 6 bytes are for a key, its quotes, a colon and a comma.
  const entryBytes = of.leastBytes + 6;
  const most = bound(schema.maxProperties) ?? Math.floor((MAX_REQUEST_BYTES - 2) / entryBytes);
  return { kind: 'map', most, leastBytes: 2, items: of, keys: KEY };
}

function objectSize(schema: StructuralSchema, isRoot: boolean): DeclaredSize {
  const isIncomplete = isRoot && !namesResource(schema.properties ?? {});
  const properties = { ...schema.properties, ...(isIncomplete ? RESOURCE_FIELDS : {}) };
  const required = new Set(schema.required ?? []);
  const fields = new Map<string, DeclaredSize>();
  let leastBytes = 2;
  for (const [field, property] of Object.entries(properties)) {
    const of = declaredSize(property, isEmbedded(property));
    if (of === undefined) continue;
    const name = celFieldName(field);
    if (name !== undefined) fields.set(name, of);
    // The server fills in fields that have a default, so they need no bytes in the request.
    if (required.has(field) && property.default === undefined)
      leastBytes += Buffer.byteLength(field) + of.leastBytes + 4;
  }
  return { kind: 'object', most: 0, leastBytes, fields };
}

function namesResource({
  kind,
  apiVersion,
  metadata,
}: Readonly<Record<string, StructuralSchema>>): boolean {
  const { name, generateName } = metadata?.properties ?? {};
  const texts = [kind, apiVersion, name, generateName];
  return metadata?.type === 'object' && texts.every((text) => text?.type === 'string');
}

function textSize(schema: StructuralSchema): DeclaredSize {
  const { format = '', maxLength, enum: words } = schema;
  if (format === 'byte') {
    return { kind: 'bytes', most: bound(maxLength) ?? MAX_REQUEST_BYTES - 2, leastBytes: 2 };
  }
  const known = FORMATS[format];
  if (known !== undefined) return known;
  if (maxLength !== undefined || !Array.isArray(words) || words.length === 0)
    return { kind: 'string', most: textLength(schema), leastBytes: 2 };
  const lengths = words.map((word) => (typeof word === 'string' ? Buffer.byteLength(word) : 0));
  return { kind: 'string', most: Math.max(...lengths), leastBytes: 2 };
}

/** The maximum length of a string in bytes. A character can take four bytes. */
function textLength({ maxLength }: StructuralSchema): number {
  const most = bound(maxLength);
  return most === undefined ? MAX_REQUEST_BYTES - 2 : most * 4;
}

function bound(most: unknown): number | undefined {
  return most === undefined ? undefined : Math.max(Number(most), 0);
}
