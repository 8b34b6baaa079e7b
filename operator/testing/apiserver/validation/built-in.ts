import { isDeepStrictEqual } from 'node:util';
import type { StoredObject } from '../cluster-access.ts';
import type { FieldError } from '../failures.ts';
import { isObject, type Json, valueAt } from '../objects/metadata.ts';
import { involvedNamespace } from './event.ts';

/** What is wrong with an object of a built-in kind: what operators meet, not everything. */
export function validateBuiltIn(
  object: StoredObject,
  previous: StoredObject | undefined,
): readonly FieldError[] {
  const rules = RULES[object.kind] ?? [];
  return rules.flatMap((rule) => rule(object, previous));
}

type Rule = (object: StoredObject, previous: StoredObject | undefined) => readonly FieldError[];

/** ConfigMaps and Secrets: as much as etcd takes, with room for the rest of the object. */
const MAX_DATA_BYTES = 1_048_576;

function dataFits(object: StoredObject): readonly FieldError[] {
  let size = 0;
  for (const field of ['data', 'binaryData']) {
    const map = object[field];
    if (!isObject(map)) continue;
    for (const value of Object.values(map)) size += Buffer.byteLength(String(value));
  }
  if (size <= MAX_DATA_BYTES) return [];
  const message = `Too long: may not be more than ${MAX_DATA_BYTES} bytes`;
  return [
    { field: object.kind === 'Secret' ? 'data' : '[]', reason: 'FieldValueTooLong', message },
  ];
}

function immutableData(
  object: StoredObject,
  previous: StoredObject | undefined,
): readonly FieldError[] {
  if (previous?.immutable !== true) return [];
  const message = 'Forbidden: field is immutable when `immutable` is set';
  const changed = ['immutable', 'data', 'binaryData'].filter(
    (field) => !isDeepStrictEqual(object[field], previous[field]),
  );
  return changed.map((field) => ({ field, reason: 'FieldValueForbidden', message }));
}

/** The selector decides which Pods are its own: it stays as it was. */
function immutableSelector(
  object: StoredObject,
  previous: StoredObject | undefined,
): readonly FieldError[] {
  if (previous === undefined) return [];
  const path = ['spec', 'selector'];
  if (isDeepStrictEqual(valueAt(object, path), valueAt(previous, path))) return [];
  const message = `Invalid value: ${JSON.stringify(valueAt(object, path) ?? null)}: field is immutable`;
  return [{ field: 'spec.selector', reason: 'FieldValueInvalid', message }];
}

/** A selector, and a template that it selects. */
function selectsTemplate(object: StoredObject): readonly FieldError[] {
  const selector = valueAt(object, ['spec', 'selector']);
  if (!isObject(selector)) return [required('spec.selector')];
  const labels = valueAt(object, ['spec', 'template', 'metadata', 'labels']);
  const wanted = Object.entries(isObject(selector.matchLabels) ? selector.matchLabels : {});
  const found: Json = isObject(labels) ? labels : {};
  if (wanted.every(([key, value]) => found[key] === value)) return [];
  const message = `Invalid value: ${JSON.stringify(found)}: \`selector\` does not match template \`labels\``;
  return [{ field: 'spec.template.metadata.labels', reason: 'FieldValueInvalid', message }];
}

function templateHasContainers(object: StoredObject): readonly FieldError[] {
  return containersOf(object, ['spec', 'template', 'spec']);
}

function podHasContainers(object: StoredObject): readonly FieldError[] {
  return containersOf(object, ['spec']);
}

function containersOf(object: StoredObject, path: readonly string[]): readonly FieldError[] {
  const containers = valueAt(object, [...path, 'containers']);
  const field = `${path.join('.')}.containers`;
  if (!Array.isArray(containers) || containers.length === 0) return [required(field)];
  return containers.flatMap((container, at) => [
    ...(container?.name ? [] : [required(`${field}[${at}].name`)]),
    ...(container?.image ? [] : [required(`${field}[${at}].image`)]),
  ]);
}

function required(field: string, message = 'Required value'): FieldError {
  return { field, reason: 'FieldValueRequired', message };
}

function positiveLease(object: StoredObject): readonly FieldError[] {
  return ['leaseDurationSeconds', 'leaseTransitions'].flatMap((name) => {
    const value = valueAt(object, ['spec', name]);
    const least = name === 'leaseDurationSeconds' ? 1 : 0;
    if (typeof value !== 'number' || value >= least) return [];
    const why = least === 1 ? 'must be greater than 0' : 'must be greater than or equal to 0';
    const message = `Invalid value: ${value}: ${why}`;
    return [{ field: `spec.${name}`, reason: 'FieldValueInvalid', message } as const];
  });
}

const SELECTING: readonly Rule[] = [selectsTemplate, templateHasContainers, immutableSelector];

const RULES: Readonly<Record<string, readonly Rule[]>> = {
  ConfigMap: [dataFits, immutableData],
  Secret: [dataFits, immutableData],
  Pod: [podHasContainers],
  Deployment: SELECTING,
  ReplicaSet: SELECTING,
  DaemonSet: SELECTING,
  StatefulSet: SELECTING,
  Job: [templateHasContainers],
  Lease: [positiveLease],
  Event: [involvedNamespace],
};
