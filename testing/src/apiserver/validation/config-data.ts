import { messageOf } from 'chancery/internal-objects';
import { parseGoJson } from '../objects/go-json.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { type ChangeCheck, changed, immutable } from './fields/change.ts';
import {
  forbidden,
  invalidShown,
  invalidValue,
  type Problem,
  required,
  tooLong,
} from './fields/problem.ts';
import { dataKeys } from './pods/volume.ts';

/**
 * The maximum size of the data of a ConfigMap or Secret, in bytes. Data of this size fits into etcd together
 * with the other fields of the object.
 */
const MAX_DATA_BYTES = 1_048_576;

function mapOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

function sizeOf(map: Json, measure: (text: string) => number): number {
  return Object.values(map).reduce<number>((size, value) => size + measure(String(value)), 0);
}

/** The size of a base64 value after decoding. */
function decodedBytes(text: string): number {
  return Buffer.byteLength(text, 'base64');
}

export function configMap(object: StoredObject): readonly Problem[] {
  const [data, binaryData] = [mapOf(object.data), mapOf(object.binaryData)];
  const twice = Object.keys(binaryData).filter((key) => Object.hasOwn(data, key));
  const size = sizeOf(data, Buffer.byteLength) + sizeOf(binaryData, decodedBytes);
  return [
    ...dataKeys(data, 'data'),
    ...twice.map((key) =>
      invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'),
    ),
    ...dataKeys(binaryData, 'binaryData'),
    // The server reports this problem for the object itself, so the path is empty.
    ...(size > MAX_DATA_BYTES ? [tooLong('[]', MAX_DATA_BYTES)] : []),
  ];
}

/** The required keys of a Secret, keyed by its type. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

/** The required keys whose value must be JSON. */
const JSON_KEYS: ReadonlySet<string> = new Set(['.dockercfg', '.dockerconfigjson']);

export function secret(object: StoredObject): readonly Problem[] {
  const data = mapOf(object.data);
  const size = sizeOf(data, decodedBytes);
  return [
    ...dataKeys(data, 'data'),
    ...(size > MAX_DATA_BYTES ? [tooLong('data', MAX_DATA_BYTES)] : []),
    ...ofType(object, data),
  ];
}

function ofType({ type, metadata }: StoredObject, data: Json): readonly Problem[] {
  if (type === 'kubernetes.io/service-account-token') {
    const key = 'kubernetes.io/service-account.name';
    const name = metadata.annotations?.[key];
    return name ? [] : [required(`metadata.annotations[${key}]`)];
  }
  if (type === 'kubernetes.io/basic-auth') {
    const named = data.username !== undefined || data.password !== undefined;
    return named ? [] : [required('data[username]'), required('data[password]')];
  }
  return (KEYS[String(type)] ?? []).flatMap((key) => keyOfType(key, data[key]));
}

function keyOfType(key: string, value: unknown): readonly Problem[] {
  const at = `data[${key}]`;
  if (value === undefined) return [required(at)];
  if (!JSON_KEYS.has(key)) return [];
  const problem = jsonProblem(Buffer.from(String(value), 'base64').toString());
  return problem === undefined ? [] : [invalidShown(at, '"<secret contents redacted>"', problem)];
}

/**
 * The reason why a string is not a JSON object, in the words of Go's parser. It contains at most one
 * character of the Secret.
 */
function jsonProblem(text: string): string | undefined {
  let value: unknown;
  try {
    ({ value } = parseGoJson(text));
  } catch (error) {
    return messageOf(error);
  }
  if (value === null || isObject(value)) return undefined;
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}

const FIXED = 'field is immutable when `immutable` is set';

/** Refuses changes of the data and of the field `immutable` in an immutable object. */
export const fixedData: ChangeCheck = (object, previous) => {
  if (previous.immutable !== true) return [];
  const problems: Problem[] = object.immutable === true ? [] : [forbidden('immutable', FIXED)];
  for (const name of ['data', 'binaryData']) {
    if (changed(object, previous, [name])) problems.push(forbidden(name, FIXED));
  }
  return problems;
};

export const changedSecret: ChangeCheck = (object, previous) => [
  ...immutable(['type'])(object, previous),
  ...fixedData(object, previous),
];
