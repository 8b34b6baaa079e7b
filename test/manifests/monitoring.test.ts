/** Alerts and the dashboard in the manifests of an operator. */
import { expect, test } from 'vitest';
import { parseYaml } from '../../operator/core/yaml.ts';
import type { ManifestsOptions } from '../../operator/generate/manifests/manifests-options.ts';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import { operatorModel } from '../../operator/generate/manifests/operator-model.ts';
import { seriesWith } from '../../operator/generate/monitoring/series.ts';
import { options, SITE } from './support/trees.ts';

function filesOf(changed: Partial<ManifestsOptions>): ReadonlyMap<string, string> {
  const files = operatorManifests([SITE], options(changed));
  return new Map(files.map(({ path, text }) => [path, text]));
}

const MONITORING = 'components/monitoring';

test('the PodMonitor gives Pods the job label by which alerts and dashboard select them', () => {
  const { components, monitoring } = operatorModel([SITE], options({ name: 'plants' }));
  const [monitor] = components.prometheus.objects as unknown as readonly [
    { spec: { podMetricsEndpoints: readonly { relabelings: readonly object[] }[] } },
  ];

  expect(monitor.spec.podMetricsEndpoints).toMatchObject([
    { relabelings: [{ targetLabel: 'job', replacement: 'plants' }] },
  ]);
  expect(JSON.stringify(monitoring.rules)).toContain(String.raw`up{job=\"plants\"}`);
  expect(monitoring.dashboard.data['plants.json']).toContain(String.raw`up{job=\"plants\",`);
});

test('a metrics prefix is set in the Deployment, and every toolkit metric in alerts and dashboard has the prefix', () => {
  const files = filesOf({ metricsPrefix: 'shop_' });

  expect(files.get('base/deployment.yaml')).toMatch(
    /- name: CHANCERY_METRICS_PREFIX .*\n +value: shop_\n/,
  );
  for (const name of ['rules.yaml', 'dashboard.json']) {
    const text = files.get(`${MONITORING}/${name}`) ?? '';
    expect(text).toContain('shop_source_state{');
    expect(text).not.toMatch(/chancery_\w+\{/);
  }
});

test('without a metrics prefix the Deployment has no variable for it', () => {
  expect(filesOf({}).get('base/deployment.yaml')).not.toContain('CHANCERY_METRICS_PREFIX');
});

test.each(['9shop_', 'shop-', ''])('the metrics prefix %j is refused', (metricsPrefix) => {
  expect(() => filesOf({ metricsPrefix })).toThrow(/metricsPrefix must be letters/);
});

test('manifests that use the components of another folder have no alerts', () => {
  const paths = [...filesOf({ components: '../there' }).keys()];

  expect(paths.filter((path) => path.startsWith(MONITORING))).toEqual([]);
});

test('the dashboard has no panels for features that the operator does not have', () => {
  const titlesOf = (changed: Partial<ManifestsOptions>): readonly string[] => {
    const text = filesOf(changed).get(`${MONITORING}/dashboard.json`) ?? '';
    const { panels } = parseYaml(text) as { panels: readonly { title: string }[] };
    return panels.map(({ title }) => title);
  };

  expect(titlesOf({ leaderElection: false })).not.toContain('Replicas that lead');
  expect(titlesOf({})).toContain('Replicas that lead');
  expect(titlesOf({})).not.toContain('Groups by phase');
  expect(titlesOf({ shards: 4 })).toContain('Groups by phase');
});

test('a query with an unknown metric or label is reported as a bug', () => {
  const series = seriesWith('job="a"', { prefix: 'b_' });

  expect(series('chancery_source_state', 'state="healthy"')).toBe(
    'b_source_state{job="a",state="healthy"}',
  );
  expect(() => series('chancery_sources')).toThrow('no metric is called chancery_sources');
  expect(() => series('workqueue_depth', 'state="a"')).toThrow(
    'workqueue_depth has no label state',
  );
});
