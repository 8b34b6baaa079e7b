import type { KubernetesObject } from '../../model/object.ts';
import { type Alert, alertsOf } from './alerts.ts';
import { type DashboardOptions, dashboardText } from './dashboard.ts';
import { seriesWith } from './series.ts';

export interface MonitoringOptions extends DashboardOptions {
  /** The namespace of the operator. */
  readonly namespace: string;
}

/**
 * The objects with which users see the state of an operator: alerts for Prometheus, and a dashboard
 * for Grafana.
 */
export interface Monitoring {
  /** The alerts as a PrometheusRule of the Prometheus Operator. */
  readonly rules: KubernetesObject;
  /** The ConfigMap in which the sidecar of Grafana's chart finds the dashboard. */
  readonly dashboard: KubernetesObject & { readonly data: Readonly<Record<string, string>> };
}

/** The page with the remedy for each alert. It is part of the documentation of the toolkit. */
const RUNBOOK = 'docs/guides/operate/alerts.md';

/**
 * The dashboard's key in the ConfigMap. It must be unique, because Grafana's sidecar puts the keys
 * of all ConfigMaps into one folder.
 */
export function dashboardFile(name: string): string {
  return `${name}.json`;
}

/**
 * The objects for monitoring, in the operator's namespace. Both select the operator's Pods by the
 * `job` that the PodMonitor in the manifests sets.
 */
export function monitoringOf(options: MonitoringOptions): Monitoring {
  const { name, namespace, prefix } = options;
  const series = seriesWith(`job=${JSON.stringify(name)}`, { prefix });
  return {
    rules: {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name, namespace },
      ...{ spec: { groups: [{ name, rules: alertsOf(series).map(ruleOf) }] } },
    },
    dashboard: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${name}-dashboard`, namespace, labels: { grafana_dashboard: '1' } },
      data: { [dashboardFile(name)]: dashboardText(options) },
    },
  };
}

function ruleOf({ name, severity, expr, for: wait, summary, description }: Alert): object {
  return {
    alert: name,
    expr,
    ...(wait !== undefined && { for: wait }),
    labels: { severity },
    annotations: { summary, description, runbook: `${RUNBOOK}#${name.toLowerCase()}` },
  };
}
