/**
 * Writes `testing/src/apiserver/built-in-types/kubernetes.json`: the fields of every built-in type, as
 * Kubernetes' own Go source declares them.
 *
 *     node test/support/kubernetes-schema/generate.ts GO_SRC > testing/src/apiserver/built-in-types/kubernetes.json
 *
 * GO_SRC is the folder that holds `k8s.io/api`, `k8s.io/apimachinery` and
 * `k8s.io/apiextensions-apiserver` (module sources, or Debian's `golang-k8s-api-dev`,
 * `golang-k8s-apimachinery-dev` and `golang-k8s-apiextensions-apiserver-dev` below
 * `/usr/share/gocode/src`). Names, numbers, types and markers are taken; descriptions have a file of
 * their own, see `descriptions.ts`.
 * The format is that of `testing/src/apiserver/built-in-types/built-in-types.ts`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GoField, type GoType, type Marker, parseGo } from './go-source.ts';

/** The group-versions that kube-apiserver v1.36 serves when nobody configures it. */
const GROUP_VERSIONS: Readonly<Record<string, string>> = {
  'k8s.io/api/core/v1': 'v1',
  'k8s.io/api/apps/v1': 'apps/v1',
  'k8s.io/api/events/v1': 'events.k8s.io/v1',
  'k8s.io/api/authentication/v1': 'authentication.k8s.io/v1',
  'k8s.io/api/authorization/v1': 'authorization.k8s.io/v1',
  'k8s.io/api/autoscaling/v1': 'autoscaling/v1',
  'k8s.io/api/autoscaling/v2': 'autoscaling/v2',
  'k8s.io/api/batch/v1': 'batch/v1',
  'k8s.io/api/certificates/v1': 'certificates.k8s.io/v1',
  'k8s.io/api/networking/v1': 'networking.k8s.io/v1',
  'k8s.io/api/policy/v1': 'policy/v1',
  'k8s.io/api/rbac/v1': 'rbac.authorization.k8s.io/v1',
  'k8s.io/api/storage/v1': 'storage.k8s.io/v1',
  'k8s.io/api/admissionregistration/v1': 'admissionregistration.k8s.io/v1',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1': 'apiextensions.k8s.io/v1',
  'k8s.io/api/scheduling/v1': 'scheduling.k8s.io/v1',
  'k8s.io/api/coordination/v1': 'coordination.k8s.io/v1',
  'k8s.io/api/node/v1': 'node.k8s.io/v1',
  'k8s.io/api/discovery/v1': 'discovery.k8s.io/v1',
  'k8s.io/api/resource/v1': 'resource.k8s.io/v1',
  'k8s.io/api/flowcontrol/v1': 'flowcontrol.apiserver.k8s.io/v1',
};

const META = 'k8s.io/apimachinery/pkg/apis/meta/v1';

/** Types that Go writes in a form of their own, by their path and name. */
const OWN_FORMS: Readonly<Record<string, string>> = {
  'k8s.io/apimachinery/pkg/apis/meta/v1.Time': 'Time',
  'k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime': 'MicroTime',
  'k8s.io/apimachinery/pkg/apis/meta/v1.Duration': 'Duration',
  'k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1': 'FieldsV1',
  'k8s.io/apimachinery/pkg/apis/meta/v1.Verbs': '[]string',
  'k8s.io/apimachinery/pkg/api/resource.Quantity': 'Quantity',
  'k8s.io/apimachinery/pkg/util/intstr.IntOrString': 'IntOrString',
  'k8s.io/apimachinery/pkg/runtime.RawExtension': 'RawExtension',
  'k8s.io/apimachinery/pkg/types.UID': 'string',
  'k8s.io/apimachinery/pkg/types.NodeName': 'string',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON': 'JSON',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool':
    'JSONSchemaPropsOrBool',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray':
    'JSONSchemaPropsOrArray',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray':
    'JSONSchemaPropsOrStringArray',
};

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int: 'int64',
  int32: 'int32',
  int64: 'int64',
  uint16: 'int32',
  uint32: 'int32',
  uint64: 'int64',
  float32: 'double',
  float64: 'double',
  byte: 'bytes',
};

interface Package {
  readonly types: ReadonlyMap<string, GoType>;
  /** The imports that each type sees. */
  readonly imports: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly constants: ReadonlyMap<string, readonly string[]>;
}

