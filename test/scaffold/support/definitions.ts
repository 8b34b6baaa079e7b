/** CustomResourceDefinitions as other tools write them, for `init --from` and `init --from-crd`. */

/** What a definition has besides the usual. */
export interface DefinitionOptions {
  readonly group?: string;
  readonly plural?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly listKind?: string;
  /** The schema of `spec`. */
  readonly spec?: object;
  /** In place of the one version `v1`. */
  readonly versions?: readonly object[];
  readonly metadata?: object;
  readonly more?: object;
}

/** A definition with the version `v1`. */
export function definitionOf(
  kind: string,
  {
    group = 'x.example.com',
    plural = `${kind.toLowerCase()}s`,
    scope = 'Namespaced',
    listKind = `${kind}List`,
    spec = { type: 'object' },
    versions = [versionOf('v1', spec)],
    metadata,
    more,
  }: DefinitionOptions = {},
): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, creationTimestamp: null, ...metadata },
    spec: { group, names: { kind, listKind, plural }, scope, versions, ...more },
    status: { conditions: [], storedVersions: ['v1'] },
  };
}

/** A version, served and stored, with a status. */
export function versionOf(name: string, spec: object, more: object = {}): object {
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec, status } };
  return {
    ...{ name, served: true, storage: true, schema: { openAPIV3Schema } },
    subresources: { status: {} },
    ...more,
  };
}

/** A text that would be code, a comment, a template or a second line, wherever it were not quoted. */
export const HOSTILE =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it must not become code
  'a*/b`${process.exit(1)}\'"\\\n{{fields}}\u2028  process.exit(2) //\u2029</script>';

/** A schema with all that other tools write, and names that would be code. */
export const HOSTILE_SPEC = {
  type: 'object',
  description: HOSTILE,
  required: [HOSTILE, '__proto__', 'constructor', 'pairs', 'when', 'either', 'code'],
  properties: {
    [HOSTILE]: { type: 'string', enum: [HOSTILE, 'x'], description: '*/ process.exit(3) /*' },
    ['__proto__']: {
      type: 'object',
      required: ['__proto__'],
      properties: { ['__proto__']: { type: 'string', default: HOSTILE } },
    },
    constructor: { type: 'integer', format: 'int32', minimum: -3, maximum: -2 },
    [`n${'o'.repeat(299)}`]: { type: 'string', nullable: true },
    'class-0': {
      type: 'array',
      items: { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
    },
    pairs: {
      type: 'array',
      minItems: 2,
      items: {
        type: 'object',
        required: ['key'],
        properties: { key: { type: 'string', default: 'p' }, value: { type: 'number' } },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['key'],
    },
    when: { type: 'string', format: 'date-time' },
    code: { type: 'string', pattern: '^(?:AB|CD)-[a-f0-9]{4}(\\.[0-9]+)?$', maxLength: 9 },
    either: {
      type: 'object',
      oneOf: [{ required: ['a', 'b'] }, { required: ['c'] }],
      properties: {
        a: { type: 'string', maxLength: 2 },
        b: { type: 'boolean' },
        c: { type: 'integer', nullable: true },
      },
    },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    level: {
      enum: ['low', 1, true, null],
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
};
