import { ConfigurationError } from '../core/errors.ts';
import { isMapping } from '../core/mapping.ts';
import {
  API_APPROVED,
  approvalOf,
  type CustomResourceDefinition,
  DEFINITION_REVISION,
  type DefinedResource,
  type DefinitionVersion,
  needsApproval,
} from '../model/custom-resource-definition.ts';
import { isDnsSubdomain, NOT_DNS_SUBDOMAIN } from '../model/dns-name.ts';
import type { KubernetesObject, ObjectMeta } from '../model/object.ts';
import type { Conversion } from './conversion/conversion.ts';
import { converted } from './conversion/converter.ts';
import { requireOneWay } from './conversion/version-steps.ts';
import type { CustomObject } from './custom-object.ts';
import type { FieldProblem } from './field-path.ts';
import { definitionError, simplePath } from './field-path.ts';
import { type NameOptions, namesOf } from './names.ts';
import type { TObject, TSchema } from './type.ts';
import { type FieldError, invalid, NO_FIELD, required } from './validation/field-errors.ts';
import { newObjectProblems } from './validation/object-problems.ts';
import { definitionVersion, type VersionOptions } from './version.ts';

/** A resource with its complete definition. Frozen. */
export interface CustomResource<T extends KubernetesObject = KubernetesObject>
  extends DefinedResource<T> {
  /** The definition as plain data. `ensureCrd` installs it, and manifests contain it. */
  readonly definition: CustomResourceDefinition;
  /** True when objects have a status. The status is then a subresource. */
  readonly hasStatus: boolean;
  /** The conversions between the versions of the resource. Empty when objects are not converted. */
  readonly conversions: readonly Conversion[];
  /**
   * Converts an object of any version of the resource to another version, as the operator does for
   * the API server. Fields that only the original version has are kept in the annotation
   * `chancery.dev/only-in-VERSION`. Returns the same object if it has the wanted version. Undefined
   * when objects are not converted.
   *
   * @param version - the name of the wanted version, such as `v1`.
   * @throws OperatorError `USER_CODE` when a function throws or returns an invalid result, and when the
   *   annotation would have more than 131,072 bytes.
   */
  readonly convert?: ((object: KubernetesObject, version: string) => KubernetesObject) | undefined;
  /**
   * The problems for which the API server would refuse `object`. Empty when the server would accept it.
   *
   * Before the check, defaults are filled in and unknown fields are dropped, as in the API server. CEL rules
   * and facts that only the server knows (a free name, admission) are not checked. If the validation would
   * take more than 50,000,000 steps, the result is one problem with the reason `InternalError`.
   */
  validate(object: unknown): readonly FieldProblem[];
}

/** The options of `customResource`. `group`, `version`, `kind` and `spec` are required. */
export interface CustomResourceOptions<
  Spec extends TSchema,
  Status extends TObject | undefined = undefined,
> extends AnnotationOptions,
    NameOptions,
    VersionOptions<Spec, Status> {
  /** Default: the plural of the kind in lower case. */
  readonly plural?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** Default: the kind followed by `List`. */
  readonly listKind?: string;
  /** Default `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Short names, for commands such as `kubectl get web`. */
  readonly shortNames?: readonly string[];
  /** Categories, for commands such as `kubectl get all`. */
  readonly categories?: readonly string[];
  /**
   * Other versions that are still served or stored, in addition to the new storage version. Without
   * `convert`, objects are not converted: the API server then omits fields that the requested version does
   * not declare.
   */
  readonly otherVersions?: readonly OtherVersion[];
  /**
   * A `conversion` for each pair of neighbouring versions. There must be exactly one path of conversions from
   * every version to every other version. The operator then converts objects for the API server. Default:
   * none.
   */
  readonly convert?: readonly Conversion[];
}

/** A version that is not the storage version. */
export interface OtherVersion extends VersionOptions<TSchema, TObject | undefined> {
  /** Default true. */
  readonly served?: boolean;
  /** True if the version is deprecated, or the warning that clients then receive. */
  readonly deprecated?: boolean | string;
}

