import { parseYaml } from 'chancery/low-level';
import { expect, test } from 'vitest';
import { configuration } from '../configuration.ts';
import { durationMs } from '../duration.ts';
import { selectMonitors } from '../monitors.ts';
import type { Prometheus, ServiceMonitor } from '../resources.ts';

const apiVersion = 'monitoring.coreos.com/v1';

function server(serviceMonitorSelector?: Prometheus['spec']['serviceMonitorSelector']): Prometheus {
  return {
    apiVersion,
    kind: 'Prometheus',
    metadata: { name: 'main', namespace: 'shop' },
    spec: {
      replicas: 1,
      version: 'v3.5.0',
      scrapeInterval: '30s',
      retention: '24h',
      enableAdminAPI: false,
      ...(serviceMonitorSelector && { serviceMonitorSelector }),
    },
  };
}

type Endpoint = Partial<ServiceMonitor['spec']['endpoints'][number]>;

function monitor(
  name: string,
  endpoint: Endpoint = { port: 'web' },
  selector: ServiceMonitor['spec']['selector'] = { matchLabels: { app: name } },
): ServiceMonitor {
  return {
    apiVersion,
    kind: 'ServiceMonitor',
    metadata: { name, namespace: 'shop', labels: { team: 'frontend' } },
    spec: { selector, endpoints: [{ path: '/metrics', scheme: 'http', ...endpoint }] },
  };
}

interface Configuration {
  readonly global: object;
  readonly scrape_configs: readonly (Record<string, unknown> & {
    readonly relabel_configs: readonly {
      readonly action?: string;
      readonly source_labels?: readonly string[];
      readonly regex?: string;
    }[];
  })[];
}

const written = (monitors: readonly ServiceMonitor[]): Configuration =>
  parseYaml(configuration(server(), monitors)) as Configuration;

/** Whether Prometheus would scrape a Service with these labels: each rule as Prometheus reads it. */
function isKept(one: ServiceMonitor, labels: Readonly<Record<string, string>>): boolean {
  const meta = Object.entries({ ...labels }).flatMap(([key, value]) => {
    const name = key.replaceAll(/[^a-zA-Z0-9_]/g, '_');
    return [
      [`__meta_kubernetes_service_label_${name}`, value],
      [`__meta_kubernetes_service_labelpresent_${name}`, 'true'],
    ];
  });
  const target: Readonly<Record<string, string>> = Object.fromEntries(meta);
  const rules = written([one]).scrape_configs[0]?.relabel_configs ?? [];
  return rules.every(({ action, source_labels = [], regex = '' }) => {
    const joined = source_labels.map((label) => target[label] ?? '').join(';');
    const matches = new RegExp(`^(?:${regex})$`).test(joined);
    return action === undefined || matches === (action === 'keep');
  });
}

test('an endpoint is scraped with its port, path, scheme and interval', () => {
  const endpoint: Endpoint = { port: 'web', path: '/m', scheme: 'https', interval: '15s' };

  expect(written([monitor('shop', { ...endpoint, scrapeTimeout: '5s' })])).toMatchObject({
    global: {
      scrape_interval: '30s',
      external_labels: { prometheus: 'shop/main', prometheus_replica: '$POD_NAME' },
    },
    scrape_configs: [
      {
        job_name: 'serviceMonitor/shop/shop/0',
        scrape_interval: '15s',
        scrape_timeout: '5s',
        metrics_path: '/m',
        scheme: 'https',
        kubernetes_sd_configs: [{ role: 'endpointslice', namespaces: { names: ['shop'] } }],
      },
    ],
  });
});

test('the Services that match the selector are scraped', () => {
  const select = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', values?: string[]) =>
    monitor(
      'm',
      {},
      { matchExpressions: [{ key: 'app.io/x-y', operator, ...(values && { values }) }] },
    );
  const labels = [{}, { 'app.io/x-y': '' }, { 'app.io/x-y': 'a.b' }, { 'app.io/x-y': 'axb' }];
  const kept = (one: ServiceMonitor) => labels.map((each) => isKept(one, each));

  expect(kept(select('In', ['a.b', 'c']))).toEqual([false, false, true, false]);
  expect(kept(select('NotIn', ['a.b', 'c']))).toEqual([true, true, false, true]);
  expect(kept(select('Exists'))).toEqual([false, true, true, true]);
  expect(kept(select('DoesNotExist'))).toEqual([true, false, false, false]);
  expect(kept(monitor('m', {}, {}))).toEqual([true, true, true, true]);
});

test('a missing selector selects no ServiceMonitor, and an empty selector selects all, sorted by name', () => {
  const all = [monitor('b'), monitor('a')];
  const names = (prometheus: Prometheus) =>
    selectMonitors(prometheus, all).accepted.map(({ metadata }) => metadata.name);

  expect(names(server())).toEqual([]);
  expect(names(server({}))).toEqual(['a', 'b']);
  expect(names(server({ matchLabels: { team: 'backend' } }))).toEqual([]);
});

test('PR3: a ServiceMonitor that Prometheus would not load is rejected, and other ServiceMonitors are used', () => {
  const { accepted, rejected } = selectMonitors(server({}), [
    monitor('slow', { interval: '5s', scrapeTimeout: '6s' }),
    monitor('never', { interval: '0s' }),
    monitor('ages', { interval: '300y' }),
    monitor('usual', { scrapeTimeout: '31s' }),
    monitor('odd', {}, { matchExpressions: [{ key: 'a', operator: 'In' }] }),
    monitor('good', { interval: '1m', scrapeTimeout: '60s' }),
  ]);

  expect(accepted.map(({ metadata }) => metadata.name)).toEqual(['good']);
  expect(Object.fromEntries(rejected.map(({ name, problem }) => [name, problem]))).toEqual({
    ages: 'spec.endpoints[0]: the interval is longer than Prometheus can count',
    never: 'spec.endpoints[0]: the interval is 0',
    odd: 'invalid label selector: operator In needs values',
    slow: 'spec.endpoints[0]: the scrapeTimeout is longer than the interval',
    usual: 'spec.endpoints[0]: the scrapeTimeout is longer than the interval',
  });
});

test('PR4: text in a ServiceMonitor appears in the configuration only as a value', () => {
  const hostile = '/m"\n- job_name: evil # $POD_NAME';

  const { scrape_configs } = written([monitor('shop', { path: hostile })]);

  expect(scrape_configs).toHaveLength(1);
  expect(scrape_configs[0]?.metrics_path).toBe(hostile);
});

test.each([
  ['1h30m', 5_400_000],
  ['1w', 604_800_000],
  ['250ms', 250],
  ['0s', 0],
])('the duration %s is %d ms', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});
