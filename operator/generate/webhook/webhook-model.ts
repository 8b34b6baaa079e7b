import { nodeCrypto } from '../../core/builtin-modules.ts';
import {
  CONVERSION_PATH,
  type CustomResourceDefinition,
  withConversionClient,
} from '../../model/custom-resource-definition.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { GATE_CONFIG_FILE, GATE_METRICS_PORT, GATE_PORT, gateConfig } from '../gate/gate-config.ts';
import { AUTHORITIES_FILE, type CertificateModel, certificateModel } from './certificates.ts';
import { clientConfig } from './configurations.ts';
import { gateNames, SERVICE_PORT } from './gate-names.ts';
import { isServing, servedPaths, type WebhooksOptions } from './webhooks-options.ts';

/**
 * The objects in the operator's own namespace, for an operator with a gate. They do not depend on its scope.
 */
export interface WebhookModel {
  readonly options: WebhooksOptions;
  readonly certificates: CertificateModel;
  /** The Service, the configuration of the gate and the NetworkPolicy. */
  readonly objects: readonly KubernetesObject[];
  /** A hash of the gate's configuration. When it changes, new Pods start. */
  readonly configHash: string;
  /**
   * `scheme` and `tlsConfig` of an endpoint of a PodMonitor. Undefined when the gate serves no
   * metrics.
   */
  readonly scraping: object | undefined;
}

interface Place {
  readonly name: string;
  readonly namespace: string;
}

/** The ports of the operator for metrics and for probes. */
export const METRICS_PORT = 8_080;
const PROBES_PORT = 8_081;

/** The objects of the gate. Its container is in the template of the Deployment. */
export function webhookModel(options: WebhooksOptions, place: Place): WebhookModel {
  const certificates = certificateModel(options, place);
  const { caBundle, metricsClientCa } = options;
  const config = gateConfig({
    paths: servedPaths(options),
    ...(metricsClientCa !== undefined && { metrics: {} }),
  });
  return {
    options,
    certificates,
    configHash: nodeCrypto().createHash('sha256').update(config).digest('hex').slice(0, 32),
    objects: [
      service(place, certificates, options),
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: metadataOf(place),
        ...{
          data: {
            [GATE_CONFIG_FILE]: config,
            // No other object in the cluster contains these certificates, and a PodMonitor needs
            // them.
            ...(metricsClientCa !== undefined &&
              caBundle !== undefined && { [AUTHORITIES_FILE]: caBundle }),
          },
        },
      },
      networkPolicy(place, options),
    ],
    scraping:
      metricsClientCa === undefined ? undefined : scraping(place, certificates, metricsClientCa),
  };
}

/**
 * The definition as it is installed. If it has a conversion, the API server calls the gate to
 * convert objects.
 */
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

/**
 * The part of a PodMonitor with which Prometheus trusts the gate and presents its own certificate.
 * All objects that it refers to are in the namespace of the PodMonitor.
 */
function scraping(place: Place, { authorities }: CertificateModel, secret: string): object {
  return {
    scheme: 'https',
    tlsConfig: {
      serverName: gateNames(place).dnsNames[0],
      ca: authorities,
      cert: { secret: { name: secret, key: 'tls.crt' } },
      keySecret: { name: secret, key: 'tls.key' },
    },
  };
}

function service(
  place: Place,
  { served }: CertificateModel,
  options: WebhooksOptions,
): KubernetesObject {
  const hasAnnotations = Object.keys(served).length > 0;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadataOf(place), ...(hasAnnotations && { annotations: served }) },
    ...{
      spec: {
        selector: selected(place),
        ports: [
          ...(isServing(options) ? [port('webhooks', SERVICE_PORT, GATE_PORT)] : []),
          ...(options.metricsClientCa === undefined
            ? []
            : [port('metrics', GATE_METRICS_PORT, GATE_METRICS_PORT)]),
        ],
      },
    },
  };
}

function port(name: string, number: number, targetPort: number): object {
  return { name, protocol: 'TCP', port: number, targetPort };
}

/**
 * A policy that opens the port of the gate to all addresses. An API server may have any address,
 * and has no certificate by which it could be recognized. A policy that selects a Pod closes all
 * other ports, so this policy also opens the ports for metrics and probes.
 */
function networkPolicy(place: Place, { metricsClientCa }: WebhooksOptions): KubernetesObject {
  const metrics = metricsClientCa === undefined ? METRICS_PORT : GATE_METRICS_PORT;
  const ports = [GATE_PORT, metrics, PROBES_PORT].map((each) => ({ protocol: 'TCP', port: each }));
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
