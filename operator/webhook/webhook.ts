import { type Source, sourceOf } from '../controller/source.ts';
import { type DefinedResource, hasDefinition } from '../model/custom-resource-definition.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { LabelSelector } from '../model/selector.ts';
import type { AdmissionOperation, AdmissionRequest } from './review/admission-request.ts';
import { DELETING_CONDITION, requireDeclarable, requireUsable } from './usable-webhook.ts';
import type {
  MatchCondition,
  MutatingWebhookOptions,
  ValidatingWebhookOptions,
  WebhookContext,
  WebhookOptions,
  WebhookSubject,
} from './webhook-options.ts';

/** A rule of a webhook configuration: it describes requests that the API server sends to the webhook. */
export interface WebhookRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  /** Plurals, or subresources written as `plural/subresource`. */
  readonly resources: readonly string[];
  readonly operations: readonly AdmissionOperation[];
  readonly scope: 'Cluster' | 'Namespaced';
}

/**
 * The declaration of a webhook, which `validatingWebhook` and `mutatingWebhook` return. A module exports it
 * among its controllers. It is also an `AccessDeclaration`, so that the generated rights include its sources.
 */
export interface Webhook {
  /** `mutating` if the webhook may change objects. */
  readonly type: 'validating' | 'mutating';
  /** The name: at least three words joined by dots. */
  readonly name: string;
  /** The path at which reviews are answered: `/validate/NAME` or `/mutate/NAME`. */
  readonly path: string;
  /**
   * The requests for which the webhook is called. A webhook of a module has one subject. A hook has one
   * subject for each resource in its configuration.
   */
  readonly subjects: readonly WebhookSubject[];
  /** One rule per subject, without wildcards. */
  readonly rules: readonly WebhookRule[];
  /** What the API server does if it gets no answer. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /**
   * The API server also calls the webhook for objects of other versions, converted to the version of a
   * subject.
   */
  readonly matchPolicy: 'Equivalent';
  /** The declared selector. `webhookEntry` also excludes the operator's own namespace. */
  readonly namespaceSelector: LabelSelector | undefined;
  /** The declared selector. Undefined for all objects. */
  readonly objectSelector: LabelSelector | undefined;
  /**
   * The declared conditions. If the webhook is called for updates, and `whileDeleting` is false, there is one
   * more condition, which excludes updates of objects that are being deleted.
   */
  readonly matchConditions: readonly MatchCondition[];
  /**
   * `None` for a function: it has no client, so it may be called in dry runs. A hook may declare that it has
   * no side effects only in dry runs.
   */
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  /** Seconds from 1 to 30. */
  readonly timeoutSeconds: number;
  /** Undefined for a validating webhook. */
  readonly reinvocationPolicy: 'Never' | 'IfNeeded' | undefined;
  /** True when the webhook is also called for updates of objects that are being deleted. */
  readonly whileDeleting: boolean;
  /** The sources that the function reads, for caches and generated rights. */
  readonly sources: readonly Source[];
  /** The webhook's resources that include a definition. */
  readonly definitions: readonly DefinedResource[];
  /** False, because a webhook records no Events. */
  readonly recordsEvents: false;
  /** Empty, because a webhook writes nothing. */
  readonly fieldManagers: readonly string[];
  /** False, because every replica answers reviews. */
  readonly needsLeaderElection: false;
  /**
   * The file of the hook, if a hook answers instead of a function. Messages contain it. Undefined for a
   * function.
   */
  readonly hook: string | undefined;
  /**
   * The declared function. Its result has not been checked yet.
   *
   * @param review - the whole AdmissionReview as JSON.
   */
  handle(request: AdmissionRequest, context: WebhookContext, review: string): unknown;
}

/**
 * Registered with `Symbol.for`, so that `isWebhook` also recognizes webhooks from another copy of this
 * module.
 */
const DECLARED: unique symbol = Symbol.for('chancery.webhook');

/**
 * Declares a webhook that allows or denies requests. Starts nothing. docs/guides/write/webhooks.md explains
 * when a schema, a CEL rule or a policy can do the same without a server.
 *
 *     export const names = validatingWebhook({
 *       name: 'names.websites.example.com',
 *       resource: websites,
 *       validate: ({ object }) =>
 *         object.spec.host.endsWith('.local') ? deny('is not public', { field: 'spec.host' }) : allow(),
 *     });
 *
 * @throws ConfigurationError `CONFIG` when an option cannot be part of a webhook configuration, or could
 *   block a whole cluster: a wildcard, a Lease, or a kind of `admissionregistration.k8s.io`.
 */
