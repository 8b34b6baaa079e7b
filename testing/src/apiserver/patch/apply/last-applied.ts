import { goJson, sortedDeep } from '../../objects/canonical.ts';
import { parseGoJson } from '../../objects/go-json.ts';
import {
  isJsonObject,
  type JsonObject,
  withField,
  withoutField,
} from '../../objects/json-value.ts';
import { annotations as annotationProblems } from '../../validation/fields/label-selector.ts';
import type { FieldSchema } from '../fields/field-schema.ts';
import { differenceOf, type FieldSet, NO_FIELDS } from '../fields/field-set.ts';
import { compareStates } from '../managers/record-update.ts';
import { appliedProblem } from './applied-problems.ts';
import { ownedFields } from './owned-fields.ts';

/** The annotation in which client-side apply keeps the configuration that it applied last. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The manager name of `kubectl apply --server-side`. Only this manager can take over fields from client-side
 * apply.
 */
const KUBECTL = 'kubectl';

/** The fields of an apply request that the functions of this file use. */
interface ByManager {
  readonly manager: string;
  readonly apiVersion: string;
}

/**
 * The fields that the manager may take over without `force`: fields that client-side apply set, and whose
 * values still equal the last applied configuration.
 */
export function fieldsToUpgrade(
  live: JsonObject,
  { manager, apiVersion }: ByManager,
  schema: FieldSchema,
): FieldSet {
  if (manager !== KUBECTL) return NO_FIELDS;
  const configuration = readConfiguration(annotationOf(live));
  // The last applied configuration is ignored if it is invalid or has a different API version.
  if (configuration?.apiVersion !== apiVersion) return NO_FIELDS;
  if (appliedProblem(configuration, schema) !== undefined) return NO_FIELDS;
  const { added, modified, removed } = compareStates(configuration, live, schema);
  return [modified, added, removed].reduce(differenceOf, ownedFields(configuration, schema));
}

/**
 * The object after an apply. If it has the annotation of client-side apply, the annotation is updated, so
 * that client-side apply still works after server-side apply. If the annotation becomes too long, it is
 * removed.
 */
export function withLastApplied(
  object: JsonObject,
  applied: JsonObject,
  { manager }: ByManager,
): JsonObject {
  if (manager !== KUBECTL || annotationOf(object) === '') return object;
  const text = `${goJson(sortedDeep(withoutAnnotation(applied)))}\n`;
  const annotations = { ...annotationsOf(object), [LAST_APPLIED]: text };
  const isTooLong = annotationProblems(annotations, '').some(
    ({ reason }) => reason === 'FieldValueTooLong',
  );
  const left = isTooLong ? withoutField(annotations, LAST_APPLIED) : annotations;
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  return withField(object, 'metadata', { ...metadata, annotations: left });
}

function withoutAnnotation(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata) || !isJsonObject(metadata.annotations)) return object;
  const annotations = withoutField(metadata.annotations, LAST_APPLIED);
  return withField(object, 'metadata', { ...metadata, annotations });
}

function annotationsOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) && isJsonObject(metadata.annotations) ? metadata.annotations : {};
}

/** The value of the annotation; empty if the object does not have it. */
function annotationOf(object: JsonObject): string {
  const text = annotationsOf(object)[LAST_APPLIED];
  return typeof text === 'string' ? text : '';
}

function readConfiguration(text: string): JsonObject | undefined {
  try {
    const { value } = parseGoJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // any client can write an annotation
  }
}
