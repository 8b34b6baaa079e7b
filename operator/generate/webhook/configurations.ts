import type { KubernetesObject } from '../../model/object.ts';
import { type GateNames, gateNames, SERVICE_PORT } from './gate-names.ts';
import type {
  LabelQuery,
  MatchCondition,
  ServedRule,
  ServedWebhook,
  WebhooksOptions,
} from './webhooks-options.ts';

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
  readonly caBundle?: string;
}

/** The label by which every Namespace has its own name. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/**
 * The ValidatingWebhookConfiguration and the MutatingWebhookConfiguration of an operator. Neither has a webhook that
 * could keep the operator from starting again: its own namespace, all Leases and its own Pods are left out.
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
    return [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: KINDS[type],
        metadata: {
          name: names.configuration,
          ...(Object.keys(annotations).length > 0 && { annotations }),
        },
        webhooks: webhooks.map((webhook) => configured(webhook, options, scope)),
      },
    ];
  });
}

const KINDS = {
  validating: 'ValidatingWebhookConfiguration',
  mutating: 'MutatingWebhookConfiguration',
} as const;

function configured(webhook: ServedWebhook, options: WebhooksOptions, scope: WebhookScope): object {
  const { name, path, rules, objectSelector, reinvocationPolicy } = webhook;
  const conditions = [...ownObjects(rules, scope), ...(webhook.matchConditions ?? [])];
  return {
    name,
    clientConfig: clientConfig(options, gateNames(scope), scope.namespace, path),
    rules,
    failurePolicy: webhook.failurePolicy,
    matchPolicy: webhook.matchPolicy,
    namespaceSelector: withNamespaces(webhook.namespaceSelector, scope),
    ...(hasRequirements(objectSelector) && { objectSelector }),
    ...(conditions.length > 0 && { matchConditions: conditions }),
    sideEffects: webhook.sideEffects,
    timeoutSeconds: webhook.timeoutSeconds,
    admissionReviewVersions: ['v1'],
    ...(reinvocationPolicy !== undefined && { reinvocationPolicy }),
  };
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

function hasRequirements(query: LabelQuery | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = query ?? {};
  return Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
}

/** A selector of the declaration narrows ours, and never widens it. */
function withNamespaces(query: LabelQuery = {}, scope: WebhookScope): LabelQuery {
  const { matchLabels, matchExpressions = [] } = query;
  const own =
    scope.namespaces === undefined
      ? { key: NAMESPACE_NAME, operator: 'NotIn', values: [scope.namespace] }
      : { key: NAMESPACE_NAME, operator: 'In', values: scope.namespaces };
  return {
    ...(matchLabels !== undefined && { matchLabels }),
    matchExpressions: [own, ...matchExpressions],
  };
}

/**
 * Leaves out what the operator needs to start: an operator that watches its own namespace has webhooks there. Only
 * what the rules can match has a condition, as the API server evaluates each of them for every request.
 */
function ownObjects(
  rules: readonly ServedRule[],
  { name, namespace }: WebhookScope,
): readonly MatchCondition[] {
  const resource = 'request.resource.resource';
  const conditions: MatchCondition[] = [];
  if (canMatch(rules, 'coordination.k8s.io', 'leases')) {
    conditions.push({
      name: 'no-leases',
      expression: `request.resource.group != "coordination.k8s.io" || ${resource} != "leases"`,
    });
  }
  if (canMatch(rules, '', 'pods')) {
    const spec = '(request.operation == "DELETE" ? oldObject : object).spec';
    conditions.push({
      name: 'not-the-pods-of-the-operator',
      expression:
        `request.resource.group != "" || ${resource} != "pods" || request.namespace != "${namespace}" || ` +
        `(!has(request.subResource) || request.subResource == "") && ` +
        `!(has(${spec}.serviceAccountName) && ${spec}.serviceAccountName == "${name}")`,
    });
  }
  if (canMatch(rules, '', 'namespaces')) {
    conditions.push({
      name: 'not-the-namespace-of-the-operator',
      expression:
        `request.resource.group != "" || ${resource} != "namespaces" || !has(request.name) || ` +
        `request.name != "${namespace}"`,
    });
  }
  return conditions;
}

function canMatch(rules: readonly ServedRule[], group: string, plural: string): boolean {
  const isNamed = (resource: string): boolean =>
    resource.startsWith('*') || resource.split('/', 1)[0] === plural;
  return rules.some(
    ({ apiGroups, resources }) =>
      (apiGroups.includes('*') || apiGroups.includes(group)) && resources.some(isNamed),
  );
}
