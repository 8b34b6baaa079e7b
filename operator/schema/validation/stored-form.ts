/**
 * The value that the API server stores when a client sends a value: it drops fields that the schema does not
 * declare, and then fills in defaults.
 */

import { deepCopy } from '../../core/json/deep-json.ts';
import { isMapping } from '../../core/mapping.ts';
import {
  fieldSchema,
  OBJECT_FIELDS,
  type StructuralSchema,
} from '../../model/structural-schema.ts';
import type { Json } from '../keywords.ts';
import { UNLIMITED, type Work } from '../work.ts';
import { isResource, joined } from './schema-places.ts';

/**
 * A whole object as the API server stores it.
 *
 * @throws TooMuchWork
 */
export function storedForm(object: unknown, schema: StructuralSchema, work: Work): unknown {
  return applyDefaults(prune(object, schema, { work }), schema, work);
}

/** Options for pruning a value. */
export interface Pruning {
  /** Called with the path of each field that is dropped. */
  readonly report?: (path: string) => void;
  /**
   * The path of the value. Default: empty, for a whole object, which keeps its apiVersion, kind and metadata.
   */
  readonly path?: string;
  /** Limits the work. Default: no limit. */
  readonly work?: Work;
}

/**
 * `value` without the fields that the schema does not declare. If it has no such fields, the result is
 * `value` itself.
 *
 * If a schema keeps unknown fields, the values of these fields are kept as a whole, and the values of known
 * fields are pruned.
 *
 * @throws TooMuchWork
 */
export function prune(
  value: unknown,
  schema: StructuralSchema,
  { report = () => {}, path = '', work = UNLIMITED }: Pruning = {},
): unknown {
  return pruned(value, schema, path, { report, work });
}

type Pruner = Required<Pick<Pruning, 'report' | 'work'>>;

function pruned(value: unknown, schema: StructuralSchema, path: string, pruner: Pruner): unknown {
  pruner.work.spend(1);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    const kept = value.map((item, at) => pruned(item, items, `${path}[${at}]`, pruner));
    return kept.some((item, at) => item !== value[at]) ? kept : value;
  }
  return isMapping(value) ? prunedObject(value, schema, path, pruner) : value;
}

function prunedObject(
  value: Json,
  schema: StructuralSchema,
  path: string,
  pruner: Pruner,
): unknown {
  const kept: [string, unknown][] = [];
  let same = true;
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const resource = isResource(schema, path);
  for (const [field, child] of Object.entries(value)) {
    const below = joined(path, field);
    const known = resource && OBJECT_FIELDS.has(field) ? undefined : fieldSchema(schema, field);
    if (known !== undefined) {
      const inner = pruned(child, known, below, pruner);
      same &&= inner === child;
      kept.push([field, inner]);
    } else if (preserve || (resource && OBJECT_FIELDS.has(field))) {
      kept.push([field, child]);
    } else {
      same = false;
      pruner.report(below);
    }
  }
  // `__proto__` may be the name of a field.
  return same ? value : Object.fromEntries(kept);
}

/**
 * `value` with the defaults of the schema for missing fields. If no field is missing, the result is `value`
 * itself.
 *
 * If a field is null although the schema does not allow null, it gets the default.
 *
 * @param nulls - what happens to nulls that are not allowed and have no default: `removed`, or `kept`, as
 *   after a server-side apply.
 * @throws TooMuchWork
 */
export function applyDefaults(
  value: unknown,
  schema: StructuralSchema,
  work: Work = UNLIMITED,
  nulls: 'removed' | 'kept' = 'removed',
): unknown {
  work.spend(1);
  if (Array.isArray(value)) return defaultedList(value, schema, work, nulls);
  return isMapping(value) ? defaultedObject(value, schema, work, nulls) : value;
}

function defaultedList(
  value: readonly unknown[],
  { items }: StructuralSchema,
  work: Work,
  nulls: 'removed' | 'kept',
): unknown {
  if (items === undefined) return value;
  const filled = value.map((item) => {
    const present = item === null && items.nullable !== true ? defaultOf(items) : item;
    return applyDefaults(present === undefined ? null : present, items, work, nulls);
  });
  return filled.some((item, at) => item !== value[at]) ? filled : value;
}

function defaultedObject(
  value: Json,
  schema: StructuralSchema,
  work: Work,
  nulls: 'removed' | 'kept',
): unknown {
  const filled = new Map<string, unknown>();
  let same = true;
  for (const [field, child] of Object.entries(value)) {
    const property = fieldSchema(schema, field);
    if (property === undefined) {
      filled.set(field, child);
      continue;
    }
    const isRefused = child === null && property.nullable !== true;
    const kept = nulls === 'kept' ? null : undefined;
    const present = isRefused ? (defaultOf(property) ?? kept) : child;
    const whole = present === undefined ? undefined : applyDefaults(present, property, work, nulls);
    same &&= whole === child;
    if (present !== undefined) filled.set(field, whole);
  }
  const defaulted = defaultedFields(schema);
  work.spend(defaulted.length);
  for (const [field, property] of defaulted) {
    if (filled.has(field)) continue;
    work.spend(FILLED_STEPS);
    filled.set(field, applyDefaults(defaultOf(property), property, work, nulls));
    same = false;
  }
  return same ? value : Object.fromEntries(filled);
}

/**
 * Number of steps that it costs to give a missing field its default. The cost also limits the memory that
 * defaults take, because each item of a list gets a copy of all the defaults.
 */
const FILLED_STEPS = 20;

type Fields = NonNullable<StructuralSchema['properties']>;

/**
 * The fields with a default, for each schema. They are computed once, because a list needs them for every
 * item.
 */
const DEFAULTED = new WeakMap<Fields, readonly (readonly [string, StructuralSchema])[]>();

function defaultedFields({
  properties,
}: StructuralSchema): readonly (readonly [string, StructuralSchema])[] {
  if (properties === undefined) return [];
  let found = DEFAULTED.get(properties);
  if (found === undefined) {
    found = Object.entries(properties).filter(([, property]) => property.default !== undefined);
    DEFAULTED.set(properties, found);
  }
  return found;
}

/** A copy of the default, because objects must share nothing with the schema. */
function defaultOf(schema: StructuralSchema): unknown {
  return schema.default === undefined ? undefined : deepCopy(schema.default);
}
