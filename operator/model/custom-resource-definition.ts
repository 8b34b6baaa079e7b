import type { KubernetesObject } from './object.ts';
import { type Resource, resourceName } from './resource.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'boolean' | 'date' | 'integer' | 'number' | 'string';
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  /** If above 0, only `kubectl get -o wide` prints the column. */
  readonly priority?: number;
}

/** Paths of the fields that the subresource `scale` reads and writes. */
export interface ScalePaths {
  /** The path of the wanted number of replicas, under `.spec`. */
  readonly specReplicasPath: string;
  /** The path of the actual number of replicas, under `.status`. */
  readonly statusReplicasPath: string;
  /** The path of a label selector as a string, under `.spec` or `.status`. */
  readonly labelSelectorPath?: string;
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: true;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  readonly subresources?: {
    readonly status?: Readonly<Record<string, never>>;
    readonly scale?: ScalePaths;
  };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface DefinitionSpec {
  readonly group: string;
  readonly names: DefinitionNames;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly versions: readonly DefinitionVersion[];
  /** How objects are converted between versions. Default: they are not converted. */
  readonly conversion?: DefinitionConversion;
  readonly preserveUnknownFields?: false;
}

/** The webhook that converts objects. */
interface DefinitionConversion {
  readonly strategy: 'Webhook';
  readonly webhook: {
    readonly conversionReviewVersions: readonly string[];
    readonly clientConfig: ConversionClient;
  };
}

/**
 * Where the API server sends a ConversionReview: to a Service, or in tests to a URL. A declaration contains
 * neither, because the address depends on the deployment.
 */
export interface ConversionClient {
  /** The URL with its path. Not allowed together with `service`. */
  readonly url?: string;
  /** The Service of the webhook. */
  readonly service?: {
    readonly name: string;
    readonly namespace: string;
    /** Default `/convert`. */
    readonly path?: string;
    /** Default 443. */
    readonly port?: number;
  };
  /** Certificates of the certificate authority, as PEM in base64. Omitted if another program adds them. */
  readonly caBundle?: string;
}

/** The path of the conversion webhook in all definitions. */
export const CONVERSION_PATH: string = '/convert';

/**
 * The same definition with the address of its conversion webhook. A definition without a conversion webhook
 * is returned unchanged.
 *
 * @param client - the address. A Service without a path gets `/convert`, and a Service without a port gets
 * 443.
 */
export function withConversionClient(
  definition: CustomResourceDefinition,
  { service, ...client }: ConversionClient,
): CustomResourceDefinition {
  const { conversion } = definition.spec;
  if (conversion === undefined) return definition;
  const clientConfig = {
    ...(service === undefined
      ? {}
      : {
          service: { ...service, path: service.path ?? CONVERSION_PATH, port: service.port ?? 443 },
        }),
    ...client,
  };
  const webhook = { ...conversion.webhook, clientConfig };
  return { ...definition, spec: { ...definition.spec, conversion: { ...conversion, webhook } } };
}

/** `apiextensions.k8s.io/v1` CustomResourceDefinition. */
export interface CustomResourceDefinition extends KubernetesObject {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly spec: DefinitionSpec;
}

/** A resource that includes its definition. */
export interface DefinedResource<T extends KubernetesObject = KubernetesObject>
  extends Resource<T> {
  readonly definition: CustomResourceDefinition;
  /** Converts an object of any version to another version. Undefined when objects are not converted. */
  readonly convert?: ((object: KubernetesObject, version: string) => KubernetesObject) | undefined;
  /**
   * Used instead of `convert` if a program converts the objects. The program is started only once for all
   * objects of a list.
   */
  readonly convertAll?: ConvertAll | undefined;
}

/**
 * Converts objects of one resource to `version`. The objects may have different versions. The results are in
 * the order of the objects.
 *
 * @param asked - `uid`: the uid of the review. `signal`: aborts when the caller no longer waits for the
 *   answer.
 */
export type ConvertAll = (
  objects: readonly KubernetesObject[],
  version: string,
  asked: { readonly uid: string; readonly signal: AbortSignal },
) => Promise<readonly KubernetesObject[]>;

/** True for a resource that can be installed. */
export function hasDefinition(resource: Resource): resource is DefinedResource {
  const { definition } = resource as Partial<DefinedResource>;
  return definition?.metadata.name === resourceName(resource);
}

/**
 * Annotation with a whole number that grows with the definition. Of two definitions, the one with the higher
 * number is newer, whichever was applied first.
 */
export const DEFINITION_REVISION: string = 'chancery.dev/definition-revision';

/**
 * Annotation of a definition in a group of the Kubernetes project: the URL where the project has approved the
 * definition, or `unapproved` and a reason. The API server refuses a definition without the annotation.
 */
export const API_APPROVED: string = 'api-approved.kubernetes.io';

/**
 * The meaning of the annotation's value: the URL of an approval, or a note that the definition is not
 * approved. The annotation can also be missing, or have an invalid value.
 */
type ApiApproval = 'approved' | 'unapproved' | 'missing' | 'invalid';

/**
 * True for the groups `k8s.io` and `kubernetes.io`, and for all groups that end in `.k8s.io` or
 * `.kubernetes.io`.
 */
export function needsApproval(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

/** How the API server interprets the value of the annotation. */
export function approvalOf(value: string = ''): ApiApproval {
  if (value === '') return 'missing';
  if (value.startsWith('unapproved')) return 'unapproved';
  return URL_WITH_HOST.test(value) ? 'approved' : 'invalid';
}

/** Equivalent to Go's `url.ParseRequestURI` for a URL with scheme and host. A fragment is not split off. */
const URL_WITH_HOST: RegExp = new RegExp(
  [
    '^[a-z][-+.a-z0-9]*://',
    "(?:[-\\w.~!$&'()*+,;=:%@]*@)?", // user
    '(?=[^/?])', // a host, or at least a port
    '(?:\\[[0-9a-f:.%]*\\]|(?:[-\\w.~!$&\'()*+,;=<>"]|[^\\p{ASCII}]|%[89a-f][0-9a-f])*)',
    '(?::[0-9]*)?',
    '(?:/(?:[^?%\\p{Cc}]|%[0-9a-f]{2})*)?',
    '(?:\\?\\P{Cc}*)?$',
  ].join(''),
  'iu',
);

/**
 * True when the definition of the resource declares the status subresource in its version, false when it does
 * not. Undefined when the definition is not known.
 */
export function declaresStatus(resource: Resource): boolean | undefined {
  const { hasStatus } = resource as { readonly hasStatus?: boolean };
  if (hasStatus !== undefined || !hasDefinition(resource)) return hasStatus;
  const own = resource.definition.spec.versions.find(({ name }) => name === resource.version);
  return own?.subresources?.status !== undefined;
}
