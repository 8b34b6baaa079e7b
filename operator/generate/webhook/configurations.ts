import { ConfigurationError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Webhook } from '../../webhook/webhook.ts';
import { type WebhookEntry, webhookEntry } from '../../webhook/webhook-entry.ts';
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

/** The label that the API server gives to each namespace. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** How many conditions the API server takes for a webhook. */
const MOST_CONDITIONS = 64;

/**
 * The ValidatingWebhookConfiguration and the MutatingWebhookConfiguration of an operator. No webhook in them can keep the
 * operator from starting again.
 *
 * @param annotations - by which a certificate source fills `caBundle`.
 */
export function webhookConfigurations(
  options: WebhooksOptions,
  scope: WebhookScope,
  annotations: Readonly<Record<string, string>>,
): readonly KubernetesObject[] {
  const names = gateNames(scope);
  return (['validating', 'mutating'] as const).flatMap((type) => {
    const webhooks = options.webhooks.filter((webhook) => webhook.type === type);
    if (webhooks.length === 0) return [];
    const hasAnnotations = Object.keys(annotations).length > 0;
    return [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: KINDS[type],
        metadata: { name: names.configuration, ...(hasAnnotations && { annotations }) },
        webhooks: webhooks.map((webhook) => {
          const { name, ...entry } = scopedEntry(webhook, scope);
          const { namespace } = scope;
          return {
            name,
            clientConfig: clientConfig(options, names, namespace, webhook.path),
            ...entry,
          };
        }),
      },
    ];
  });
}

const KINDS = {
  validating: 'ValidatingWebhookConfiguration',
  mutating: 'MutatingWebhookConfiguration',
} as const;

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
      const { plural } = subject.resource;
      const { subresource = '' } = subject;
      const own = subresource === '' ? name : `${name}-${subresource}`;
      const asked = '(has(request.subResource) ? request.subResource : "")';
      const others = `request.resource.group != "" || request.resource.resource != "${plural}" || ${asked} != "${subresource}"`;
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
  { name, namespace }: WebhookScope,
): readonly MatchCondition[] {
  if (resource.group !== '') return [];
  if (resource.plural === 'namespaces') {
    const expression = `!has(request.name) || request.name != "${namespace}"`;
    return [{ name: 'not-the-namespace-of-the-operator', expression }];
  }
  if (resource.plural !== 'pods') return [];
  const isOtherIn = (object: string): string =>
    `(!has(${object}.spec.serviceAccountName) || ${object}.spec.serviceAccountName != "${name}")`;
  const isOther = `(request.operation == "DELETE" ? ${isOtherIn('oldObject')} : ${isOtherIn('object')})`;
  const elsewhere = `request.namespace != "${namespace}"`;
  const isPod = PODS.includes(subresource);
  const expression = isPod ? `${elsewhere} || ${isOther}` : elsewhere;
  return [{ name: 'not-the-pods-of-the-operator', expression }];
}
