import {
  type BuiltInField,
  type BuiltInType,
  builtInType,
  elementType,
} from '../../built-in-types/built-in-types.ts';
import { goJson, sortedKeys } from '../../objects/canonical.ts';
import { isObject, type Json } from '../../objects/metadata.ts';

/**
 * A value as an object of the server's internal Go type, with Go's field names, and including unset fields.
 * Some messages contain such objects. In the internal types, a few fields have a different place than in the
 * API types. Some of these fields appear here in the same place as in the API.
 *
 * @param type - the name of the type, such as `io.k8s.api.core.v1.PodTemplateSpec`.
 */
export function internalJson(type: string, value: unknown): string {
  return goJson(struct(type, value));
}

/** @param written - the type's name, with or without the leading `#` of a field's type. */
function struct(written: string, value: unknown): unknown {
  const type = written.replace('#', '');
  const known = isShared(type) ? undefined : builtInType(type);
  const object = isObject(value) ? value : {};
  if (known === undefined) return value ?? {};
  const shown: Record<string, unknown> = {};
  for (const name of namesOf(known)) {
    if (name === 'metadata') Object.assign(shown, metadata(object.metadata));
    else if (type !== POD_SPEC || !isElsewhere(name)) {
      shown[goName(name)] = fieldValue(known.fields[name] ?? NO_FIELD, object[name]);
    }
  }
  return type === POD_SPEC ? withHost(shown, known, object) : shown;
}

const NO_FIELD: BuiltInField = { type: 'string' };

/**
 * Fields that have a different position in the internal type, keyed by the field after which they come in the
 * internal type.
 */
const MOVED_BEHIND: Readonly<Record<string, readonly string[]>> = {
  subdomain: ['setHostnameAsFQDN'],
  priority: ['preemptionPolicy'],
  runtimeClassName: ['overhead'],
  fsGroup: ['fsGroupChangePolicy'],
};

function namesOf({ fields }: BuiltInType): readonly string[] {
  const names = Object.keys(fields);
  const moved = Object.entries(MOVED_BEHIND)
    .filter(([name]) => names.includes(name))
    .flatMap(([, others]) => others.filter((other) => names.includes(other)));
  return names
    .filter((name) => !moved.includes(name))
    .flatMap((name) => [name, ...(MOVED_BEHIND[name] ?? []).filter((one) => moved.includes(one))]);
}

const POD_SPEC = 'io.k8s.api.core.v1.PodSpec';

/**
 * The fields of a PodSpec about its host. The internal type has them in the security context. The deprecated
 * `serviceAccount` is omitted.
 */
const OF_HOST = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];

function isElsewhere(name: string): boolean {
  return OF_HOST.includes(name) || name === 'serviceAccount';
}

function withHost(shown: Json, { fields }: BuiltInType, spec: Json): Json {
  if (!isObject(shown.SecurityContext)) return shown;
  const host = OF_HOST.map((name) => [
    goName(name),
    fieldValue(fields[name] ?? NO_FIELD, spec[name]),
  ]);
  return { ...shown, SecurityContext: { ...Object.fromEntries(host), ...shown.SecurityContext } };
}

/** Whether the server uses the API type itself as the internal type, for example for selectors. */
function isShared(type: string): boolean {
  return type.includes('.apimachinery.');
}

/** The unchanged fields of the metadata. Go prints them together with the other fields of the object. */
function metadata(value: unknown): unknown {
  return isObject(value) ? { ...value } : {};
}

function fieldValue(field: BuiltInField, value: unknown): unknown {
  const { type, pointer } = field;
  const element = elementType(type);
  if (element !== undefined) return elements(type, element, value);
  if (value === undefined || value === null) return pointer === true ? null : zeroOf(type);
  return type.startsWith('#') ? struct(type, value) : value;
}

function elements(type: string, element: string, value: unknown): unknown {
  const item = (one: unknown): unknown => fieldValue({ type: element }, one);
  if (type.startsWith('[]')) return Array.isArray(value) ? value.map(item) : null;
  if (!isObject(value)) return null;
  const entries = Object.entries(sortedKeys(value)).map(([key, one]) => [key, item(one)]);
  return Object.fromEntries(entries);
}

function zeroOf(type: string): unknown {
  if (type.startsWith('#')) return struct(type, undefined);
  if (type === 'bool') return false;
  if (type === 'Quantity') return '0';
  if (type === 'Time' || type === 'MicroTime') return null;
  return type === 'string' || type === 'Duration' ? '' : 0;
}

/** Abbreviations that Go writes in capitals at the beginning of a field name. */
const ABBREVIATIONS =
  /^(api|dns|uid|ip|tty|http|https|tcp|grpc|fs|se|nfs|fc|iscsi|rbd|csi|url|tls|qos|os)(?=[A-Z]|s$|$)/;

function goName(name: string): string {
  const short = ABBREVIATIONS.exec(name)?.[0] ?? name.slice(0, 1);
  return short.toUpperCase() + name.slice(short.length);
}
