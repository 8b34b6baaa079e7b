import type { StoredObject } from '../cluster-access.ts';
import type { FieldError } from '../failures.ts';
import { isObject, type Json, valueAt } from '../objects/metadata.ts';
import { ALL_VERBS, SCALE } from '../registry/built-in-resources.ts';
import type {
  ScalePaths,
  ServedResource,
  Strategy,
  Subresource,
} from '../registry/served-resource.ts';
import { applyDefaults } from '../schema/apply-defaults.ts';
import { prune } from '../schema/prune.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { validateBySchema } from '../schema/validate.ts';
import type { DefinitionSpec, DefinitionVersion } from './definition.ts';
import { printerColumns } from './printer-columns.ts';

/** The served versions of a definition. */
export function customResources(spec: DefinitionSpec): readonly ServedResource[] {
  const storage = spec.versions.find((version) => version.storage)?.name ?? '';
  return spec.versions
    .filter((version) => version.served)
    .map((version) => customResource(spec, version, storage));
}

function customResource(
  { group, names, scope, preserveUnknownFields }: DefinitionSpec,
  version: DefinitionVersion,
  storageVersion: string,
): ServedResource {
  const schema = version.schema?.openAPIV3Schema ?? {};
  const root = preserveUnknownFields
    ? { ...schema, 'x-kubernetes-preserve-unknown-fields': true }
    : schema;
  const scale = scalePaths(version);
  return {
    group,
    version: version.name,
    plural: names.plural,
    kind: names.kind,
    namespaced: scope === 'Namespaced',
    singular: names.singular,
    listKind: names.listKind,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: ALL_VERBS,
    subresources: subresourcesOf(version, names.kind),
    storedAs: `${names.plural}.${group}`,
    storageVersion,
    custom: true,
    strategy: schemaStrategy(root, version),
    columns: printerColumns(version.additionalPrinterColumns),
    createOnUpdate: false,
    schema: root as Json,
    ...(scale === undefined ? {} : { scale }),
  };
}

function subresourcesOf({ subresources }: DefinitionVersion, kind: string): readonly Subresource[] {
  const status = { name: 'status', kind, verbs: ['get', 'patch', 'update'] };
  return [
    ...(subresources?.status === undefined ? [] : [status]),
    ...(subresources?.scale === undefined ? [] : [SCALE]),
  ];
}

function scalePaths({ subresources }: DefinitionVersion): ScalePaths | undefined {
  const scale = subresources?.scale;
  if (scale === undefined) return undefined;
  const { labelSelectorPath } = scale;
  return {
    replicas: fieldsOf(scale.specReplicasPath),
    statusReplicas: fieldsOf(scale.statusReplicasPath),
    selector: labelSelectorPath === undefined ? undefined : fieldsOf(labelSelectorPath),
  };
}

/** `.spec.replicas` as field names. */
function fieldsOf(jsonPath: string): readonly string[] {
  return jsonPath.replace(/^\./, '').split('.');
}

/** The rules of a custom resource, which are those of its schema. */
function schemaStrategy(schema: StructuralSchema, version: DefinitionVersion): Strategy {
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => fieldsOf(jsonPath));
  return {
    generations: true,
    prepare: (object) => applyDefaults(prune(object, schema), schema) as StoredObject,
    complete: (object) => object,
    validate: (object) => validate(object, schema),
    unknownFields: (object) => {
      const fields: string[] = [];
      prune(object, schema, (path) => fields.push(path));
      return fields;
    },
    selectableFields: (object) =>
      Object.fromEntries(
        selectable.map((path) => [path.join('.'), String(valueAt(object, path) ?? '')]),
      ),
  };
}

/** Said when rules between fields were not looked at, since the fields themselves are wrong. */
const UNCHECKED: FieldError = {
  field: '<nil>',
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

function validate(object: StoredObject, schema: StructuralSchema): readonly FieldError[] {
  const problems = validateBySchema(object, schema);
  const structural = problems.some(({ reason }) => reason !== 'FieldValueDuplicate');
  if (!structural || !hasRules(schema)) return inOrder(problems);
  return [...inOrder(problems), UNCHECKED];
}

/** Enumerations are checked before everything else. */
function inOrder(problems: readonly FieldError[]): readonly FieldError[] {
  const isEnum = ({ reason }: FieldError): boolean => reason === 'FieldValueNotSupported';
  return [...problems.filter(isEnum), ...problems.filter((problem) => !isEnum(problem))];
}

function hasRules(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasRules);
  if (!isObject(schema)) return false;
  return 'x-kubernetes-validations' in schema || Object.values(schema).some(hasRules);
}
