import { ConfigurationError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Webhook } from '../../webhook/webhook.ts';
import { webhookConfigurations } from '../../webhook/webhook-configurations.ts';
import { NAMESPACE_NAME, type WebhookEntry, webhookEntry } from '../../webhook/webhook-entry.ts';
import type { MatchCondition, WebhookSubject } from '../../webhook/webhook-options.ts';
import { type GateNames, gateNames, SERVICE_PORT } from './gate-names.ts';
import type { WebhooksOptions } from './webhooks-options.ts';

/** The place of an operator, and the namespaces to which its webhooks apply. */
export interface WebhookScope {
  readonly name: string;
  readonly namespace: string;
  /** The namespaces to which the webhooks apply. Default: all namespaces except the operator's own. */
  readonly namespaces?: readonly string[] | undefined;
}

/** The address of the gate for the API server. */
export interface ClientConfig {
  readonly service: {
    readonly name: string;
    readonly namespace: string;
    readonly path: string;
    readonly port: number;
  };
  /** The certificates that the API server trusts: PEM in base64. */
  readonly caBundle?: string;
}

/** Maximum number of conditions of a webhook at the API server. */
const MOST_CONDITIONS = 64;

/**
 * The webhook configurations of an operator behind a gate. None of these webhooks can prevent the
 * operator from starting again.
 *
 * @param annotations - annotations that make a certificate source fill the `caBundle`.
 */
export function gateConfigurations(
  options: WebhooksOptions,
  scope: WebhookScope,
  annotations: Readonly<Record<string, string>>,
): readonly KubernetesObject[] {
  const names = gateNames(scope);
  const hasAnnotations = Object.keys(annotations).length > 0;
  return webhookConfigurations(options.webhooks, {
    metadata: { name: names.configuration, ...(hasAnnotations && { annotations }) },
    entryOf: (webhook) => scopedEntry(webhook, scope),
    clientConfigOf: ({ path }) => clientConfig(options, names, scope.namespace, path),
  });
}

/** The address of one path of the gate for the API server. */
export function clientConfig(
  { caBundle }: Pick<WebhooksOptions, 'caBundle'>,
  { gate }: GateNames,
  namespace: string,
  path: string,
): ClientConfig {
  return {
    service: { name: gate, namespace, path, port: SERVICE_PORT },
    ...(caBundle !== undefined && { caBundle: Buffer.from(caBundle).toString('base64') }),
  };
}

/**
 * A webhook that applies only to the namespaces of its operator. The operator's own namespace may
 * be one of them.
 */
function scopedEntry(webhook: Webhook, scope: WebhookScope): WebhookEntry {
  const entry = webhookEntry(webhook, scope.namespace);
  if (scope.namespaces === undefined) return entry;
  const { matchExpressions = [] } = webhook.namespaceSelector ?? {};
  const watched = { key: NAMESPACE_NAME, operator: 'In' as const, values: scope.namespaces };
  const conditions = [...ownObjects(webhook, scope), ...(entry.matchConditions ?? [])];
  if (conditions.length > MOST_CONDITIONS) {
    throw new ConfigurationError(
      `the webhook ${webhook.name} has more than ${MOST_CONDITIONS} matchConditions with those that leave the operator's own ` +
        'objects out: join some of them',
    );
  }
  return {
    ...entry,
    namespaceSelector: {
      ...webhook.namespaceSelector,
      matchExpressions: [...matchExpressions, watched],
    },
    ...(conditions.length > 0 && { matchConditions: conditions }),
  };
}

/** The subresources of Pods whose requests contain a Pod. `undefined` stands for the Pod itself. */
const PODS: readonly (string | undefined)[] = [
  undefined,
  'status',
  'ephemeralcontainers',
  'resize',
];

/**
 * Conditions that exclude the objects that the operator needs to start again, if its own namespace
 * is watched. A Lease cannot be a resource of a webhook.
 */
function ownObjects({ subjects }: Webhook, scope: WebhookScope): readonly MatchCondition[] {
  const conditions = new Map<string, MatchCondition>();
  for (const subject of subjects) {
    for (const { name, expression } of ownObjectsOf(subject, scope)) {
      // If the webhook has several subjects, this condition must be true for requests about any
      // other subject.
      const { group, plural } = subject.resource;
      const { subresource = '' } = subject;
      const own = `${name}-${plural}${subresource === '' ? '' : `-${subresource}`}`;
      const asked = '(has(request.subResource) ? request.subResource : "")';
      const others = `request.resource.group != "${group}" || request.resource.resource != "${plural}" || ${asked} != "${subresource}"`;
      const condition =
        subjects.length === 1
          ? { name, expression }
          : { name: own, expression: `${others} || ${expression}` };
      conditions.set(condition.name, condition);
    }
  }
  return [...conditions.values()];
}

function ownObjectsOf(
  { resource, subresource }: WebhookSubject,
  scope: WebhookScope,
): readonly MatchCondition[] {
  const { name, namespace } = scope;
  const { keeper, secret } = gateNames(scope);
  const elsewhere = `request.namespace != "${namespace}"`;
  const named = (names: readonly string[]): string =>
    `!has(request.name) || ${names.map((each) => `request.name != "${each}"`).join(' && ')}`;
  const what = `${resource.group}/${resource.plural}`;
  if (what === '/namespaces') {
    return [{ name: 'not-the-namespace-of-the-operator', expression: named([namespace]) }];
  }
  if (what === '/pods') {
    // With an expired certificate, the webhook would block the Pods that renew it.
    const expression = `${elsewhere} || ${ofOtherAccounts([name, keeper])}`;
    const isPod = PODS.includes(subresource);
    const pods = 'not-the-pods-of-the-operator';
    return [{ name: pods, expression: isPod ? expression : elsewhere }];
  }
  // These objects stay writable, so that a broken Deployment can be changed back and an expired
  // certificate can be renewed.
  const own = { 'apps/deployments': [name, keeper], '/secrets': [secret] }[what];
  if (own === undefined) return [];
  return [{ name: 'not-the-objects-of-the-operator', expression: `${elsewhere} || ${named(own)}` }];
}

function ofOtherAccounts(accounts: readonly string[]): string {
  const isOtherIn = (object: string): string => {
    const field = `${object}.spec.serviceAccountName`;
    return `(!has(${field}) || ${accounts.map((account) => `${field} != "${account}"`).join(' && ')})`;
  };
  return `(request.operation == "DELETE" ? ${isOtherIn('oldObject')} : ${isOtherIn('object')})`;
}