/**
 * Defines a resource once, with its type, its definition in the cluster, and its local validation.
 *
 * Conditions (a list map by `type`, within the limits of the API conventions) and `observedGeneration` are
 * added to every status.
 *
 * @throws ConfigurationError `CONFIG` for everything that the API server would refuse in the
 * definition, as far as it can be checked locally. The error contains the path in these options,
 * and a remedy. Only the API server checks whether CEL rules compile.
 */
export function customResource<
  Spec extends TSchema,
  Status extends TObject | undefined = undefined,
>(options: CustomResourceOptions<Spec, Status>): CustomResource<CustomObject<Spec, Status>> {
  const { group, kind, version } = options;
  const definition = definitionOf(options);
  const { names, scope, versions } = definition.spec;
  const own = versions.find(({ name }) => name === version);
  const conversions = Object.freeze([...(options.convert ?? [])]);
  const convert = converterOf(definition, conversions);
  return Object.freeze({
    group,
    version,
    plural: names.plural,
    kind,
    namespaced: scope === 'Namespaced',
    definition,
    hasStatus: own?.subresources?.status !== undefined,
    conversions,
    ...(convert === undefined ? {} : { convert }),
    validate: (object: unknown) => problemsOf(object, `${group}/${version}`, kind, own),
  });
}

function converterOf(
  { metadata, spec }: CustomResourceDefinition,
  conversions: readonly Conversion[],
): DefinedResource['convert'] {
  if (conversions.length === 0) return undefined;
  const resource = {
    ...{ group: spec.group, kind: spec.names.kind, name: metadata.name },
    schemas: new Map(spec.versions.map(({ name, schema }) => [name, schema.openAPIV3Schema])),
    conversions,
  };
  return (object, version) => converted(object, version, resource);
}

/**
 * The conversion by a webhook, without an address. Manifests add the address; without it the API server
 * refuses the definition.
 */
const BY_WEBHOOK = {
  conversion: {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: {} },
  },
  preserveUnknownFields: false,
} as const;

type AnyOptions = CustomResourceOptions<TSchema, TObject | undefined>;

function definitionOf(options: AnyOptions): CustomResourceDefinition {
  try {
    return deepFreeze(structuredClone(declared(options)));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // The message also contains the kind: in a program with several resources, the path alone does not
    // identify the resource.
    const context = { ...error.context, kind: String(options.kind) };
    throw new ConfigurationError(`${context.kind}: ${error.message}`, { context, cause: error });
  }
}

