import type { Log } from '../controller/reconciler.ts';
import type { Source } from '../controller/source.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { LabelSelector } from '../model/selector.ts';
import type { Store } from '../store/store.ts';
import type { Allowed, Denied } from './decision.ts';
import type { AdmissionOperation, AdmissionRequest } from './review/admission-request.ts';

/** A CEL expression over the request. The API server calls the webhook only if the expression is true. */
export interface MatchCondition {
  /** The name of the condition, which is unique within its webhook. */
  readonly name: string;
  /** The expression, which can use `object`, `oldObject`, `request` and `authorizer`. */
  readonly expression: string;
}

/** The requests for which a webhook is called. */
export interface WebhookSubject {
  /** The resource of the objects. The API server converts objects of other versions to its version. */
  readonly resource: Resource;
  /** Undefined if the requests are for the object itself. */
  readonly subresource: string | undefined;
  readonly operations: readonly AdmissionOperation[];
}

/**
 * What a webhook's function gets in addition to the request. It contains no client, because the function must
 * only answer.
 */
export interface WebhookContext {
  /**
   * The cache of one of the sources in the option `reads` of the webhook. Its objects are frozen.
   *
   * @throws ConfigurationError `CONFIG` when the webhook does not declare `source` in `reads`.
   */
  store<S extends KubernetesObject>(source: Source<S> | Resource<S>): Store<S>;
  /** A log with the facts of the webhook and the request in every line. */
  readonly log: Log;
  /** Aborts at the time limit of the webhook, when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** The options of `validatingWebhook` and `mutatingWebhook`, except for the function. */
export interface WebhookOptions<
  T extends KubernetesObject,
  O extends AdmissionOperation = AdmissionOperation,
> {
  /**
   * The name: at least three words joined by dots, such as `names.websites.example.com`. Clients see it when
   * the webhook denies their request.
   */
  readonly name: string;
  /**
   * The resource of the objects. The API server converts objects of other versions to the version
   * of this resource.
   */
  readonly resource: Resource<T>;
  /** A subresource such as `status` or `scale`. Default: only the object itself, without its subresources. */
  readonly subresource?: string;
  /** The operations for which the webhook is called. Default: `CREATE` and `UPDATE`. */
  readonly operations?: readonly O[];
  /**
   * Sources that the function reads through `store`. Every replica lists, watches and caches them, and the
   * operator gets the rights for that. Default: none.
   */
  readonly reads?: readonly (Resource | Source)[];
  /**
   * What the API server does when no replica answers: `Ignore` allows the request, `Fail` refuses it. Use
   * `Fail` only with two replicas and a disruption budget. Default `Ignore`.
   */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /**
   * Selects the namespaces by their labels. The operator's own namespace is always excluded. Default: all
   * other namespaces.
   */
  readonly namespaceSelector?: LabelSelector;
  /**
   * Selects the objects by their labels. The old or the new object must match. Default: all
   * objects.
   */
  readonly objectSelector?: LabelSelector;
  /** CEL expressions that must all be true, at most 63. Default: none. */
  readonly matchConditions?: readonly MatchCondition[];
  /**
   * Seconds from 1 to 30 that the API server waits. The function may use 80 % of this time, or one second
   * less than this time, whichever is longer. Default 10, as in Kubernetes.
   */
  readonly timeoutSeconds?: number;
  /**
   * True if the webhook is also called for updates of objects that are being deleted. A denial of such an
   * update can prevent the removal of a finalizer. Default false: these updates are allowed, even if no
   * replica answers.
   */
  readonly whileDeleting?: boolean;
}

/** The options of `validatingWebhook`. */
export interface ValidatingWebhookOptions<
  T extends KubernetesObject,
  O extends AdmissionOperation = AdmissionOperation,
> extends WebhookOptions<T, O> {
  /**
   * Answers one request. The result must depend only on the arguments, and the function must change nothing:
   * the API server may call it several times for one write, or never. If it returns nothing, the request is
   * allowed. If it throws, the request is refused.
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
   * Whether the API server calls the webhook again when a later webhook has changed the object.
   * Default `Never`.
   */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
  /**
   * Answers one request with a changed copy of the object, from which the JSON patch is computed. As for
   * `validate`, the result must depend only on the arguments. For an object that it has already changed, it
   * must return an equal object. If it returns nothing, the object is not changed. If it throws, the request
   * is refused.
   */
  readonly mutate: (
    request: AdmissionRequest<T, O>,
    context: WebhookContext,
  ) => MutationAnswer<T> | Promise<MutationAnswer<T>>;
}

/** The result of `validate`. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement allows the request
type ValidationAnswer = Allowed | Denied | void;
/** The result of `mutate`. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement changes nothing
type MutationAnswer<T extends KubernetesObject> = T | Allowed<T> | Denied | void;
