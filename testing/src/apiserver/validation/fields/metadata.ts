import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { dnsLabel, dnsSubdomain, labelKey, pathSegment } from './formats.ts';
import { annotations, labels } from './label-selector.ts';
import { forbidden, IMMUTABLE, invalidValue, type Problem, required } from './problem.ts';

type Form = (name: string) => readonly string[];

/** Kinds whose names have another form than a DNS subdomain. */
const NAME_FORMS: Readonly<Record<string, Form>> = {
  ClusterRole: pathSegment,
  ClusterRoleBinding: pathSegment,
  Event: pathSegment,
  Namespace: dnsLabel,
  PodDisruptionBudget: pathSegment,
  Role: pathSegment,
  RoleBinding: pathSegment,
  Service: dnsLabel,
  StatefulSet: dnsLabel,
};

/** The 63 characters of a Job's name without `-` and ten digits of a time. */
const MAX_CRON_JOB_NAME = 52;

/** The problems of the metadata of a new object, whose name has been generated. */
export function newMetadata(object: StoredObject, served: ServedResource): readonly Problem[] {
  const { name, generateName } = object.metadata;
  const form = formOf(served);
  return [
    ...(generateName ? named('metadata.generateName', generateName, prefixOf(form)) : []),
    ...(name
      ? named('metadata.name', name, form)
      : [required('metadata.name', 'name or generateName is required')]),
    ...common(object),
    ...(name ? cronJobName(served, name) : []),
  ];
}

function formOf({ kind, custom, shape }: ServedResource): Form {
  if (custom) return dnsSubdomain;
  // Only the newer API of Events checks their names.
  return shape === undefined ? (NAME_FORMS[kind] ?? dnsSubdomain) : dnsSubdomain;
}

/** A prefix of a name may end with a dash. */
function prefixOf(form: Form): Form {
  return (prefix) =>
    form(prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix);
}

function named(field: string, name: string, form: Form): readonly Problem[] {
  return form(name).map((why) => invalidValue(field, name, why));
}

function cronJobName({ kind, custom }: ServedResource, name: string): readonly Problem[] {
  if (kind !== 'CronJob' || custom || name.length <= MAX_CRON_JOB_NAME) return [];
  const why = `must be no more than ${MAX_CRON_JOB_NAME} characters`;
  return [invalidValue('metadata.name', name, why)];
}

function common({ metadata }: StoredObject): readonly Problem[] {
  return [
    ...labels(metadata.labels, 'metadata.labels'),
    ...annotations(metadata.annotations, 'metadata.annotations'),
    ...owners(metadata),
    ...finalizers(metadata),
  ];
}

function owners({ ownerReferences = [] }: StoredObject['metadata']): readonly Problem[] {
  const field = 'metadata.ownerReferences';
  const controllers = ownerReferences.filter(({ controller }) => controller === true);
  const [first, ...others] = controllers.map(({ kind, name }) => `${kind}/${name}`);
  return [
    ...ownerReferences.flatMap((reference) => owner(reference, field)),
    ...others.map((other) =>
      invalidValue(
        field,
        ownerReferences,
        `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${other}`,
      ),
    ),
  ];
}

type Owner = NonNullable<StoredObject['metadata']['ownerReferences']>[number];

function owner(reference: Owner, field: string): readonly Problem[] {
  const { apiVersion, kind, name, uid } = reference;
  const problems: Problem[] = [];
  if (!apiVersion) {
    const why = 'version must not be empty';
    problems.push(invalidValue(`${field}.apiVersion`, apiVersion ?? '', why));
  }
  for (const [part, value] of Object.entries({ kind, name, uid })) {
    if (!value) problems.push(invalidValue(`${field}.${part}`, value ?? '', 'must not be empty'));
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    const why = '/v1, Kind=Event is disallowed from being an owner';
    problems.push(invalidValue(field, reference, why));
  }
  return problems;
}

/** Two finalizers of the server itself that contradict each other. */
const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

function finalizers({ finalizers: names = [] }: StoredObject['metadata']): readonly Problem[] {
  const field = 'metadata.finalizers';
  const problems = names.flatMap((name) => named(field, name, labelKey));
  if (!names.includes(ORPHAN) || !names.includes(FOREGROUND)) return problems;
  const why = `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`;
  return [...problems, invalidValue(field, names, why)];
}

/**
 * The problems of the metadata of a changed object. The server runs general rules, and then those of the kind: it
 * reports most problems twice.
 */
export function changedMetadata(object: StoredObject, live: StoredObject): readonly Problem[] {
  const ofChange = [
    ...addedFinalizers(object, live),
    ...deletion(object, live),
    ...labels(object.metadata.labels, 'metadata.labels'),
    ...annotations(object.metadata.annotations, 'metadata.annotations'),
    ...owners(object.metadata),
  ];
  return [...common(object), ...ofChange, ...ofChange];
}

/** A write cannot begin a deletion: only a DELETE can. */
function deletion(object: StoredObject, live: StoredObject): readonly Problem[] {
  return (['deletionTimestamp', 'deletionGracePeriodSeconds'] as const).flatMap((field) => {
    const value = object.metadata[field];
    if (value === undefined || value === live.metadata[field]) return [];
    return [invalidValue(`metadata.${field}`, value, IMMUTABLE)];
  });
}

function addedFinalizers(object: StoredObject, live: StoredObject): readonly Problem[] {
  if (live.metadata.deletionTimestamp === undefined) return [];
  const before = live.metadata.finalizers ?? [];
  const added = (object.metadata.finalizers ?? []).filter((name) => !before.includes(name));
  if (added.length === 0) return [];
  const list = [...new Set(added)].sort().map((name) => JSON.stringify(name));
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list.join(', ')}}`;
  return [forbidden('metadata.finalizers', why)];
}
