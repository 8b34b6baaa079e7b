import { type Source, sourceOf } from '../controller/source.ts';
import { type DefinedResource, hasDefinition } from '../model/custom-resource-definition.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { LabelSelector } from '../model/selector.ts';
import type { AdmissionOperation, AdmissionRequest } from './review/admission-request.ts';
import { DELETING_CONDITION, requireUsable } from './usable-webhook.ts';
import type {
  MatchCondition,
  MutatingWebhookOptions,
  ValidatingWebhookOptions,
  WebhookContext,
  WebhookOptions,
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
  /** The resource of its only rule. */
  readonly resource: Resource;
  /** The subresource of its only rule. */
  readonly subresource: string | undefined;
  /** One rule, without wildcards. */
  readonly rules: readonly WebhookRule[];
  /** What the API server does without an answer. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** Objects of other versions are converted to the version of `resource`. */
  readonly matchPolicy: 'Equivalent';
  /** As declared: `webhookEntry` leaves out the operator's own namespace, too. */
  readonly namespaceSelector: LabelSelector | undefined;
  /** As declared. Undefined for all objects. */
  readonly objectSelector: LabelSelector | undefined;
  /** The declared ones, and one about objects that are being deleted unless `whileDeleting` is set. */
  readonly matchConditions: readonly MatchCondition[];
  /** The function has no client, so that dry runs may ask it. */
  readonly sideEffects: 'None';
  /** From 1 to 30. */
  readonly timeoutSeconds: number;
  /** Undefined for a validating webhook. */
  readonly reinvocationPolicy: 'Never' | 'IfNeeded' | undefined;
  /** True when updates of objects that are being deleted are asked about. */
  readonly whileDeleting: boolean;
  /** What its function reads, for caches and generated rights. */
  readonly sources: readonly Source[];
  /** Its resource, if it carries a definition. */
  readonly definitions: readonly DefinedResource[];
  /** A webhook records no Events. */
  readonly recordsEvents: false;
  /** None: a webhook writes nothing. */
  readonly fieldManagers: readonly string[];
  /** Every replica answers. */
  readonly needsLeaderElection: false;
  /** The declared function. What it returns is not checked yet. */
  handle(request: AdmissionRequest, context: WebhookContext): unknown;
}

/** Registered with `Symbol.for`: `isWebhook` then knows the webhooks of another copy of this module. */
const DECLARED: unique symbol = Symbol.for('chancery.webhook');

/**
 * Declares a webhook that allows or denies requests. Starts nothing. docs/webhooks.md says when a schema, a rule of
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
  return declared('validating', options, options.validate as unknown as Webhook['handle']);
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
  const { reinvocationPolicy = 'Never' } = options;
  const webhook = declared('mutating', options, options.mutate as unknown as Webhook['handle']);
  return Object.freeze({ ...webhook, reinvocationPolicy });
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

function declared<T extends KubernetesObject, O extends AdmissionOperation>(
  type: Webhook['type'],
  options: WebhookOptions<T, O>,
  handle: Webhook['handle'],
): Webhook {
  const { name, resource, subresource, whileDeleting = false } = options;
  const operations: readonly AdmissionOperation[] = options.operations ?? ['CREATE', 'UPDATE'];
  const rule: WebhookRule = {
    apiGroups: [resource.group],
    apiVersions: [resource.version],
    resources: [subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`],
    operations,
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
  };
  const guard = whileDeleting || !operations.includes('UPDATE') ? [] : [NOT_BEING_DELETED];
  return Object.freeze({
    type,
    name,
    path: `/${type === 'validating' ? 'validate' : 'mutate'}/${name}`,
    resource,
    subresource,
    rules: [rule],
    failurePolicy: options.failurePolicy ?? 'Ignore',
    matchPolicy: 'Equivalent',
    namespaceSelector: options.namespaceSelector,
    objectSelector: options.objectSelector,
    matchConditions: [...guard, ...(options.matchConditions ?? [])],
    sideEffects: 'None',
    timeoutSeconds: options.timeoutSeconds ?? 10,
    reinvocationPolicy: undefined,
    whileDeleting,
    sources: (options.reads ?? []).map((each) => sourceOf(each)),
    definitions: hasDefinition(resource) ? [resource] : [],
    recordsEvents: false,
    fieldManagers: [],
    needsLeaderElection: false,
    handle,
    [DECLARED]: true,
  });
}
