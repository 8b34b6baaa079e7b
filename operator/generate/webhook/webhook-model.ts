import { nodeCrypto } from '../../core/builtin-modules.ts';
import {
  CONVERSION_PATH,
  type CustomResourceDefinition,
  withConversionClient,
} from '../../model/custom-resource-definition.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { GATE_CONFIG_FILE, GATE_PORT, gateConfig } from '../gate/gate-config.ts';
import { type CertificateModel, certificateModel } from './certificates.ts';
import { clientConfig } from './configurations.ts';
import { gateNames, SERVICE_PORT } from './gate-names.ts';
import { servedPaths, type WebhooksOptions } from './webhooks-options.ts';

/**
 * The objects of an operator with webhooks in its own namespace. They do not depend on its scope.
 */
export interface WebhookModel {
  readonly options: WebhooksOptions;
  readonly certificates: CertificateModel;
  /** The Service, the configuration of the gate and the NetworkPolicy. */
  readonly objects: readonly KubernetesObject[];
  /** A hash of the gate's configuration. When it changes, new Pods start. */
  readonly configHash: string;
}

interface Place {
  readonly name: string;
  readonly namespace: string;
}

/**
 * The ports that are open without a gate: metrics and probes. A policy that selects a Pod closes
 * all other ports.
 */
const OPERATOR_PORTS = [8_080, 8_081];

/** The objects of the gate. Its container is in the template of the Deployment. */
export function webhookModel(options: WebhooksOptions, place: Place): WebhookModel {
  const certificates = certificateModel(options, place);
  const config = gateConfig({ paths: servedPaths(options) });
  return {
    options,
    certificates,
    configHash: nodeCrypto().createHash('sha256').update(config).digest('hex').slice(0, 32),
    objects: [
      service(place, certificates),
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: metadataOf(place),
        ...{ data: { [GATE_CONFIG_FILE]: config } },
      },
      networkPolicy(place),
    ],
  };
}

/** The definition in the form for the API server. If it has a conversion, the gate converts it. */
export function convertedDefinition(
  definition: CustomResourceDefinition,
  options: WebhooksOptions,
  place: Place,
): CustomResourceDefinition {
  if (definition.spec.conversion === undefined) return definition;
  const { trusting } = certificateModel(options, place);
  const annotations = { ...definition.metadata.annotations, ...trusting };
  const client = clientConfig(options, gateNames(place), place.namespace, CONVERSION_PATH);
  return {
    ...withConversionClient(definition, client),
    metadata: {
      ...definition.metadata,
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
  };
}

function metadataOf(place: Place): KubernetesObject['metadata'] {
  return { name: gateNames(place).gate, namespace: place.namespace };
}

function selected({ name }: Place): object {
  return { 'app.kubernetes.io/name': name };
}

function service(place: Place, { served }: CertificateModel): KubernetesObject {
  const hasAnnotations = Object.keys(served).length > 0;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadataOf(place), ...(hasAnnotations && { annotations: served }) },
    ...{
      spec: {
        selector: selected(place),
        ports: [{ name: 'webhooks', protocol: 'TCP', port: SERVICE_PORT, targetPort: GATE_PORT }],
      },
    },
  };
}

/**
 * A policy that opens the port of the gate to all addresses. An API server may have any address,
 * and has no certificate by which it could be recognized.
 */
function networkPolicy(place: Place): KubernetesObject {
  const ports = [GATE_PORT, ...OPERATOR_PORTS].map((port) => ({ protocol: 'TCP', port }));
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadataOf(place),
    ...{
      spec: {
        podSelector: { matchLabels: selected(place) },
        policyTypes: ['Ingress'],
        ingress: [{ ports }],
      },
    },
  };
}
