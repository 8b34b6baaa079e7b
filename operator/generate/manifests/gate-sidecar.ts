import { parseYaml } from '../../core/yaml.ts';
import {
  GATE_CONFIG_FOLDER,
  GATE_METRICS_PORT,
  GATE_PORT,
  GATE_PROBE,
  GATE_TLS_FOLDER,
  METRICS_CLIENTS_FILE,
  METRICS_CLIENTS_FOLDER,
} from '../gate/gate-config.ts';
import { scalar, templateText } from './manifest-file.ts';
import type { ModelContainer } from './model-deployment.ts';

/**
 * The volumes of the gate for its configuration and its temporary files. The volume of its
 * certificate is not included.
 */
export function gateVolumes(configMap: string): readonly GateVolume[] {
  return [
    { name: 'gate-config', configMap: { name: configMap } },
    // This volume is in memory, because a review can contain a Secret, which must not be written to
    // the disk of a node.
    { name: 'gate-run', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
  ];
}

/**
 * The volume with the certificate authorities of clients that may read metrics. Of the Secret, it
 * contains only the authorities, so the gate does not get the private key of a client.
 */
export function metricsClientsVolume(secretName: string): GateVolume {
  const items = [{ key: METRICS_CLIENTS_FILE, path: METRICS_CLIENTS_FILE }];
  return { name: 'metrics-clients', secret: { secretName, items } };
}

export interface GateVolume {
  readonly name: string;
  readonly [field: string]: unknown;
}

/**
 * The YAML of the gate in a Pod.
 *
 * @param servesMetrics - if true, the gate has a port for metrics and a mount for
 * `metricsClientsVolume`.
 */
export function gateLines(image: string, servesMetrics: boolean): string {
  const part = (name: string): string =>
    servesMetrics
      ? templateText(`base/parts/${name}.yaml`, {
          port: GATE_METRICS_PORT,
          folder: METRICS_CLIENTS_FOLDER,
        })
      : '';
  return templateText('base/parts/gate.yaml', {
    gateImage: scalar(image),
    port: GATE_PORT,
    probe: GATE_PROBE,
    tlsFolder: GATE_TLS_FOLDER,
    configFolder: GATE_CONFIG_FOLDER,
    metricsPort: part('gate-metrics-port'),
    metricsClients: part('gate-metrics-clients'),
  });
}

/**
 * The gate for a Pod that another tool creates. It is the same container that generated manifests
 * contain for an operator with webhooks.
 */
export function gateSidecar(image: string): ModelContainer {
  const { initContainers } = parseYaml(gateLines(image, false)) as {
    readonly initContainers: readonly ModelContainer[];
  };
  const [gate] = initContainers;
  if (gate === undefined) throw new Error('there is no gate');
  return gate;
}
