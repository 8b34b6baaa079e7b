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

/** Which requests the API server sends to a webhook: the rule of a webhook configuration. */
export interface WebhookRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  /** Plurals; a subresource follows its plural after a slash. */
  readonly resources: readonly string[];
  readonly operations: readonly AdmissionOperation[];
  readonly scope: 'Cluster' | 'Namespaced';
}

/**
 * The declaration of a webhook, as `validatingWebhook` and `mutatingWebhook` return it. A module exports it among
 * its controllers. It is also an `AccessDeclaration`, so that rights follow from its sources.
 */
export interface Webhook {
  /** Whether it may change objects. */
  readonly type: 'validating' | 'mutating';
  /** At least three words joined by dots. */
  readonly name: string;
  /** `/validate/NAME` or `/mutate/NAME`. */
  readonly path: string;
  /** What it is asked about. A webhook of a module has one, and a hook one for each resource that it names. */
  readonly subjects: readonly WebhookSubject[];
  /** One rule for each subject, without wildcards. */
  readonly rules: readonly WebhookRule[];
  /** What the API server does without an answer. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** Objects of other versions are converted to the version of a subject. */
  readonly matchPolicy: 'Equivalent';
  /** As declared: `webhookEntry` leaves out the operator's own namespace, too. */
  readonly namespaceSelector: LabelSelector | undefined;
  /** As declared. Undefined for all objects. */
  readonly objectSelector: LabelSelector | undefined;
  /** The declared ones, and one about objects that are being deleted unless `whileDeleting` is set. */
  readonly matchConditions: readonly MatchCondition[];
  /** The function has no client, so that dry runs may ask it. A hook may say that only dry runs have no effects. */
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  /** From 1 to 30. */
  readonly timeoutSeconds: number;
  /** Undefined for a validating webhook. */
  readonly reinvocationPolicy: 'Never' | 'IfNeeded' | undefined;
  /** True when updates of objects that are being deleted are asked about. */
  readonly whileDeleting: boolean;
  /** What its function reads, for caches and generated rights. */
  readonly sources: readonly Source[];
  /** Its resources that carry a definition. */
  readonly definitions: readonly DefinedResource[];
  /** A webhook records no Events. */
  readonly recordsEvents: false;
  /** None: a webhook writes nothing. */
  readonly fieldManagers: readonly string[];
  /** Every replica answers. */
  readonly needsLeaderElection: false;
  /** The file of the hook that answers in place of a function. Messages name it. Undefined for a function. */
  readonly hook: string | undefined;
  /**
   * The declared function. What it returns is not checked yet.
   *
   * @param review - the whole AdmissionReview as JSON.
   */
  handle(request: AdmissionRequest, context: WebhookContext, review: string): unknown;
}

/** Registered with `Symbol.for`: `isWebhook` then knows the webhooks of another copy of this module. */
const DECLARED: unique symbol = Symbol.for('chancery.webhook');

/**
 * Declares a webhook that allows or denies requests. Starts nothing. docs/guides/write/webhooks.md says when a schema, a rule of
 * CEL or a policy does the same without a server.
 *
 *     export const names = validatingWebhook({
 *       name: 'names.websites.example.com',
 *       resource: websites,
 *       validate: ({ object }) =>
 *         object.spec.host.endsWith('.local') ? deny('is not public', { field: 'spec.host' }) : allow(),
 *     });
 *
 * @throws ConfigurationError `CONFIG` when an option cannot be part of a webhook configuration, or could lock a
 *   cluster: a wildcard, a Lease, or a kind of `admissionregistration.k8s.io`.
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
 * Declares a webhook that changes objects before they are stored. Starts nothing. A default in the schema of a
 * custom resource needs no webhook.
 *
 *     export const labels = mutatingWebhook({
 *       name: 'labels.websites.example.com',
 *       resource: websites,
 *       mutate: ({ object }) => ({ ...object, spec: { ...object.spec, tier: object.spec.tier ?? 'basic' } }),
 *     });
 *
 * @throws ConfigurationError `CONFIG` as `validatingWebhook`.
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
 * Deletion goes on while no replica answers: the API server itself leaves these updates out. Only the stored object
 * counts, because a client can write a time of deletion into the new one.
 */
const NOT_BEING_DELETED: MatchCondition = {
  name: DELETING_CONDITION,
  expression:
    'request.operation != "UPDATE" || !has(oldObject.metadata) || !has(oldObject.metadata.deletionTimestamp)',
};

/** What a webhook is declared with. A function or a hook answers it. */
export interface WebhookDeclaration
  extends Omit<WebhookOptions<KubernetesObject>, 'resource' | 'subresource' | 'operations'>,
    Pick<Webhook, 'type' | 'subjects' | 'handle'>,
    Partial<Pick<Webhook, 'sideEffects' | 'hook' | 'reinvocationPolicy'>> {}

/**
 * Declares a webhook of any subjects.
 *
 * @throws ConfigurationError `CONFIG` as `validatingWebhook`.
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
