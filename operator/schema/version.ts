import { isMapping } from '../core/mapping.ts';
import type { DefinitionVersion, ScalePaths } from '../model/custom-resource-definition.ts';
import { DNS_SUBDOMAIN } from '../model/dns-name.ts';
import type { StructuralSchema, ValidationRule } from '../model/structural-schema.ts';
import { ListMap } from './builders.ts';
import { definitionError, schemaAt, simplePath } from './field-path.ts';
import { refuseVersion } from './names.ts';
import { type PrinterColumnOptions, printerColumnsOf, scaleOf } from './printer-columns.ts';
import { structuralSchema } from './structural.ts';
import { refuseUnusable } from './structure/refuse-unusable.ts';
import { type TObject, type TSchema, Type } from './type.ts';

/** The declaration of one version of a resource. */
export interface VersionOptions<
  Spec extends TSchema = TSchema,
  Status extends TObject | undefined = undefined,
> {
  /** Name of the version: `v1`, `v1beta1`. */
  readonly version: string;
  /** The schema of `spec`: an object. */
  readonly spec: Spec;
  /**
   * The schema of `status`, to which `conditions` and `observedGeneration` are added. Omit it if objects have
   * no status.
   */
  readonly status?: Status;
  /** The description that `kubectl explain` prints. */
  readonly description?: string;
  /**
   * The columns of `kubectl get`. Default: only the age. If you declare columns, add `AGE_COLUMN` to keep the
   * age.
   */
  readonly printerColumns?: readonly PrinterColumnOptions[];
  /** Paths of fields for field selectors: `.spec.host`. At most 8. */
  readonly selectableFields?: readonly string[];
  /** The fields that `kubectl scale` and autoscalers use. */
  readonly scale?: ScalePaths;
  /** CEL rules about the whole object. */
  readonly rules?: readonly ValidationRule[];
}

/**
 * The entry of a version in the definition, with `served` and `storage` set to true.
 *
 * @param path - the path of the options of this version, with a dot at its end.
 */
export function definitionVersion(
  options: VersionOptions<TSchema, TObject | undefined>,
  path: string,
): DefinitionVersion {
  const { version, printerColumns = [], selectableFields = [], scale } = options;
  refuseVersion(`${path}version`, version);
  const root = rootSchema(options, path);
  const hasStatus = options.status !== undefined;
  const columns = printerColumnsOf(printerColumns, root, `${path}printerColumns`);
  const selectable = selectableFieldsOf(selectableFields, root, `${path}selectableFields`);
  const subresources = {
    ...(hasStatus ? { status: {} } : {}),
    ...(scale === undefined ? {} : { scale: scaleOf(scale, root, `${path}scale`) }),
  };
  return {
    name: version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: root },
    ...(Object.keys(subresources).length === 0 ? {} : { subresources }),
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
    ...(selectable.length === 0 ? {} : { selectableFields: selectable }),
  };
}

function rootSchema(
  { spec, status, description, rules = [] }: VersionOptions<TSchema, TObject | undefined>,
  path: string,
): StructuralSchema {
  if ('~optional' in spec) {
    const remedy = 'take Type.Optional(…) away; where nothing has to be said, add { default: {} }';
    throw definitionError(`${path}spec`, 'is optional, but every object has one', remedy);
  }
  const specSchema = structuralSchema(spec, `${path}spec`);
  if (specSchema.type !== 'object' || specSchema.nullable === true) {
    throw definitionError(`${path}spec`, 'is no object', 'write Type.Object({ … })');
  }
  const statusPath = `${path}status`;
  const statusPart =
    status === undefined
      ? undefined
      : structuralSchema(statusSchema(status, statusPath), statusPath);
  const root: StructuralSchema = {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    ...(specSchema.default === undefined ? { required: ['spec'] } : {}),
    properties: { spec: specSchema, ...(statusPart && { status: statusPart }) },
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
  };
  refuseUnusable(root, path);
  return root;
}

/** The API server's limit. */
const MAX_SELECTABLE_FIELDS = 8;

const SCALARS: readonly (string | undefined)[] = ['string', 'boolean', 'integer'];

/**
 * The selectable fields, after a check.
 *
 * @throws ConfigurationError `CONFIG` for a field that cannot be selected.
 */
function selectableFieldsOf(
  paths: readonly string[],
  root: StructuralSchema,
  path: string,
): readonly { readonly jsonPath: string }[] {
  if (paths.length > MAX_SELECTABLE_FIELDS) {
    const remedy = 'leave some out, and select these by labels';
    throw definitionError(path, `more than ${MAX_SELECTABLE_FIELDS} fields`, remedy);
  }
  return paths.map((jsonPath, at) => {
    const own = `${path}[${at}]`;
    const fields = simplePath(jsonPath);
    const [first] = fields ?? [];
    if (fields === undefined || (first !== 'spec' && first !== 'status')) {
      const problem = `${JSON.stringify(jsonPath)} is no path of a field`;
      throw definitionError(own, problem, 'write it as .spec.name, without lists');
    }
    const schema = schemaAt(root, fields);
    if (schema === undefined) {
      const remedy = 'write the path of a field of spec or status';
      throw definitionError(own, `no schema has a field ${jsonPath}`, remedy);
    }
    if (!SCALARS.includes(schema.type)) {
      const remedy = 'select by a string, a boolean or an integer';
      throw definitionError(own, `${jsonPath} is ${schema.type ?? 'of no type'}`, remedy);
    }
    if (paths.indexOf(jsonPath) < at) {
      throw definitionError(own, `${jsonPath} stands there twice`, 'leave one out');
    }
    return { jsonPath };
  });
}

/** The schema of `metav1.Condition` with its limits. */
const CONDITION: TObject = Type.Object({
  type: Type.String({
    maxLength: 316,
    pattern: `^(${DNS_SUBDOMAIN}/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
  }),
  status: Type.Enum(['True', 'False', 'Unknown']),
  observedGeneration: Type.Optional(Type.Integer({ format: 'int64', minimum: 0 })),
  lastTransitionTime: Type.String({ format: 'date-time' }),
  reason: Type.String({
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: Type.String({ maxLength: 32_768 }),
});

/**
 * `status` with the two fields that every status has: `conditions` and `observedGeneration`.
 *
 * @throws ConfigurationError `CONFIG` when `status` is not the schema of an object, or declares one of the
 * two fields itself.
 */
function statusSchema(status: unknown, path: string): object {
  if (!isMapping(status) || status.type !== 'object' || isMapping(status.patternProperties)) {
    throw definitionError(path, 'a status is an object with fields', 'write Type.Object({ … })');
  }
  const properties = isMapping(status.properties) ? status.properties : {};
  const given = ['conditions', 'observedGeneration'].find((field) => field in properties);
  if (given !== undefined) {
    const remedy = 'leave it out: it is added to every status';
    throw definitionError(`${path}.${given}`, 'is declared twice', remedy);
  }
  return {
    ...status,
    properties: {
      ...properties,
      observedGeneration: Type.Integer({ format: 'int64', minimum: 0 }),
      conditions: ListMap(CONDITION, ['type']),
    },
  };
}