export function validatingWebhook<
  T extends KubernetesObject,
  const O extends AdmissionOperation = 'CREATE' | 'UPDATE',
>(options: ValidatingWebhookOptions<T, O>): Webhook {
  requireUsable('validating', options, options.validate);
  const handle = options.validate as unknown as Webhook['handle'];
  return declareWebhook({ ...options, type: 'validating', subjects: [subjectOf(options)], handle });
}

/**
 * Declares a webhook that changes objects before they are stored. Starts nothing. For a default value in a
 * custom resource, use a default in its schema instead.
 *
 *     export const labels = mutatingWebhook({
 *       name: 'labels.websites.example.com',
 *       resource: websites,
 *       mutate: ({ object }) => ({ ...object, spec: { ...object.spec, tier: object.spec.tier ?? 'basic' } }),
 *     });
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `validatingWebhook`.
 */
export function mutatingWebhook<
  T extends KubernetesObject,
  const O extends AdmissionOperation = 'CREATE' | 'UPDATE',
>(options: MutatingWebhookOptions<T, O>): Webhook {
  requireUsable('mutating', options, options.mutate);
  const handle = options.mutate as unknown as Webhook['handle'];
  return declareWebhook({ ...options, type: 'mutating', subjects: [subjectOf(options)], handle });
}

/** True for a value that `validatingWebhook()` or `mutatingWebhook()` returned. */
export function isWebhook(value: unknown): value is Webhook {
  return typeof value === 'object' && value !== null && DECLARED in value;
}

/**
 * Excludes updates of objects that are being deleted. The API server evaluates this condition itself, so
 * deletions continue even if no replica answers. Only the stored object is checked, because a client can
 * write a deletion time into the new object.
 */
const NOT_BEING_DELETED: MatchCondition = {
  name: DELETING_CONDITION,
  expression:
    'request.operation != "UPDATE" || !has(oldObject.metadata) || !has(oldObject.metadata.deletionTimestamp)',
};

/** The declaration of a webhook that a function or a hook answers. */
export interface WebhookDeclaration
  extends Omit<WebhookOptions<KubernetesObject>, 'resource' | 'subresource' | 'operations'>,
    Pick<Webhook, 'type' | 'subjects' | 'handle'>,
    Partial<Pick<Webhook, 'sideEffects' | 'hook' | 'reinvocationPolicy'>> {}

/**
 * Declares a webhook that may have several subjects.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `validatingWebhook`.
 */
export function declareWebhook(declaration: WebhookDeclaration): Webhook {
  requireDeclarable(declaration);
  const { type, name, subjects, handle, whileDeleting = false } = declaration;
  const { failurePolicy = 'Ignore', sideEffects = 'None', timeoutSeconds = 10 } = declaration;
  const { reinvocationPolicy = 'Never', matchConditions = [] } = declaration;
  const isOfUpdates = subjects.some(({ operations }) => operations.includes('UPDATE'));
  const guard = whileDeleting || !isOfUpdates ? [] : [NOT_BEING_DELETED];
  const resources = [...new Set(subjects.map(({ resource }) => resource))];
  return Object.freeze({
    type,
    name,
    path: `/${type === 'validating' ? 'validate' : 'mutate'}/${name}`,
    subjects,
    rules: subjects.map(ruleOf),
    failurePolicy,
    matchPolicy: 'Equivalent',
    namespaceSelector: declaration.namespaceSelector,
    objectSelector: declaration.objectSelector,
    matchConditions: [...guard, ...matchConditions],
    sideEffects,
    timeoutSeconds,
    reinvocationPolicy: type === 'mutating' ? reinvocationPolicy : undefined,
    whileDeleting,
    sources: (declaration.reads ?? []).map((each) => sourceOf(each)),
    definitions: resources.filter(hasDefinition),
    recordsEvents: false,
    fieldManagers: [],
    needsLeaderElection: false,
    hook: declaration.hook,
    handle,
    [DECLARED]: true,
  });
}

function subjectOf<T extends KubernetesObject, O extends AdmissionOperation>({
  resource,
  subresource,
  operations,
}: WebhookOptions<T, O>): WebhookSubject {
  return { resource, subresource, operations: operations ?? ['CREATE', 'UPDATE'] };
}

function ruleOf({ resource, subresource, operations }: WebhookSubject): WebhookRule {
  return {
    apiGroups: [resource.group],
    apiVersions: [resource.version],
    resources: [subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`],
    operations,
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
  };
}
