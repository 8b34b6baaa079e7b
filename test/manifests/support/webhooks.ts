/** An operator that is asked by the API server, in every way in which it can be. */
import type { Declared } from '../../../operator/controller/access-declaration.ts';
import type { ManifestsOptions } from '../../../operator/generate/manifests/manifests-options.ts';
import {
  type OperatorModel,
  operatorModel,
} from '../../../operator/generate/manifests/operator-model.ts';
import type { GateOptions } from '../../../operator/generate/webhook/webhooks-options.ts';
import { deployments, namespaces, pods, secrets, services } from '../../../operator/kubernetes.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { allow } from '../../../operator/webhook/decision.ts';
import { mutatingWebhook, validatingWebhook } from '../../../operator/webhook/webhook.ts';
import { CONFIG_RESTART, WEBSITE } from './trees.ts';

/** Which every operator has that has a webhook. */
export const GATE: GateOptions = {
  certificates: 'cert-manager',
  image: 'registry.example/chancery-gate:1.0',
  certificatesImage: 'registry.example/chancery-certificates:1.0',
};

/** Not a certificate: nothing in the manifests reads it. */
export const AUTHORITY = `-----BEGIN CERTIFICATE-----\n${'QUFB'.repeat(16)}\n-----END CERTIFICATE-----\n`;

/** Each source of certificates with what it needs. */
export const SOURCES: readonly GateOptions[] = [
  GATE,
  { ...GATE, certificates: 'service-ca' },
  { ...GATE, certificates: 'pod', signer: 'example.dev/serving', caBundle: AUTHORITY },
  { ...GATE, certificates: 'chancery' },
];

export const OF_DEPLOYMENTS = validatingWebhook({
  name: 'limits.deployments.example.dev',
  resource: deployments,
  operations: ['CREATE'],
  namespaceSelector: { matchLabels: { team: 'web' } },
  timeoutSeconds: 3,
  validate: () => allow(),
});

export const OF_PODS = mutatingWebhook({
  name: 'labels.pods.example.dev',
  resource: pods,
  mutate: () => undefined,
});

export const OF_NAMESPACES = validatingWebhook({
  name: 'owners.namespaces.example.dev',
  resource: namespaces,
  operations: ['CREATE', 'DELETE'],
  validate: () => allow(),
});

export const OF_SECRETS = validatingWebhook({
  name: 'keys.secrets.example.dev',
  resource: secrets,
  validate: () => allow(),
});

export const OF_SERVICES = validatingWebhook({
  name: 'ports.services.example.dev',
  resource: services,
  validate: () => allow(),
});

/** Refuses requests while nobody answers. */
export const CLOSED = validatingWebhook({
  name: 'closed.deployments.example.dev',
  resource: deployments,
  failurePolicy: 'Fail',
  validate: () => allow(),
});

/** What the operator does besides: it has no kind of its own, and so no conversion. */
export const CONTROLLERS: readonly Declared[] = CONFIG_RESTART.controllers;

export function webhookModelOf(
  webhooks: readonly Declared[],
  changed: Partial<ManifestsOptions> = {},
): OperatorModel {
  return operatorModel([...CONTROLLERS, ...webhooks], {
    ...WEBSITE.options,
    gate: GATE,
    ...changed,
  });
}

/** A webhook as a configuration has it. */
export interface Configured {
  readonly name: string;
  readonly clientConfig: {
    readonly caBundle?: string;
    readonly service: Readonly<Record<string, unknown>>;
  };
  readonly failurePolicy: string;
  readonly namespaceSelector: {
    readonly matchLabels?: object;
    readonly matchExpressions: readonly {
      readonly key: string;
      readonly operator: string;
      readonly values: readonly string[];
    }[];
  };
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

/** All webhooks of all configurations. */
export function configuredIn(objects: readonly KubernetesObject[]): readonly Configured[] {
  return objects.flatMap(
    (object) => (object as { webhooks?: readonly Configured[] }).webhooks ?? [],
  );
}

export function ofKind(
  objects: readonly KubernetesObject[],
  kind: string,
): readonly (KubernetesObject & { readonly [field: string]: unknown })[] {
  return objects.filter((object) => object.kind === kind) as never;
}