class Generator {
  readonly #root: string;
  readonly #packages = new Map<string, Package>();
  readonly types = new Map<string, unknown>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Adds a type and every type that it names; answers how the type is written. */
  use(path: string, name: string): string {
    const own = OWN_FORMS[`${path}.${name}`];
    if (own !== undefined) return own;
    const found = this.#package(path).types.get(name);
    if (found === undefined) throw new Error(`${path} has no type ${name}`);
    if (found.fields === undefined) return this.#alias(path, found);
    const openApiName = `io.${path.replace('k8s.io', 'k8s').replaceAll('/', '.')}.${name}`;
    if (!this.types.has(openApiName)) {
      this.types.set(openApiName, undefined); // types may name themselves
      this.types.set(openApiName, {
        ...(marker(found.markers, 'structType') === 'atomic' ? { atomic: true } : {}),
        fields: Object.fromEntries(this.#fields(path, found)),
      });
    }
    return `#${openApiName}`;
  }

  kinds(path: string): readonly string[] {
    return [...this.#package(path).types.values()]
      .filter((type) => type.fields?.some((field) => field.name === '' && isTypeMeta(field)))
      .map((type) => type.name);
  }

  #alias(path: string, type: GoType): string {
    return this.#typeOf(path, type.name, type.underlying);
  }

  #fields(path: string, type: GoType): readonly (readonly [string, unknown])[] {
    return (type.fields ?? []).flatMap((field) => {
      if (isTypeMeta(field)) {
        return [
          ['kind', { type: 'string', omitempty: true }],
          ['apiVersion', { type: 'string', omitempty: true }],
        ] as const;
      }
      const [jsonName = '', ...options] = field.json.split(',');
      if (jsonName === '-') return [];
      if (jsonName === '' && (options.includes('inline') || field.name === '')) {
        return this.#inlined(path, type.name, field);
      }
      return [[jsonName, this.#field(path, type.name, field, options)] as const];
    });
  }

  /** The fields of an embedded struct; in protobuf they lie in a message of their own. */
  #inlined(path: string, owner: string, field: GoField): readonly (readonly [string, unknown])[] {
    const number = protobufNumber(field);
    const reference = this.#typeOf(path, owner, field.type).replace('#', '');
    const embedded = this.types.get(reference) as { fields: Record<string, object> } | undefined;
    if (embedded === undefined) throw new Error(`${owner} embeds ${field.type} before it is known`);
    const name = field.type.replace(/^.*[.*]/, '');
    return Object.entries(embedded.fields).map(([jsonName, schema]) => [
      jsonName,
      {
        ...schema,
        ...(number === undefined ? {} : { within: [number, ...withinOf(schema)] }),
        embedded: [name, ...embeddedOf(schema)],
      },
    ]);
  }

  #field(path: string, owner: string, field: GoField, options: readonly string[]): object {
    const type = this.#typeOf(path, owner, field.type);
    const omitempty = options.includes('omitempty') || options.includes('omitzero');
    const optional = omitempty || hasMarker(field.markers, 'optional');
    const listType = marker(field.markers, 'listType');
    const keys = field.markers.filter(([name]) => name === 'listMapKey').map(([, key]) => key);
    const values = enumOf(this.#package(path), field.type);
    const goType = this.#goType(path, owner, field.type);
    const byDefault = marker(field.markers, 'default');
    const mapType =
      marker(field.markers, 'mapType') ?? marker(field.markers, 'structType') ?? undefined;
    return {
      type,
      ...(goType === undefined ? {} : { goType }),
      number: protobufNumber(field),
      ...(field.type.startsWith('*') ? { pointer: true } : {}),
      ...(omitempty ? { omitempty: true } : {}),
      ...(!optional || hasMarker(field.markers, 'required') ? { required: true } : {}),
      ...(listType === undefined || listType === 'atomic' ? {} : { listType }),
      ...(keys.length === 0 ? {} : { listMapKeys: keys }),
      ...(mapType === 'atomic' ? { atomic: true } : {}),
      ...(field.patchStrategy === '' ? {} : { patchStrategy: field.patchStrategy }),
      ...(field.patchMergeKey === '' ? {} : { patchMergeKey: field.patchMergeKey }),
      ...(byDefault === undefined || byDefault.startsWith('ref(')
        ? {}
        : { default: JSON.parse(byDefault) }),
      ...(values === undefined ? {} : { enum: values }),
    };
  }

  #typeOf(path: string, owner: string, written: string): string {
    const text = written.trim();
    if (text.startsWith('*')) return this.#typeOf(path, owner, text.slice(1));
    if (text === '[]byte') return 'bytes';
    if (text.startsWith('[]')) return `[]${this.#typeOf(path, owner, text.slice(2))}`;
    const map = /^map\[(.+?)\](.+)$/.exec(text);
    if (map !== null) return `map:${this.#typeOf(path, owner, map[2] ?? '')}`;
    const scalar = SCALARS[text];
    if (scalar !== undefined) return scalar;
    const [qualifier, name] = text.includes('.') ? text.split('.') : ['', text];
    if (qualifier === '') return this.use(path, name ?? '');
    const from = this.#package(path)
      .imports.get(owner)
      ?.get(qualifier ?? '');
    if (from === undefined) throw new Error(`${path}: nothing is imported as ${qualifier}`);
    return this.use(from, name ?? '');
  }

