import { type LabelSelector, selectorFromObject } from 'chancery';
import { formatYaml } from 'chancery/low-level';
import type { Endpoint, Prometheus, ServiceMonitor } from './resources.ts';

/**
 * The configuration file of a Prometheus server: the same text for the same monitors in the same order.
 * It is written from an object, so that nothing in a ServiceMonitor can become more than a value.
 */
export function configuration(
  { metadata: { namespace = '', name }, spec }: Prometheus,
  monitors: readonly ServiceMonitor[],
): string {
  return formatYaml({
    global: {
      scrape_interval: spec.scrapeInterval,
      evaluation_interval: spec.scrapeInterval,
      // Prometheus puts its environment in here: each replica's series are told apart.
      external_labels: { prometheus: `${namespace}/${name}`, prometheus_replica: '$POD_NAME' },
    },
    scrape_configs: monitors.flatMap((monitor) =>
      monitor.spec.endpoints.map((endpoint, at) => scrapeConfig(monitor, endpoint, at)),
    ),
  });
}

function scrapeConfig(
  { metadata: { namespace = '', name }, spec }: ServiceMonitor,
  { port, path, scheme, interval, scrapeTimeout }: Endpoint,
  at: number,
): object {
  return {
    job_name: `serviceMonitor/${namespace}/${name}/${at}`,
    ...(interval !== undefined && { scrape_interval: interval }),
    ...(scrapeTimeout !== undefined && { scrape_timeout: scrapeTimeout }),
    metrics_path: path,
    scheme,
    kubernetes_sd_configs: [{ role: 'endpointslice', namespaces: { names: [namespace] } }],
    relabel_configs: [
      ...selectionOf(spec.selector),
      ...(port === undefined ? [] : [keepPort(port)]),
      ...LABELS.map(([source, target]) => ({ source_labels: [source], target_label: target })),
      ...(port === undefined ? [] : [{ target_label: 'endpoint', replacement: port }]),
    ],
  };
}

/** What a series is told apart by. */
const LABELS = [
  ['__meta_kubernetes_namespace', 'namespace'],
  ['__meta_kubernetes_service_name', 'service'],
  ['__meta_kubernetes_service_name', 'job'],
  ['__meta_kubernetes_pod_name', 'pod'],
  ['__meta_kubernetes_pod_container_name', 'container'],
] as const;

function keepPort(port: string): object {
  const source_labels = ['__meta_kubernetes_endpointslice_port_name'];
  return { action: 'keep', source_labels, regex: literal(port) };
}

/** The label selector of Services as rules that keep or drop targets. */
function selectionOf(selector: LabelSelector): readonly object[] {
  return selectorFromObject(selector).map(({ key, operator, values }) => {
    const label = key.replaceAll(/[^a-zA-Z0-9_]/g, '_');
    const present = `__meta_kubernetes_service_labelpresent_${label}`;
    const action = operator === 'notin' || operator === 'absent' ? 'drop' : 'keep';
    if (values.length === 0) return { action, source_labels: [present], regex: 'true' };
    return {
      action,
      source_labels: [`__meta_kubernetes_service_label_${label}`, present],
      regex: `(${values.map(literal).join('|')});true`,
    };
  });
}

/** A regular expression for this very text. */
function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
