import type { DefinitionVersion, ScalePaths } from '../model/custom-resource-definition.ts';
import type { StructuralSchema, ValidationRule } from '../model/structural-schema.ts';
import { definitionError } from './definition-error.ts';
import { refuseVersion } from './names.ts';
import { type PrinterColumnOptions, printerColumnsOf } from './printer-columns.ts';
import { scaleOf } from './scale.ts';
import { refuseRule, refuseUnusable } from './schema-rules.ts';
import { selectableFieldsOf } from './selectable-fields.ts';
import { statusSchema } from './status-schema.ts';
import { structuralSchema } from './structural.ts';
import type { TObject, TSchema } from './type.ts';

/** What is said of one version of a resource. */
export interface VersionOptions<
  Spec extends TSchema = TSchema,
  Status extends TObject | undefined = undefined,
> {
  /** Its name: `v1`, `v1beta1`. */
  readonly version: string;
  /** An object. */
  readonly spec: Spec;
  /** Left out: objects have none. `conditions` and `observedGeneration` are added. */
  readonly status?: Status;
  /** For `kubectl explain`. */
  readonly description?: string;
  /** Default: the age alone. With columns of your own, add `AGE_COLUMN`. */
  readonly printerColumns?: readonly PrinterColumnOptions[];
  /** Paths of fields that field selectors know: `.spec.host`. At most 8. */
  readonly selectableFields?: readonly string[];
  /** For `kubectl scale` and autoscalers. */
  readonly scale?: ScalePaths;
  /** CEL rules about the whole object. */
  readonly rules?: readonly ValidationRule[];
}

/** A version as the definition has it: served and stored. @param path - of the options; ends in a dot. */
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
  refuseUnusable(specSchema, `${path}spec`);
  if (statusPart !== undefined) refuseUnusable(statusPart, statusPath);
  const root: StructuralSchema = {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    ...(specSchema.default === undefined ? { required: ['spec'] } : {}),
    properties: { spec: specSchema, ...(statusPart && { status: statusPart }) },
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
  };
  for (const [at, rule] of rules.entries()) refuseRule(rule, `${path}rules[${at}]`);
  return root;
}
