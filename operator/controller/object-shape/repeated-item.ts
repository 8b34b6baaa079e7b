import { OperatorError } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import { visibleText } from '../../core/text/visible-text.ts';
import { type KubernetesObject, keyOf } from '../../model/object.ts';
import { apiVersionOf, type Resource, resourceName } from '../../model/resource.ts';
import { KINDS, type ListField, TYPES } from './built-in-lists.ts';

/** Maximum length of a key in a message. */
const MAX_KEY_CHARS = 100;

/**
 * Refuses an object in which two items of a list have the same key, such as two variables of a container with
 * the same name. The API server accepts the creation of such an object, but refuses each later server-side
 * apply. So the child would exist, and could never be changed.
 *
 * Items are not merged, because the object would then differ from what the caller wants. The keys are known
 * for built-in kinds, and for the metadata of every kind. A custom resource needs no check, because the API
 * server refuses such an object at its creation.
 *
 * @throws OperatorError `USER_CODE` with the path of the item and its key.
 */
export function requireDistinctItems(resource: Resource, object: KubernetesObject): void {
  const repeated = repeatedItem(resource, object);
  if (repeated === undefined) return;
  const { path, key, first } = repeated;
  throw new OperatorError(
    `${path} of the ${resource.kind} ${keyOf(object)} has the same ${key} as ${first}: a list with keys has each key once, state one item`,
    {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { resource: resourceName(resource), object: keyOf(object), path },
    },
  );
}

interface RepeatedItem {
  /** For example `spec.template.spec.containers[0].env[3]`. */
  readonly path: string;
  /** For example `name "A"`. */
  readonly key: string;
  /** The earlier item, for example `env[1]`. */
  readonly first: string;
}

interface Part {
  readonly value: unknown;
  readonly type: string | undefined;
  readonly path: string;
}

/**
 * The first item that repeats the key of an earlier item. Does not recurse, because objects may be nested
 * deeply.
 */
function repeatedItem(resource: Resource, object: KubernetesObject): RepeatedItem | undefined {
  const kind = `${apiVersionOf(resource)}/${resource.kind}`;
  const waiting: Part[] = [
    { value: object, type: Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined, path: '' },
    { value: object.metadata, type: 'meta.v1.ObjectMeta', path: 'metadata' },
  ];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    const { value: holder, path, type = '' } = part;
    if (!isMapping(holder)) continue;
    for (const [name, field] of Object.entries(TYPES[type] ?? {})) {
      const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
      const at = path === '' ? name : `${path}.${name}`;
      const repeated = Array.isArray(value) ? repeatedIn(value, field, at) : undefined;
      if (repeated !== undefined) return repeated;
      if (field.of === undefined) continue;
      for (const inner of partsOf(value, field, at)) waiting.push(inner);
    }
  }
  return undefined;
}

function partsOf(value: unknown, { of: type, each }: ListField, path: string): readonly Part[] {
  if (Array.isArray(value)) {
    return value.map((item: unknown, at) => ({ value: item, type, path: `${path}[${at}]` }));
  }
  if (each !== true || !isMapping(value)) return [{ value, type, path }];
  return Object.entries(value).map(([key, item]) => ({
    value: item,
    type,
    path: `${path}.${key}`,
  }));
}

function repeatedIn(
  items: readonly unknown[],
  { keys, set }: ListField,
  path: string,
): RepeatedItem | undefined {
  if (keys === undefined && set === undefined) return undefined;
  const seen = new Map<string, number>();
  for (const [at, item] of items.entries()) {
    const key = keys === undefined ? `value ${textOf(item)}` : keyOfItem(item, keys);
    if (key === undefined) continue;
    const first = seen.get(key);
    if (first !== undefined) {
      const shown = visibleText(key).slice(0, MAX_KEY_CHARS).toWellFormed();
      return { path: `${path}[${at}]`, key: shown, first: `${lastOf(path)}[${first}]` };
    }
    seen.set(key, at);
  }
  return undefined;
}

/**
 * The key of an item. Undefined if the item lacks all fields of the key: the API server has its own message
 * for that.
 */
function keyOfItem(item: unknown, keys: readonly string[]): string | undefined {
  if (!isMapping(item)) return undefined;
  const texts = keys.map((each) => {
    const [name = '', byDefault] = each.split('=');
    const value = Object.hasOwn(item, name) ? (item[name] ?? byDefault) : byDefault;
    return value === undefined ? undefined : `${name} ${textOf(value)}`;
  });
  const known = texts.filter((text) => text !== undefined);
  return known.length === 0 ? undefined : known.join(' and ');
}

/** Keys are names, numbers and addresses, so a message may contain them. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
