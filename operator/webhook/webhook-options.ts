import type { Log } from '../controller/reconciler.ts';
import type { Source } from '../controller/source.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { LabelSelector } from '../model/selector.ts';
import type { Store } from '../store/store.ts';
import type { Allowed, Denied } from './decision.ts';
import type { AdmissionOperation, AdmissionRequest } from './review/admission-request.ts';

/** A CEL expression over the request. The API server asks the webhook only where it is true. */
export interface MatchCondition {
  /** Unique in its webhook. */
  readonly name: string;
  /** Over `object`, `oldObject`, `request` and `authorizer`. */
  readonly expression: string;
}

/** What a webhook is asked about. */
export interface WebhookSubject {
  /** Its objects are in its version: the API server converts those of other versions. */
  readonly resource: Resource;
  /** Undefined for the object itself. */
  readonly subresource: string | undefined;
  readonly operations: readonly AdmissionOperation[];
}

/** What the function of a webhook gets besides the request. It has no client: the function only answers. */
export interface WebhookContext {
  /**
   * The cache of one of the webhook's own sources. Its objects are frozen.
   *
   * @throws ConfigurationError `CONFIG` when the webhook does not declare `source` in `reads`.
   */
  store<S extends KubernetesObject>(source: Source<S> | Resource<S>): Store<S>;
  /** Bound to the webhook and the request. */
  readonly log: Log;
  /** Aborts at the time limit of the webhook, when the answer is no longer of use. */
  readonly signal: AbortSignal;
}

/** The options of `validatingWebhook` and `mutatingWebhook`, except for the function. */
export interface WebhookOptions<
  T extends KubernetesObject,
  O extends AdmissionOperation = AdmissionOperation,
> {
  /**
   * At least three words joined by dots, such as `names.websites.example.com`. Clients see it when the webhook
   * denies their request.
   */
  readonly name: string;
  /** The objects. The API server converts those of other versions to its version. */
  readonly resource: Resource<T>;
  /** `status`, `scale`, … Default: the object itself, and no subresource. */
  readonly subresource?: string;
  /** Default: `CREATE` and `UPDATE`. */
  readonly operations?: readonly O[];
  /**
   * Sources that the function reads through `store`. Every replica lists, watches and caches them, and the
   * operator gets the rights for that. Default: none.
   */
  readonly reads?: readonly (Resource | Source)[];
  /**
   * What the API server does when no replica answers: `Ignore` lets the request pass, `Fail` refuses it. Use
   * `Fail` only with two replicas and a disruption budget. Default `Ignore`.
   */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /**
   * Labels of the namespaces whose objects are meant. The operator's own namespace is always left out.
   * Default: all others.
   */
  readonly namespaceSelector?: LabelSelector;
  /** Labels of the objects, of which the old or the new one must match. Default: all. */
  readonly objectSelector?: LabelSelector;
  /** CEL expressions that must all be true, at most 63. Default: none. */
  readonly matchConditions?: readonly MatchCondition[];
  /**
   * Seconds from 1 to 30 that the API server waits. The function has 80 % of this time, or one second less if
   * that is more. Default 10, as in Kubernetes.
   */
  readonly timeoutSeconds?: number;
  /**
   * Whether updates of objects that are being deleted are asked about, too. A denial of such an update keeps a
   * finalizer from being removed. Default false: they are allowed, also when no replica answers.
   */
  readonly whileDeleting?: boolean;
}

/** The options of `validatingWebhook`. */
export interface ValidatingWebhookOptions<
  T extends KubernetesObject,
  O extends AdmissionOperation = AdmissionOperation,
> extends WebhookOptions<T, O> {
  /**
   * Answers one request. It depends on its arguments only, and changes nothing: the API server may ask it
   * several times about one write, or never. Nothing returned means `allow()`. If it throws, the request is
   * refused.
   */
  readonly validate: (
    request: AdmissionRequest<T, O>,
    context: WebhookContext,
  ) => ValidationAnswer | Promise<ValidationAnswer>;
}

/** The options of `mutatingWebhook`. */
export interface MutatingWebhookOptions<
  T extends KubernetesObject,
  O extends AdmissionOperation = AdmissionOperation,
> extends WebhookOptions<T, O> {
  /**
   * Whether the API server asks again when a later webhook has changed the object. Default `Never`.
   */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
  /**
   * Answers one request with a changed copy of the object, of which the JSON patch is made. As `validate`, it
   * depends on its arguments only. For an object that it has changed before it returns an equal one. Nothing
   * returned means that the object stays as it is. If it throws, the request is refused.
   */
  readonly mutate: (
    request: AdmissionRequest<T, O>,
    context: WebhookContext,
  ) => MutationAnswer<T> | Promise<MutationAnswer<T>>;
}

/** What `validate` returns. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement allows the request
type ValidationAnswer = Allowed | Denied | void;
/** What `mutate` returns. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement changes nothing
type MutationAnswer<T extends KubernetesObject> = T | Allowed<T> | Denied | void;
