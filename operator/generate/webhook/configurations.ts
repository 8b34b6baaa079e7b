import { ConfigurationError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Webhook } from '../../webhook/webhook.ts';
import { webhookConfigurations } from '../../webhook/webhook-configurations.ts';
import { NAMESPACE_NAME, type WebhookEntry, webhookEntry } from '../../webhook/webhook-entry.ts';
import type { MatchCondition, WebhookSubject } from '../../webhook/webhook-options.ts';
import { type GateNames, gateNames, SERVICE_PORT } from './gate-names.ts';
import type { WebhooksOptions } from './webhooks-options.ts';

/** Where an operator is, and which namespaces its webhooks are about. */
export interface WebhookScope {
  readonly name: string;
  readonly namespace: string;
  /** Left out: all but the operator's own. */
  readonly namespaces?: readonly string[] | undefined;
}

/** How the API server reaches the gate. */
export interface ClientConfig {
  readonly service: {
    readonly name: string;
    readonly namespace: string;
    readonly path: string;
    readonly port: number;
  };
  /** PEM in base64. */
  readonly caBundle?: string;
}

/** How many conditions the API server takes for a webhook. */
const MOST_CONDITIONS = 64;

/**
 * The webhook configurations of an operator behind a gate. No webhook in them can keep the operator from starting again.
 *
 * @param annotations - by which a certificate source fills `caBundle`.
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

/** How the API server calls one path of the gate. */
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

/** An operator for certain namespaces is asked about these only, and its own one may be among them. */
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

/** Subresources of Pods whose requests have a Pod as their object. */
const PODS: readonly (string | undefined)[] = [
  undefined,
  'status',
  'ephemeralcontainers',
  'resize',
];

/** What the operator itself needs to start again, where its own namespace is watched. A Lease can be no resource of a webhook. */
function ownObjects({ subjects }: Webhook, scope: WebhookScope): readonly MatchCondition[] {
  const conditions = new Map<string, MatchCondition>();
  for (const subject of subjects) {
    for (const { name, expression } of ownObjectsOf(subject, scope)) {
      // With other subjects beside it, a condition must hold for requests about them.
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
    // An expired certificate would keep the Pods away that renew it.
    const expression = `${elsewhere} || ${ofOtherAccounts([name, keeper])}`;
    const isPod = PODS.includes(subresource);
    const pods = 'not-the-pods-of-the-operator';
    return [{ name: pods, expression: isPod ? expression : elsewhere }];
  }
  // A Deployment that starts no Pod can be changed back, and a certificate that has expired renewed.
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
