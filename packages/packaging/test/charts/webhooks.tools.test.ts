/**
 * A chart of an operator with webhooks renders what kustomize renders, whatever the source of the certificate.
 *
 * @module-tag go
 */
import { expect, test } from 'vitest';
import { certificatesOperator } from '../../../../operator/generate/manifests/certificates-operator.ts';
import {
  overlayComponents,
  renderedObjects,
} from '../../../../operator/generate/manifests/rendered-objects.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import {
  CLOSED,
  configuredIn,
  GATE,
  OF_DEPLOYMENTS,
  OF_NAMESPACES,
  OF_PODS,
  SOURCES,
  webhookModelOf,
} from '../../../../test/manifests/support/webhooks.ts';
import { renderChart, rendered } from '../helm/render-chart.ts';
import { chartOf, comparable } from './support/charts.ts';

const ALL = [OF_DEPLOYMENTS, OF_PODS, OF_NAMESPACES];
const SAME = { release: 'website', namespace: 'website' };

test.each(
  SOURCES,
)('with $certificates, the chart renders the same objects as kustomize in each scope', async (gate) => {
  const model = webhookModelOf(ALL, { gate });
  const scopes = ['cluster-scoped', 'namespaced'] as const;

  const results = await renderChart(
    chartOf(model),
    scopes.map((scope) => ({ ...SAME, values: { rbac: { namespaced: scope === 'namespaced' } } })),
  );

  for (const [at, scope] of scopes.entries()) {
    const result = results[at];
    if (result === undefined) throw new Error('a render is missing');
    const components = overlayComponents(model);
    const expected = [
      ...renderedObjects(model, { scope, components }),
      ...certificatesOperator(model),
    ];
    expect({ scope, objects: comparable(rendered(result).objects) }).toEqual({
      scope,
      objects: comparable(expected),
    });
  }
});

test.each([
  ['only the metrics', []],
  ['the metrics and webhooks', ALL],
])('metrics are scraped and protected as with kustomize if the gate guards %s', async (_what, webhooks) => {
  const model = webhookModelOf(webhooks, { gate: { ...GATE, metricsClientCa: 'scraper' } });

  const [result] = await renderChart(chartOf(model), [
    { ...SAME, values: { prometheus: { enabled: true } } },
  ]);

  if (result === undefined) throw new Error('a render is missing');
  const components = [...overlayComponents(model), 'prometheus'] as const;
  const expected = renderedObjects(model, { scope: 'cluster-scoped', components });
  expect(comparable(rendered(result).objects)).toEqual(comparable(expected));
  expect(JSON.stringify(expected)).toContain('"scheme":"https"');
});

test('[admission 20] only the certificates role of a chart with webhooks has permissions for webhook configurations', async () => {
  for (const gate of SOURCES) {
    const [result] = await renderChart(chartOf(webhookModelOf(ALL, { gate })), [
      { release: 'site', namespace: 'demo', values: {} },
    ]);
    if (result === undefined) throw new Error('a render is missing');

    const roles = rendered(result).objects.filter(({ kind }) => /Role$/.test(kind));
    const withRight = roles
      .filter((role) => JSON.stringify(role).includes('admissionregistration.k8s.io'))
      .map(({ metadata }) => metadata.name);
    expect(withRight.every((name) => name.endsWith('-certs'))).toBe(true);
    expect(withRight.length > 0).toBe(gate.certificates === 'chancery');
  }
});

test("all names of the gate in a release contain the release's name", async () => {
  const model = webhookModelOf(ALL);
  const values = { watch: { namespaces: ['a', 'b'] } };

  const [result] = await renderChart(chartOf(model), [
    { release: 'site', namespace: 'demo', values: { ...values, fullnameOverride: 'pages' } },
  ]);

  if (result === undefined) throw new Error('a render is missing');
  const { objects } = rendered(result);
  const text = JSON.stringify(objects);
  expect(text).toContain('demo/pages-gate');
  expect(text).toContain('pages-gate.demo.svc');
  for (const { clientConfig, namespaceSelector } of configuredIn(objects as KubernetesObject[])) {
    expect(clientConfig.service).toMatchObject({ name: 'pages-gate', namespace: 'demo' });
    expect(namespaceSelector.matchExpressions).toContainEqual({
      key: 'kubernetes.io/metadata.name',
      operator: 'In',
      values: ['a', 'b'],
    });
  }
});

test('if a webhook has failurePolicy Fail, there are two replicas, and no value reduces them', async () => {
  const [plain, refused] = await renderChart(chartOf(webhookModelOf([CLOSED])), [
    { ...SAME, values: {} },
    { ...SAME, values: { highAvailability: false } },
  ]);

  if (plain === undefined || refused === undefined) throw new Error('a render is missing');
  expect(rendered(plain).objects).toContainEqual(
    expect.objectContaining({ kind: 'PodDisruptionBudget' }),
  );
  expect(JSON.stringify(refused)).toContain('has failurePolicy Fail');
});
