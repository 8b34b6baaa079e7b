import type { Json } from '../objects/metadata.ts';
import { asObject, each, fill, ifMissing } from './fill.ts';

/**
 * The defaults of the fields with which a policy or webhook selects requests
 * (pkg/apis/admissionregistration/v1/defaults.go).
 */
const MATCHES = { matchPolicy: ifMissing('Equivalent'), namespaceSelector: {}, objectSelector: {} };

const withScope = (rules: unknown): unknown =>
  each(rules, (rule) => fill(rule, { scope: ifMissing('*') }));

function defaultMatches(matches: unknown): unknown {
  const known = asObject(matches);
  if (known === undefined) return matches;
  return fill(known, { ...MATCHES, resourceRules: withScope, excludeResourceRules: withScope });
}

/** The defaults of a validating or mutating policy. */
export function defaultAdmissionPolicySpec(spec: Json): Json {
  return fill(spec, { failurePolicy: ifMissing('Fail'), matchConstraints: defaultMatches });
}

/** The defaults of a policy's binding. */
export function defaultPolicyBindingSpec(spec: Json): Json {
  return fill(spec, { matchResources: defaultMatches });
}

export function defaultValidatingWebhooks(configuration: Json): Json {
  return fill(configuration, { webhooks: (list: unknown) => each(list, defaultWebhook) });
}

export function defaultMutatingWebhooks(configuration: Json): Json {
  const withPolicy = (webhook: Json): Json =>
    fill(defaultWebhook(webhook), { reinvocationPolicy: ifMissing('Never') });
  return fill(configuration, { webhooks: (list: unknown) => each(list, withPolicy) });
}

const TIMEOUT_SECONDS = 10;

function defaultWebhook(webhook: Json): Json {
  return fill(webhook, {
    clientConfig: defaultClient,
    failurePolicy: ifMissing('Fail'),
    ...MATCHES,
    rules: withScope,
    timeoutSeconds: TIMEOUT_SECONDS,
  });
}

function defaultClient(client: unknown): unknown {
  const known = asObject(client);
  const service = asObject(known?.service);
  return service === undefined ? client : { ...known, service: fill(service, { port: 443 }) };
}
