import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { dnsLabel, dnsSubdomain, labelKey, pathSegment } from './formats.ts';
import { annotations, labels } from './label-selector.ts';
import { forbidden, IMMUTABLE, invalidValue, type Problem, required } from './problem.ts';

type Form = (name: string) => readonly string[];

/** Kinds whose names are not DNS subdomains. */
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

/**
 * The maximum length of a CronJob's name. A Job's name may have 63 characters, and the CronJob appends `-`
 * and ten digits of a time.
 */
const MAX_CRON_JOB_NAME = 52;

/**
 * One step in the validation of a changed object. The general rules of all kinds are checked before these
 * steps.
 */
type Pass = 'metadata' | 'change' | 'content';

/**
 * The steps of each kind, in the order of the server's functions (`ValidateXUpdate` in
 * k8s.io/kubernetes/pkg/apis). A problem that two steps find is reported twice.
 */
const PASSES: Readonly<Record<string, readonly Pass[]>> = {
  ...listed(
    ['change', 'metadata', 'content'],
    [
      'APIService',
      'ConfigMap',
      'ControllerRevision',
      'Endpoints',
      'Ingress',
      'IngressClass',
      'PersistentVolumeClaim',
      'Pod',
      'Secret',
      'ServiceAccount',
      'VolumeAttributesClass',
    ],
  ),
  ...listed(
    ['metadata', 'content', 'change'],
    [
      'CSIStorageCapacity',
      'CertificateSigningRequest',
      'ClusterRole',
      'ClusterRoleBinding',
      'DeviceClass',
      'Job',
      'Node',
      'ResourceClaim',
      'ResourceClaimTemplate',
      'Role',
      'RoleBinding',
      'RuntimeClass',
      'StorageClass',
    ],
  ),
  ...listed(
    ['metadata', 'content'],
    [
      'CSINode',
      'EndpointSlice',
      'FlowSchema',
      'LimitRange',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
      'MutatingWebhookConfiguration',
      'PriorityLevelConfiguration',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingWebhookConfiguration',
      'VolumeAttachment',
    ],
  ),
  PersistentVolume: ['metadata', 'metadata', 'content'],
  PodDisruptionBudget: ['content'],
};

function listed(
  passes: readonly Pass[],
  kinds: readonly string[],
): Readonly<Record<string, readonly Pass[]>> {
  return Object.fromEntries(kinds.map((kind) => [kind, passes]));
}

function passesOf({ kind, group, custom }: ServedResource): readonly Pass[] {
  if (custom) return ['change', 'content'];
  if (kind === 'Event' && group === '') return ['content'];
  return PASSES[kind] ?? ['change', 'content'];
}

/**
 * How often a change of an immutable metadata field is reported: once by the general rules, and once by each
 * step named `change`.
 */
export function changePasses(served: ServedResource): number {
  return 1 + passesOf(served).filter((pass) => pass === 'change').length;
}

/**
 * The problems of a new object. Its name has already been generated.
 *
 * @param content - the problems in all fields except the metadata.
 */
export function newProblems(
  served: ServedResource,
  object: StoredObject,
  content: readonly Problem[],
): readonly Problem[] {
  const isOwn = passesOf(served).length > 1;
  const problems = isOwn ? [...newMetadata(object, served), ...content] : content;
  if (problems.length > 0) return problems;
  // The general rules are checked last. The rules of nearly all kinds already include them.
  const { name, generateName } = object.metadata;
  return [...names(name, generateName, pathSegment), ...common(object.metadata, false)];
}

function newMetadata(object: StoredObject, served: ServedResource): readonly Problem[] {
  const { name, generateName } = object.metadata;
  const prefix = UNCHECKED_PREFIXES.has(served.kind) && name ? undefined : generateName;
  return [
    ...names(name, prefix, formOf(served)),
    ...common(object.metadata, isQualified(served)),
    ...(name ? cronJobName(served, name) : []),
  ];
}

/** Kinds for which `generateName` is checked only if no name was generated from it. */
const UNCHECKED_PREFIXES: ReadonlySet<string> = new Set(['DeviceClass', 'ReplicationController']);

function names(
  name: string | undefined,
  generateName: string | undefined,
  form: Form,
): readonly Problem[] {
  return [
    ...(generateName ? named('metadata.generateName', generateName, prefixOf(form)) : []),
    ...(name
      ? named('metadata.name', name, form)
      : [required('metadata.name', 'name or generateName is required')]),
  ];
}

function formOf({ kind, custom, shape }: ServedResource): Form {
  if (custom) return dnsSubdomain;
  // Only `events.k8s.io` checks the names of Events.
  return shape === undefined ? (NAME_FORMS[kind] ?? dnsSubdomain) : dnsSubdomain;
}

/** Checks a prefix of generated names, which, unlike a name, may end with a dash. */
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

function common(metadata: Metadata, qualified: boolean): readonly Problem[] {
  return [
    ...labels(metadata.labels, 'metadata.labels'),
    ...annotations(metadata.annotations, 'metadata.annotations'),
    ...owners(metadata),
    ...finalizers(metadata),
    ...(qualified ? unqualifiedFinalizers(metadata) : []),
  ];
}

type Metadata = StoredObject['metadata'];

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

/** Two of the server's finalizers. An object cannot have both. */
const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

function finalizers({ finalizers: names = [] }: StoredObject['metadata']): readonly Problem[] {
  const field = 'metadata.finalizers';
  const problems = names.flatMap((name) => named(field, name, labelKey));
  if (!names.includes(ORPHAN) || !names.includes(FOREGROUND)) return problems;
  const why = `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`;
  return [...problems, invalidValue(field, names, why)];
}

/** API groups whose kinds allow finalizers without a domain. */
const UNQUALIFIED_GROUPS: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
]);

function isQualified({ group, custom }: ServedResource): boolean {
  return !custom && !UNQUALIFIED_GROUPS.has(group);
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', ORPHAN, FOREGROUND]);

function unqualifiedFinalizers({ finalizers: found = [] }: Metadata): readonly Problem[] {
  const why = 'name is neither a standard finalizer name nor is it fully qualified';
  return found.flatMap((name, at) =>
    name.includes('/') || STANDARD_FINALIZERS.has(name)
      ? []
      : [invalidValue(`metadata.finalizers[${at}]`, name, why)],
  );
}

/**
 * The problems of a changed object: first the problems that the general rules find, then the problems that
 * the rules of its kind find.
 *
 * @param content - the problems in all fields except the metadata.
 */
export function changedProblems(
  served: ServedResource,
  object: StoredObject,
  live: StoredObject,
  content: readonly Problem[],
): readonly Problem[] {
  const ofChange = (qualified: boolean): readonly Problem[] => [
    ...addedFinalizers(object, live),
    ...deletion(object, live),
    ...labels(object.metadata.labels, 'metadata.labels'),
    ...annotations(object.metadata.annotations, 'metadata.annotations'),
    ...owners(object.metadata),
    ...(qualified ? unqualifiedFinalizers(object.metadata) : []),
  ];
  const qualified = isQualified(served);
  const steps: Readonly<Record<Pass, () => readonly Problem[]>> = {
    metadata: () => common(object.metadata, qualified),
    change: () => ofChange(qualified),
    content: () => content,
  };
  const ofKind = passesOf(served).flatMap((pass) => steps[pass]());
  return [...common(object.metadata, false), ...ofChange(false), ...ofKind];
}

/** Refuses an update that sets the fields of a deletion. */
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
