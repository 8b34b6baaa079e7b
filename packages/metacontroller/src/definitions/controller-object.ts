import type { Condition, KubernetesObject, LabelSelector } from 'chancery';
import type { HookName, HookVersion, ResourceReference } from '../spec.ts';

/** A reference to a Secret or a ConfigMap, as the custom resources contain it. */
export interface ObjectReference {
  readonly name: string;
  readonly namespace: string;
}

/** The four fields of a connection, as the custom resources contain them. */
export interface ConnectionFields {
  readonly caBundle?: {
    readonly inline?: string;
    readonly secretRef?: ObjectReference & { readonly key: string };
    readonly configMapRef?: ObjectReference & { readonly key: string };
  };
  readonly clientTLS?: {
    readonly secretRef: ObjectReference;
    readonly certKey: string;
    readonly privateKeyKey: string;
  };
  readonly authorization?: {
    readonly type: string;
    readonly secretRef: ObjectReference & { readonly key: string };
  };
  readonly basicAuth?: {
    readonly secretRef: ObjectReference;
    readonly usernameKey: string;
    readonly passwordKey: string;
  };
}

export interface WebhookFields extends ConnectionFields {
  readonly url?: string;
  readonly service?: ObjectReference & { readonly port?: number; readonly protocol?: string };
  readonly path?: string;
  readonly timeout?: string;
  readonly etag?: {
    readonly enabled?: boolean;
    readonly cacheTimeoutSeconds?: number;
    readonly cacheCleanupSeconds?: number;
  };
  readonly responseUnMarshallMode?: 'loose' | 'strict';
}

export interface HookFields {
  readonly version: HookVersion;
  readonly webhook?: WebhookFields;
}

export interface EndpointFields extends ConnectionFields {
  readonly host: string;
}

export interface ChildTypeFields extends ResourceReference {
  readonly updateStrategy?: {
    readonly method?: 'OnDelete' | 'Recreate' | 'InPlace' | 'RollingRecreate' | 'RollingInPlace';
    readonly statusChecks?: {
      readonly conditions?: readonly {
        readonly type: string;
        readonly status?: string;
        readonly reason?: string;
      }[];
    };
  };
}

/**
 * Fields in the spec of both kinds. Fields with a default are always present after the defaults are
 * filled in.
 */
export interface SharedSpecFields {
  readonly resyncPeriodSeconds?: number;
  readonly hooks?: Readonly<Partial<Record<HookName, HookFields>>>;
  readonly endpointConfigs?: readonly EndpointFields[];
}

export interface CompositeSpecFields extends SharedSpecFields {
  readonly parentResource: ResourceReference & {
    readonly labelSelector?: LabelSelector;
    readonly revisionHistory?: { readonly fieldPaths?: readonly string[] };
    readonly ignoreStatusChanges?: boolean;
  };
  readonly childResources?: readonly ChildTypeFields[];
  readonly generateSelector?: boolean;
}

export interface DecoratorSpecFields extends SharedSpecFields {
  readonly resources: readonly (ResourceReference & {
    readonly labelSelector?: LabelSelector;
    readonly annotationSelector?: {
      readonly matchAnnotations?: Readonly<Record<string, string>>;
      readonly matchExpressions?: readonly {
        readonly key: string;
        readonly operator: string;
        readonly values?: readonly string[];
      }[];
    };
    readonly ignoreStatusChanges?: boolean;
  })[];
  readonly attachments?: readonly ChildTypeFields[];
}

/**
 * The status of both kinds. Only the definitions of this package declare it. If the definitions of
 * Metacontroller are installed, the server drops it.
 */
export interface ControllerStatus {
  readonly conditions?: readonly Condition[];
}

export interface CompositeController extends KubernetesObject {
  readonly spec: CompositeSpecFields;
  readonly status?: ControllerStatus;
}

export interface DecoratorController extends KubernetesObject {
  readonly spec: DecoratorSpecFields;
  readonly status?: ControllerStatus;
}

/** A stored revision of a parent, with the children that belong to it. */
export interface ControllerRevision extends KubernetesObject {
  readonly parentPatch: Readonly<Record<string, unknown>>;
  readonly children?: readonly {
    readonly apiGroup: string;
    readonly kind: string;
    readonly names: readonly string[];
  }[];
}
