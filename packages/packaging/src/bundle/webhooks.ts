import { ConfigurationError } from 'chancery';
import type { OperatorModel } from 'chancery/internal';
import { type BundleOptions, installModesOf } from './bundle-options.ts';

/**
 * Checks the webhooks.
 *
 * @throws ConfigurationError `CONFIG` for a webhook that would put its key into the operator's
 * container, unless that is allowed; for a webhook that OLM refuses, or that has its own
 * certificate authority.
 */
export function requireServable(
  { deployment, definitions, webhooks: declared }: OperatorModel,
  options: BundleOptions,
): void {
  if (declared !== undefined) throw undeliverable(declared.options);
  const { webhooks = [], allowKeyInOperator = false } = options;
  const { name } = deployment.metadata;
  for (const webhook of webhooks) {
    const named = `the webhook ${JSON.stringify(webhook.generateName)}`;
    if (webhook.deploymentName !== name) {
      throw new ConfigurationError(
        `${named} is served by the Deployment ${JSON.stringify(webhook.deploymentName)}, and the bundle only has ${name}`,
      );
    }
    if (!allowKeyInOperator) {
      throw new ConfigurationError(
        `${named} would be served by the operator's Deployment: OLM mounts the serving key into every container of ` +
          "it, so the operator's container would hold a credential; use a ValidatingAdmissionPolicy, a webhook in " +
          'a package of its own, or --allow-key-in-operator',
      );
    }
    if ('caBundle' in webhook) {
      throw new ConfigurationError(`${named} has a caBundle, which OLM puts in itself: remove it`);
    }
    if (webhook.conversionCRDs !== undefined) requireEverywhere(named, options);
  }
  const names = webhooks.map(({ generateName }) => generateName);
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) {
    throw new ConfigurationError(`two webhooks are called ${JSON.stringify(twice)}`);
  }
  const converted = new Set(webhooks.flatMap(({ conversionCRDs = [] }) => conversionCRDs));
  for (const { metadata, spec } of definitions) {
    const { conversion } = spec as { readonly conversion?: { readonly strategy?: string } };
    if (conversion?.strategy !== 'Webhook' || converted.has(metadata.name)) continue;
    throw new ConfigurationError(
      `the definition ${metadata.name} is converted by a webhook, and no ConversionWebhook of the bundle names it`,
    );
  }
}

/**
 * The error for webhooks, conversions and metrics that need a gate. A gate is a native sidecar, and
 * OLM gives certificates only to plain containers.
 */
function undeliverable({
  webhooks,
  conversions = [],
  metricsClientCa,
}: Served): ConfigurationError {
  const what = [
    ...webhooks.map(({ name }) => `the webhook ${name}`),
    ...conversions.map((name) => `the conversion of ${name}`),
    ...(metricsClientCa === undefined ? [] : ['metrics behind a gate']),
  ];
  return new ConfigurationError(
    `${what.join(' and ')} cannot be in a bundle: OLM mounts the serving key into every container of the operator's ` +
      'Deployment, and into no init container, which the gate is; so the operator would hold the key, and the gate would ' +
      'have none. Use a policy in place of the webhook (chancery generate policies), or install by kustomize or Helm',
  );
}

type Served = NonNullable<OperatorModel['webhooks']>['options'];

function requireEverywhere(named: string, options: BundleOptions): void {
  if (installModesOf(options).join() === 'AllNamespaces') return;
  throw new ConfigurationError(
    `${named} converts definitions, which every namespace shares: OLM demands the install mode AllNamespaces only`,
  );
}
