import type { ObjectRules, StructuralSchema } from 'chancery/internal';
import {
  applyDefaults,
  OBJECT_STEPS,
  objectProblems,
  prune,
  TooMuchWork,
  Work,
} from 'chancery/internal-objects';
import { rulesOf } from '../cel/rules.ts';
import { internalError } from '../failures/failure.ts';
import { isObject, type Json, valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { ALL_VERBS, SCALE } from '../registry/built-in-resources.ts';
import type {
  GatedRequest,
  ScalePaths,
  ServedResource,
  Strategy,
  Subresource,
} from '../registry/served-resource.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import { type ConversionSettings, conversionWebhook } from './conversion-webhook.ts';
import {
  acceptedNamesOf,
  type DefinitionNames,
  type DefinitionSpec,
  type DefinitionVersion,
  specOf,
} from './definition.ts';
import { isTrue } from './definition-conditions.ts';
import { printerColumns } from './printer-columns.ts';
import type { ServingGate } from './serving-gate.ts';
import { unknownMetadata, withoutUnknownMetadata } from './unknown-metadata.ts';

/** The served resources of a definition, one per served version, with the definition's accepted names. */
export function customResources(
  definition: StoredObject,
  gate: ServingGate,
  webhooks: WebhookClient,
): readonly ServedResource[] {
  const spec = specOf(definition);
  const names = { ...spec.names, ...acceptedNamesOf(definition) };
  const closed = isTrue(definition, 'Terminating')
    ? { closed: 'create not allowed while custom resource definition is terminating' }
    : {};
  return spec.versions
    .filter((version) => version.served)
    .map((version) => ({
      ...customResource(spec, names, version, gate),
      ...converterOf(spec, version, webhooks),
      ...closed,
    }));
}

/**
 * Converts objects between versions, including objects that were stored in another version. Without a
 * webhook, a conversion only changes the apiVersion.
 */
function converterOf(
  { group, conversion, ...spec }: DefinitionSpec,
  { name }: DefinitionVersion,
  webhooks: WebhookClient,
): Pick<ServedResource, 'converter'> {
  const stored = storageVersionOf({ group, ...spec });
  if (conversion?.strategy !== 'Webhook') return {};
  const settings = conversion.webhook as ConversionSettings;
  const versions = [`${group}/${name}`, `${group}/${stored}`] as const;
  return { converter: conversionWebhook(webhooks, settings, ...versions) };
}

function customResource(
  spec: DefinitionSpec,
  names: DefinitionNames,
  version: DefinitionVersion,
  gate: ServingGate,
): ServedResource {
  const { group, scope, preserveUnknownFields } = spec;
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
    storageVersion: storageVersionOf(spec),
    custom: true,
    ...compiled(version, root, scale),
    createOnUpdate: false,
    schema: root as Json,
    gate: (request) => admit(spec, names, version, gate, request),
    ...(scale === undefined ? {} : { scale }),
  };
}

type Compiled = Pick<ServedResource, 'strategy' | 'columns' | 'revised'>;

/**
 * Compiled schemas, keyed by the version of a stored definition. Stored objects never change, so servers that
 * begin with the same snapshot compile each schema only once.
 */
const COMPILED = new WeakMap<DefinitionVersion, Compiled>();

function compiled(
  version: DefinitionVersion,
  root: StructuralSchema,
  scale: ScalePaths | undefined,
): Compiled {
  const known = COMPILED.get(version);
  if (known !== undefined) return known;
  const made = {
    strategy: schemaStrategy(root, version, scale),
    columns: printerColumns(version.additionalPrinterColumns),
    revised: revision(root),
  };
  COMPILED.set(version, made);
  return made;
}

function storageVersionOf({ versions }: DefinitionSpec): string {
  return versions.find((version) => version.storage)?.name ?? '';
}

async function admit(
  spec: DefinitionSpec,
  { kind }: DefinitionNames,
  version: DefinitionVersion,
  gate: ServingGate,
  request: GatedRequest,
): Promise<void> {
  if (version.deprecated === true) {
    const text = `${spec.group}/${version.name} ${kind} is deprecated`;
    request.warn(version.deprecationWarning ?? text);
  }
  await gate.admit(request);
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

/** Splits a path such as `.spec.replicas` into field names. */
function fieldsOf(jsonPath: string): readonly string[] {
  return jsonPath.replace(/^\./, '').split('.');
}

/**
 * Adapts objects that were stored under an earlier schema to the current schema. Stored objects never change,
 * so each object is adapted only once.
 */
function revision(schema: StructuralSchema): (object: StoredObject) => StoredObject {
  const seen = new WeakMap<StoredObject, StoredObject>();
  return (object) => {
    let revised = seen.get(object);
    if (revised === undefined) {
      revised = conformed(object, schema);
      seen.set(object, revised);
    }
    return revised;
  };
}

function conformed(object: StoredObject, schema: StructuralSchema, applied = false): StoredObject {
  const known = prune(withoutUnknownMetadata(object), schema);
  try {
    const nulls = applied ? 'kept' : 'removed';
    return applyDefaults(known, schema, new Work(OBJECT_STEPS), nulls) as StoredObject;
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    throw internalError(`embedded API server: the defaults are too many: ${error.message}`);
  }
}

/** The validation and defaulting rules of a custom resource, taken from its schema. */
function schemaStrategy(
  schema: StructuralSchema,
  version: DefinitionVersion,
  scale: ScalePaths | undefined,
): Strategy {
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => fieldsOf(jsonPath));
  const scaled = scale === undefined ? [] : [scale.replicas, scale.statusReplicas];
  const rules = rulesOf(schema);
  const rulesFor = (object: StoredObject, previous: StoredObject | undefined): ObjectRules => ({
    schema,
    scaled,
    rules: rules && ((correlation) => rules.problems(object, previous, correlation)),
  });
  return {
    generations: true,
    prepare: (object, _previous, applied) => conformed(object, schema, applied),
    complete: (object) => object,
    validate: (object, previous) => objectProblems(object, previous, rulesFor(object, previous)),
    unknownFields: (object) => unknownFields(object, schema),
    selectableFields: (object) =>
      Object.fromEntries(selectable.map((path) => [path.join('.'), textAt(object, path)])),
  };
}

function unknownFields(object: StoredObject, schema: StructuralSchema): readonly string[] {
  const fields: string[] = [];
  prune(object, schema, { report: (path) => fields.push(path) });
  return [...unknownMetadata(object), ...fields.sort()];
}

function textAt(object: StoredObject, path: readonly string[]): string {
  const value = valueAt(object, path);
  return value === undefined || value === null || isObject(value) ? '' : String(value);
}
