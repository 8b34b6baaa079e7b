/**
 * Alerts and the dashboard of a chart are those of kustomize, for the release.
 *
 * @module-tag go
 */
import { expect, test } from 'vitest';
import { operatorModel } from '../../../../operator/generate/manifests/operator-model.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { SITE, WEBSITE } from '../../../../test/manifests/support/trees.ts';
import { renderChart, rendered } from '../helm/render-chart.ts';
import { chartOf, comparable, websiteModel } from './support/charts.ts';

const KINDS = ['PodMonitor', 'PrometheusRule', 'ConfigMap'];

function shown(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return objects.filter(({ kind }) => KINDS.includes(kind ?? ''));
}

const NAMED = { release: 'garden', namespace: 'shop', values: {} };

test('a release has alerts and a dashboard only if the values enable them', async () => {
  const switches = [{}, { rules: true }, { dashboard: true }, { rules: true, dashboard: true }];

  const results = await renderChart(
    chartOf(websiteModel()),
    switches.map((prometheus) => ({ ...NAMED, values: { prometheus } })),
  );

  const kinds = results.map((result) => shown(rendered(result).objects).map(({ kind }) => kind));
  expect(kinds.map((each) => each.toSorted())).toEqual([
    [],
    ['PrometheusRule'],
    ['ConfigMap'],
    ['ConfigMap', 'PrometheusRule'],
  ]);
});

test("a release has the same alerts and dashboard as an operator with the release's name and namespace", async () => {
  const prometheus = { enabled: true, rules: true, dashboard: true };
  const fullnameOverride = 'plants';

  const [result] = await renderChart(chartOf(websiteModel({ metricsPrefix: 'shop_' })), [
    { ...NAMED, values: { prometheus, fullnameOverride } },
  ]);

  if (result === undefined) throw new Error('a render is missing');
  const named = { name: fullnameOverride, namespace: 'shop', metricsPrefix: 'shop_' };
  const { components, monitoring } = operatorModel([SITE], { ...WEBSITE.options, ...named });
  const expected = [
    ...components.prometheus.objects,
    monitoring.rules,
    monitoring.dashboard,
  ] as readonly KubernetesObject[];
  expect(comparable(shown(rendered(result).objects))).toEqual(comparable(expected));
});

test('labels from the values are set on the objects that Prometheus selects by labels', async () => {
  const labels = { release: 'kube-prometheus-stack' };
  const prometheus = { enabled: true, rules: true, dashboard: true, labels };

  const [result] = await renderChart(chartOf(websiteModel()), [
    { ...NAMED, values: { prometheus } },
  ]);

  if (result === undefined) throw new Error('a render is missing');
  const labelled = shown(rendered(result).objects)
    .filter(({ metadata }) => metadata.labels?.release === labels.release)
    .map(({ kind }) => kind);
  expect(labelled.toSorted()).toEqual(['PodMonitor', 'PrometheusRule']);
});