function declared(options: AnyOptions): CustomResourceDefinition {
  const { group, version, scope = 'Namespaced', otherVersions = [], convert } = options;
  const names = namesOf(options);
  const stored = definitionVersion(options, '');
  const others = otherVersions.map((other, at) => otherVersion(other, `otherVersions[${at}].`));
  const versionNames = [version, ...others.map(({ name }) => name)];
  refuseRepeated(versionNames);
  if (convert !== undefined) requireOneWay(convert, versionNames);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}`, ...annotationsOf(group, options) },
    spec: {
      ...{ group, names, scope, versions: [stored, ...others] },
      ...(convert === undefined || convert.length === 0 ? {} : BY_WEBHOOK),
    },
  };
}

function otherVersion(options: OtherVersion, path: string): DefinitionVersion {
  const { served = true, deprecated = false } = options;
  if (typeof deprecated === 'string' && (deprecated === '' || deprecated.length > 256)) {
    const remedy = 'write a sentence of at most 256 characters, or true';
    throw definitionError(`${path}deprecated`, 'is no warning', remedy);
  }
  return {
    ...definitionVersion(options, path),
    served,
    storage: false,
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
  };
}

function refuseRepeated(versions: readonly string[]): void {
  const twice = versions.findIndex((version, at) => versions.indexOf(version) < at);
  if (twice < 0) return;
  const problem = `${versions[twice]} stands there twice`;
  throw definitionError(`otherVersions[${twice - 1}].version`, problem, 'leave one out');
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

/** Options that become annotations of the definition. */
export interface AnnotationOptions {
  /**
   * Required and allowed only for groups of the Kubernetes project (`k8s.io`, `kubernetes.io` and all groups
   * that end in `.k8s.io` or `.kubernetes.io`). The value is the URL where the project has approved the
   * definition, or a text that begins with `unapproved`, such as `unapproved, an example`.
   */
  readonly apiApproved?: string;
  /**
   * A whole number that must grow with every change of the definition. Replicas of different releases use it
   * to decide which definition is newer. Default: none, so that the definition that was applied last counts
   * as newer.
   */
  readonly revision?: number;
}

/**
 * The annotations of a definition.
 *
 * @throws ConfigurationError `CONFIG` when a group of the Kubernetes project has no `apiApproved`, when
 *   another group has `apiApproved`, and when `revision` is invalid.
 */
function annotationsOf(
  group: string,
  { apiApproved, revision }: AnnotationOptions,
): Pick<ObjectMeta, 'annotations'> {
  refuseApproval(group, apiApproved);
  refuseRevision(revision);
  const annotations = {
    ...(apiApproved === undefined ? {} : { [API_APPROVED]: apiApproved }),
    ...(revision === undefined ? {} : { [DEFINITION_REVISION]: String(revision) }),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

function refuseApproval(group: string, approved: string | undefined): void {
  if (!needsApproval(group)) {
    if (approved === undefined) return;
    throw definitionError('apiApproved', `${group} needs no approval`, 'leave it out');
  }
  if (approved === undefined) {
    const remedy =
      "write a domain of yours, or apiApproved: 'unapproved, …' with the reason, or the URL of the approval";
    throw definitionError('group', `${group} belongs to the Kubernetes project`, remedy);
  }
  const approval = approvalOf(approved);
  if (approval === 'approved' || approval === 'unapproved') return;
  const remedy =
    "write the URL of the approval with its scheme, or 'unapproved, …' with the reason";
  throw definitionError('apiApproved', `${JSON.stringify(approved)} is no approval`, remedy);
}

function refuseRevision(revision: number | undefined): void {
  if (revision === undefined || (Number.isSafeInteger(revision) && revision >= 0)) return;
  throw definitionError('revision', `${revision} is no revision`, 'write 0, 1, 2, …');
}

/** The problems for which the API server would refuse an object of one version. */
function problemsOf(
  object: unknown,
  apiVersion: string,
  kind: string,
  version: DefinitionVersion | undefined,
): readonly FieldProblem[] {
  const schema = version?.schema.openAPIV3Schema ?? {};
  const { specReplicasPath, statusReplicasPath } = version?.subresources?.scale ?? {};
  const scaled = [specReplicasPath, statusReplicasPath].flatMap((path) =>
    path === undefined ? [] : [simplePath(path) ?? []],
  );
  if (!isMapping(object)) return [problemAt('', 'FieldValueTypeInvalid', 'must be of type object')];
  return [
    ...(object.apiVersion === apiVersion
      ? []
      : [problemAt('apiVersion', 'FieldValueInvalid', `must be ${apiVersion}`)]),
    ...(object.kind === kind ? [] : [problemAt('kind', 'FieldValueInvalid', `must be ${kind}`)]),
    ...nameProblems(object.metadata),
    ...newObjectProblems(object, { schema, scaled }).map(publicProblem),
  ];
}

function problemAt(path: string, reason: FieldProblem['reason'], message: string): FieldProblem {
  return { path, reason, message };
}

function publicProblem({ field, reason, message }: FieldError): FieldProblem {
  return problemAt(field === NO_FIELD ? '' : field, reason, message);
}

function nameProblems(metadata: unknown): readonly FieldProblem[] {
  if (!isMapping(metadata)) return [problemAt('metadata', 'FieldValueRequired', 'Required value')];
  const { name, generateName } = metadata;
  if (!name && typeof generateName === 'string' && generateName !== '') return [];
  if (!name) {
    return [publicProblem(required('metadata.name', 'name or generateName is required'))];
  }
  if (typeof name === 'string' && isDnsSubdomain(name)) return [];
  return [publicProblem(invalid('metadata.name', name, NOT_DNS_SUBDOMAIN))];
}
