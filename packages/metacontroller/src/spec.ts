import type { KubernetesObject, LabelSelector } from 'chancery';
import type { ChildUpdate, StatusCheck } from 'chancery/internal';

/** A reference to a resource, as the custom resources contain it. */
export interface ResourceReference {
  /** The apiVersion, such as `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** The plural name of the resource. */
  readonly resource: string;
}

/** A key of a Secret or a ConfigMap. */
export interface KeyReference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** The settings of the connection to a webhook. All are optional. */
export interface ConnectionSpec {
  /** Trusted certificates: PEM text, or a reference to a key with such text. */
  readonly caBundle?: { readonly inline: string } | KeyReference;
  readonly clientTls?: { readonly certificate: KeyReference; readonly privateKey: KeyReference };
  /** The content of the header `Authorization`: the scheme, usually `Bearer`, and the credentials. */
  readonly authorization?: { readonly scheme: string; readonly credentials: KeyReference };
  readonly basicAuth?: { readonly username: KeyReference; readonly password: KeyReference };
}

/** The address and the options of a hook that is called over HTTP. */
export interface WebhookSpec {
  readonly url: string;
  readonly timeoutMs: number;
  readonly etag?: {
    readonly cacheTimeoutMs: number | undefined;
    readonly cacheCleanupMs: number | undefined;
  };
  /**
   * The connection settings of the hook. If the hook has no connection settings, the settings of
   * the endpoint that matches its host apply.
   */
  readonly connection: ConnectionSpec;
}

export type HookVersion = 'v1' | 'v2';

/** One hook of a controller. */
export interface HookSpec {
  readonly version: HookVersion;
  /** With `strict`, unknown and repeated fields of the answer are errors. */
  readonly answers: 'loose' | 'strict';
  /** The webhook. Undefined when the hook can only be served by a function of the mounted file. */
  readonly webhook: WebhookSpec | undefined;
}

/** The names of hooks. */
export type HookName = 'sync' | 'finalize' | 'customize';

interface ControllerSpecBase {
  readonly name: string;
  readonly uid: string;
  /** The object as hooks get it: with the defaults of the definition. */
  readonly object: KubernetesObject;
  readonly resyncPeriodMs: number | undefined;
  readonly hooks: Readonly<Partial<Record<HookName, HookSpec>>>;
  /**
   * Resources that a customize hook may select, from the annotation. Rights are generated for them.
   */
  readonly relatedResources: readonly ResourceReference[];
}

/** A child type of a CompositeController, or an attachment type of a DecoratorController. */
export interface ChildTypeSpec extends ResourceReference {
  readonly update: ChildUpdate;
  readonly statusChecks: readonly StatusCheck[];
}

/** The spec of a CompositeController after it has been checked. */
export interface CompositeSpec extends ControllerSpecBase {
  readonly kind: 'CompositeController';
  readonly parent: ResourceReference & {
    readonly labelSelector: LabelSelector | undefined;
    readonly revisionFieldPaths: readonly string[];
    readonly ignoreStatusChanges: boolean;
  };
  readonly children: readonly ChildTypeSpec[];
  readonly generateSelector: boolean;
}

/** A rule of an annotation selector. */
export interface AnnotationRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}

/** The spec of a DecoratorController after it has been checked. */
export interface DecoratorSpec extends ControllerSpecBase {
  readonly kind: 'DecoratorController';
  readonly resources: readonly (ResourceReference & {
    readonly labelSelector: LabelSelector | undefined;
    /** The requirements of the annotation selector. All of them must match. */
    readonly annotationSelector: readonly AnnotationRequirement[] | undefined;
    readonly ignoreStatusChanges: boolean;
  })[];
  readonly attachments: readonly ChildTypeSpec[];
}

export type ControllerSpec = CompositeSpec | DecoratorSpec;
