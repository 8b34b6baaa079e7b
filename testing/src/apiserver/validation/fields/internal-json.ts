import {
  type BuiltInField,
  type BuiltInType,
  builtInType,
  elementType,
} from '../../built-in-types/built-in-types.ts';
import { goJson, sortedKeys } from '../../objects/canonical.ts';
import { isObject, type Json } from '../../objects/metadata.ts';

/**
 * A value as messages show a type that the server has for itself: with the names of Go, and with
 * everything that is not set. Its own types are those of the API but for a few fields, which stand
 * here where the API has them.
 *
 * @param type - a name such as `io.k8s.api.core.v1.PodTemplateSpec`.
 */
export function internalJson(type: string, value: unknown): string {
  return goJson(struct(type, value));
}

function struct(type: string, value: unknown): unknown {
  const known = isShared(type) ? undefined : builtInType(type);
  const object = isObject(value) ? value : {};
  if (known === undefined) return value ?? {};
  if (type === POD_SPEC) return podSpec(known, object);
  const shown: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(known.fields)) {
    if (name === 'metadata') Object.assign(shown, metadata(object.metadata));
    else shown[goName(name)] = fieldValue(field, object[name]);
  }
  return shown;
}

const POD_SPEC = 'io.k8s.api.core.v1.PodSpec';

/** The server has these in the order and at the places of its own type. */
const IN_SECURITY_CONTEXT = [
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'shareProcessNamespace',
  'hostUsers',
];
const MOVED_BEHIND: Readonly<Record<string, readonly string[]>> = {
  subdomain: ['setHostnameAsFQDN'],
  priority: ['preemptionPolicy'],
  runtimeClassName: ['overhead'],
};

function podSpec({ fields }: BuiltInType, spec: Json): unknown {
  const shown: Record<string, unknown> = {};
  const show = (name: string, into = shown): void => {
    const field = fields[name];
    if (field !== undefined) into[goName(name)] = fieldValue(field, spec[name]);
  };
  const moved = new Set([...IN_SECURITY_CONTEXT, ...Object.values(MOVED_BEHIND).flat()]);
  for (const name of Object.keys(fields)) {
    if (moved.has(name) || name === 'serviceAccount') continue;
    show(name);
    for (const other of MOVED_BEHIND[name] ?? []) show(other);
    if (name !== 'securityContext' || !isObject(shown.SecurityContext)) continue;
    const host: Record<string, unknown> = {};
    for (const part of IN_SECURITY_CONTEXT) show(part, host);
    shown.SecurityContext = { ...host, ...shown.SecurityContext };
  }
  return shown;
}

/** Selectors and the like are types that the server shares with its clients. */
function isShared(type: string): boolean {
  return type.includes('.apimachinery.');
}

/** Metadata stands among the other fields, as everybody writes it. */
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

/** Abbreviations that Go writes in capitals at the beginning of a name. */
const ABBREVIATIONS =
  /^(api|dns|uid|ip|tty|http|https|tcp|grpc|fs|se|nfs|fc|iscsi|rbd|csi|url|tls|qos)(?=[A-Z]|s$|$)/;

function goName(name: string): string {
  const short = ABBREVIATIONS.exec(name)?.[0] ?? name.slice(0, 1);
  return short.toUpperCase() + name.slice(short.length);
}
