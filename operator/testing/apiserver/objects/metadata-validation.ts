import { isLabelKey, isLabelValue } from '../../../model/selector.ts';
import type { StoredObject } from '../cluster-access.ts';
import type { FieldError } from '../failures.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { isObject } from './metadata.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
const LABEL_PATTERN = new RegExp(`^${LABEL}$`);

const NOT_A_SUBDOMAIN = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const NOT_A_LABEL = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;

/** Kinds whose names are DNS labels: other names are made of them. */
const LABEL_NAMES: ReadonlySet<string> = new Set(['Namespace', 'Service']);

/** What is wrong with the metadata of a new object. */
export function validateNewMetadata(object: StoredObject, served: ServedResource): FieldError[] {
  const { name } = object.metadata;
  if (!name) {
    const message = 'Required value: name or generateName is required';
    return [{ field: 'metadata.name', reason: 'FieldValueRequired', message }];
  }
  return [...nameProblems(name, served), ...mapProblems(object)];
}

/** What is wrong with the metadata of a changed object. */
export function validateChangedMetadata(object: StoredObject, live: StoredObject): FieldError[] {
  return [...mapProblems(object), ...finalizerProblems(object, live)];
}

function nameProblems(name: string, served: ServedResource): FieldError[] {
  const group = served.group;
  if (group === 'rbac.authorization.k8s.io') return [];
  const isLabel = LABEL_NAMES.has(served.kind) && group === '';
  const limit = isLabel ? 63 : 253;
  const problems: FieldError[] = [];
  const add = (why: string): void => {
    const message = `Invalid value: ${JSON.stringify(name)}: ${why}`;
    problems.push({ field: 'metadata.name', reason: 'FieldValueInvalid', message });
  };
  if (name.length > limit) add(`must be no more than ${limit} bytes`);
  if (isLabel && !LABEL_PATTERN.test(name)) add(NOT_A_LABEL);
  if (!isLabel && !SUBDOMAIN_PATTERN.test(name)) add(NOT_A_SUBDOMAIN);
  return problems;
}

const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function mapProblems({ metadata }: StoredObject): FieldError[] {
  const problems: FieldError[] = [];
  const add = (field: string, value: string, why: string): void => {
    const message = `Invalid value: ${JSON.stringify(value)}: ${why}`;
    problems.push({ field, reason: 'FieldValueInvalid', message });
  };
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (!isLabelKey(key)) add('metadata.labels', key, NAME_PART);
    if (value.length > 63) add('metadata.labels', value, 'must be no more than 63 bytes');
    else if (!isLabelValue(value)) add('metadata.labels', value, LABEL_VALUE);
  }
  for (const key of Object.keys(metadata.annotations ?? {})) {
    // The case of the prefix does not count for annotations.
    if (!isLabelKey(key.toLowerCase())) add('metadata.annotations', key, NAME_PART);
  }
  return problems;
}

function finalizerProblems(object: StoredObject, live: StoredObject): FieldError[] {
  if (live.metadata.deletionTimestamp === undefined) return [];
  const before = live.metadata.finalizers ?? [];
  const added = (object.metadata.finalizers ?? []).filter((name) => !before.includes(name));
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(', ');
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [{ field: 'metadata.finalizers', reason: 'FieldValueForbidden', message }];
}

/** The path of the first label or annotation that is no text, with the JSON type found there. */
export function nonStringEntry(
  object: StoredObject,
  fields: readonly string[],
): string[] | undefined {
  for (const field of fields) {
    const map = field
      .split('.')
      .reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), object);
    if (!isObject(map)) continue;
    const wrong = Object.values(map).find((value) => typeof value !== 'string' && value !== null);
    if (wrong !== undefined) return [field, jsonType(wrong)];
  }
  return undefined;
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