  /** How Go prints the type of a field, where a name of its own stands in it for a scalar, a list or a map. */
  #goType(path: string, owner: string, written: string): string | undefined {
    const text = written.trim().replace(/^\*/, '');
    const list = /^\[\](.+)$/.exec(text);
    if (list !== null) {
      const item = this.#goType(path, owner, list[1] ?? '');
      return item && `[]${item}`;
    }
    if (text.startsWith('map[') || SCALARS[text] !== undefined) return undefined;
    const [qualifier, name = ''] = text.includes('.') ? text.split('.') : ['', text];
    const imports = this.#package(path).imports.get(owner);
    const from = qualifier === '' ? path : imports?.get(qualifier ?? '');
    const type = from === undefined ? undefined : this.#package(from).types.get(name);
    const isNamed = type !== undefined && type.fields === undefined;
    return isNamed ? `${from?.split('/').at(-1)}.${name}` : undefined;
  }

  #package(path: string): Package {
    const known = this.#packages.get(path);
    if (known !== undefined) return known;
    const types = new Map<string, GoType>();
    const imports = new Map<string, ReadonlyMap<string, string>>();
    const constants = new Map<string, readonly string[]>();
    const folder = join(this.#root, path);
    for (const file of readdirSync(folder)) {
      if (!file.endsWith('.go') || /_test\.go$|^zz_|\.pb\.go$/.test(file)) continue;
      const source = parseGo(readFileSync(join(folder, file), 'utf8'));
      for (const type of source.types) {
        types.set(type.name, type);
        imports.set(type.name, source.imports);
      }
      for (const [type, values] of source.constants) {
        constants.set(type, [...(constants.get(type) ?? []), ...values]);
      }
    }
    const loaded = { types, imports, constants };
    this.#packages.set(path, loaded);
    return loaded;
  }
}

function isTypeMeta(field: GoField): boolean {
  return /(^|\.)TypeMeta$/.test(field.type) && field.json.startsWith(',');
}

function protobufNumber(field: GoField): number | undefined {
  const number = Number(field.protobuf.split(',')[1]);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

function withinOf(schema: object): readonly number[] {
  return 'within' in schema ? (schema.within as readonly number[]) : [];
}

function embeddedOf(schema: object): readonly string[] {
  return 'embedded' in schema ? (schema.embedded as readonly string[]) : [];
}

/** The values of a `+enum` type. */
function enumOf(from: Package, written: string): readonly string[] | undefined {
  const name = written.replace(/^(\*|\[\])+/, '');
  const type = from.types.get(name);
  if (type === undefined || !hasMarker(type.markers, 'enum')) return undefined;
  return [...(from.constants.get(name) ?? [])].sort();
}

function marker(markers: readonly Marker[], name: string): string | undefined {
  return markers.find(([found]) => found === name)?.[1];
}

function hasMarker(markers: readonly Marker[], name: string): boolean {
  return markers.some(([found]) => found === name || found === `k8s:${name}`);
}

function main(root: string | undefined): void {
  if (root === undefined || !existsSync(join(root, 'k8s.io/api'))) {
    process.stderr.write('usage: generate.ts GO_SRC (the folder that holds k8s.io/api)\n');
    process.exitCode = 2;
    return;
  }
  const generator = new Generator(root);
  const kinds = Object.entries(GROUP_VERSIONS).flatMap(([path, apiVersion]) =>
    generator
      .kinds(path)
      .map((kind) => [`${apiVersion}/${kind}`, generator.use(path, kind).slice(1)] as const),
  );
  for (const name of ['Status', 'DeleteOptions', 'Table', 'PartialObjectMetadata']) {
    generator.use(META, name);
  }
  const rows = [...generator.types].sort(([a], [b]) => (a < b ? -1 : 1));
  const types = rows.map(([name, type]) => `${JSON.stringify(name)}: ${JSON.stringify(type)}`);
  const kindRows = kinds.map(([kind, name]) => `${JSON.stringify(kind)}: ${JSON.stringify(name)}`);
  process.stdout.write(
    `{\n"kinds": {\n${kindRows.join(',\n')}\n},\n"types": {\n${types.join(',\n')}\n}\n}\n`,
  );
}

main(process.argv[2]);
