import { readFileSync } from 'node:fs';

/**
 * One field of a built-in type, as the Go source of Kubernetes v1.36 declares it. The order of the
 * fields of a type is the order in which Go writes them.
 */
export interface BuiltInField {
  /**
   * `string`, `bool`, `int32`, `int64`, `double`, `bytes`; a type with its own JSON representation (`Time`,
   * `MicroTime`, `Duration`, `Quantity`, `IntOrString`, `FieldsV1`, `RawExtension`, `JSON`,
   * `JSONSchemaPropsOrBool`, …); `#name` for another type; `[]T` for a list; `map:T` for a map with string
   * keys.
   */
  readonly type: string;
  /** The Go name of the type, if it is a scalar, list or map type with a name, such as `[]v1.IPFamily`. */
  readonly goType?: string;
  /**
   * The embedded structs around the field, outermost first. They do not exist in JSON, but Go's error
   * messages contain them.
   */
  readonly embedded?: readonly string[];
  /** The number of the field in protobuf. Absent for `kind` and `apiVersion`, which are in the envelope. */
  readonly number?: number;
  /**
   * The numbers of the nested protobuf messages that contain the field. In JSON, the field is not nested in
   * this way.
   */
  readonly within?: readonly number[];
  /** True if Go distinguishes "not set" from the zero value. */
  readonly pointer?: boolean;
  /**
   * True if Go omits the field from JSON when it is empty. If false, Go writes an empty field as `null`,
   * `{}`, `""` or `0`.
   */
  readonly omitempty?: boolean;
  readonly required?: boolean;
  /** The list type. If absent, the list is atomic. */
  readonly listType?: 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  /** True for a map or struct that has one owner as a whole. */
  readonly atomic?: boolean;
  /**
   * The strategy of a strategic merge patch: `merge`, `replace`, `retainKeys`, or two of them joined by a
   * comma.
   */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  /**
   * The default in the OpenAPI document. Most defaults of built-in kinds are not declared there.
   */
  readonly default?: unknown;
  /** The allowed values of a `+enum` type. If the field is a list, the allowed values of its items. */
  readonly enum?: readonly string[];
}

export interface BuiltInType {
  readonly atomic?: boolean;
  readonly fields: Readonly<Record<string, BuiltInField>>;
}

interface Document {
  /** The full names of types, keyed by `apiVersion/kind`. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, BuiltInType>>;
}

let document: Document | undefined;

/** Reads the types when they are first used, so that servers start faster. */
function load(): Document {
  document ??= JSON.parse(
    readFileSync(new URL('kubernetes.json', import.meta.url), 'utf8'),
  ) as Document;
  return document;
}

/** @returns undefined for a kind that is not built in, or not in this version. */
export function builtInKind(apiVersion: string, kind: string): BuiltInType | undefined {
  const name = builtInKindName(apiVersion, kind);
  return name === undefined ? undefined : builtInType(name);
}

/** For each removed version of a kind: the newer version in which the kind has the same fields. */
const ALIKE: Readonly<Record<string, string>> = {
  'autoscaling/v2beta2/HorizontalPodAutoscaler': 'autoscaling/v2',
  'batch/v1beta1/CronJob': 'batch/v1',
  'flowcontrol.apiserver.k8s.io/v1beta3/FlowSchema': 'flowcontrol.apiserver.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1beta3/PriorityLevelConfiguration':
    'flowcontrol.apiserver.k8s.io/v1',
  'node.k8s.io/v1beta1/RuntimeClass': 'node.k8s.io/v1',
  'policy/v1beta1/PodDisruptionBudget': 'policy/v1',
  'storage.k8s.io/v1beta1/CSIStorageCapacity': 'storage.k8s.io/v1',
};

/** The name of a kind's type in OpenAPI, such as `io.k8s.api.core.v1.ConfigMap`. */
export function builtInKindName(apiVersion: string, kind: string): string | undefined {
  const { kinds } = load();
  const key = `${apiVersion}/${kind}`;
  if (Object.hasOwn(kinds, key)) return kinds[key];
  const item = key.replace(/List$/, '');
  const alike = Object.hasOwn(ALIKE, item) ? ALIKE[item] : undefined;
  return alike === undefined ? undefined : kinds[`${alike}/${kind}`];
}

/** @param name - the name of the type, with or without the leading `#` of a field's type. */
export function builtInType(name: string): BuiltInType | undefined {
  const { types } = load();
  const key = name.startsWith('#') ? name.slice(1) : name;
  return Object.hasOwn(types, key) ? types[key] : undefined;
}

/** Every kind as `apiVersion/kind`, including the kinds of lists and options. */
export function builtInKinds(): readonly string[] {
  return Object.keys(load().kinds);
}

/** The type of the items of `[]T`, or of the values of `map:T`; undefined for any other type. */
export function elementType(type: string): string | undefined {
  if (type.startsWith('[]')) return type.slice(2);
  return type.startsWith('map:') ? type.slice(4) : undefined;
}
