/** docs/guides/operate/observing.md: what it says of metrics that only clients with a certificate read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseYamlDocuments } from '../../operator/core/yaml.ts';
import { readGateConfig } from '../../operator/generate/gate/gate-config.ts';
import { folderWith } from '../cli/child.ts';
import { invoke } from '../cli/invocation.ts';
import { guide, rowsOf } from './guide.ts';

const page = guide('guides/operate/observing.md');
const [, rest = ''] = page.split('## Metrics behind authentication\n');
const [chapter = ''] = rest.split(/^## /m);
const [command = '', ...otherCommands] = chapter
  .split('\n')
  .flatMap((line) => (line.startsWith('    ') ? [line.trim()] : []));

const OPERATOR = `
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
export default controller({ name: 'shop', for: configMaps, reconcile() {} });`;

/** Runs the command of the page in a folder with `operator.ts`. Returns a reader of what it writes. */
async function generated(more: readonly string[] = []) {
  const folder = folderWith({ 'operator.ts': OPERATOR });
  // In this folder, and not in the one in which the tests run.
  const args = command
    .replace(' operator.ts ', ` ${join(folder, 'operator.ts')} `)
    .replace(/ -o manifests$/, ` -o ${join(folder, 'manifests')}`)
    .split(' ')
    .slice(1);
  expect(args.filter((arg) => arg.startsWith(folder))).toHaveLength(2);
  const { exit, stderr } = invoke([...args, ...more]);
  return {
    outcome: [await exit, stderr.lines.join('\n')] as const,
    read: (path: string): string => readFileSync(join(folder, 'manifests', path), 'utf8'),
  };
}

test("the command in observing.md generates a gate for metrics, and the operator's metrics on loopback", async () => {
  const { outcome, read } = await generated();

  expect(outcome[0]).toBe(0);
  expect(otherCommands).toEqual([]);
  const [gate] = parseYamlDocuments(read('base/gate.yaml')).filter(
    (object) => (object as { kind: string }).kind === 'ConfigMap',
  ) as { data: Record<string, string> }[];
  const { metrics } = readGateConfig(gate?.data['gate.conf'] ?? '') ?? {};
  const port = metrics?.listen[0]?.split(':').at(-1);
  expect(chapter).toContain(`serves \`/metrics\` on port ${port}`);
  expect(chapter).toContain(`https://NAME-gate.NAMESPACE.svc:${port}/metrics`);
  expect(read('base/deployment.yaml')).toMatch(/CHANCERY_METRICS_HOST .*\n +value: 127\.0\.0\.1\n/);
});

test('observing.md lists the Secret keys for scrapers that the gate and the PodMonitor use', async () => {
  const { read } = await generated();
  const [, authorities, client] = rowsOf(chapter).map(([keys = '']) =>
    [...keys.matchAll(/`([^`]+)`/g)].map(([, key]) => key),
  );

  const [deployment] = parseYamlDocuments(read('base/deployment.yaml')) as {
    spec: { template: { spec: { volumes: { name: string; secret?: unknown }[] } } };
  }[];
  expect(
    deployment?.spec.template.spec.volumes.find(({ name }) => name === 'metrics-clients')?.secret,
  ).toEqual({
    secretName: 'shop-scraper',
    items: authorities?.map((key) => ({ key, path: key })),
  });
  const [monitor] = parseYamlDocuments(read('components/prometheus/pod-monitor.yaml')) as {
    spec: { podMetricsEndpoints: { tlsConfig: unknown }[] };
  }[];
  expect(monitor?.spec.podMetricsEndpoints[0]?.tlsConfig).toMatchObject({
    cert: { secret: { name: 'shop-scraper', key: client?.[0] } },
    keySecret: { name: 'shop-scraper', key: client?.[1] },
  });
});

test.each([
  [['--certificates', 'chancery'], '--certificates chancery makes certificates for webhooks'],
  [['--components', '../shared'], 'leave out --components'],
])('`generate manifests` refuses guarded metrics together with %j', async (more, words) => {
  const { outcome } = await generated(more);

  expect(outcome).toEqual([2, expect.stringContaining(words)]);
});

test('`generate bundle` refuses guarded metrics, and says why', async () => {
  const folder = folderWith({ 'operator.ts': OPERATOR });

  const { exit, stderr } = invoke([
    ...['generate', 'bundle', join(folder, 'operator.ts'), '-o', join(folder, 'bundle')],
    ...['--metrics-client-ca', 'shop-scraper'],
  ]);

  expect(await exit).toBe(2);
  expect(stderr.lines.join('\n')).toContain('a bundle has no gate');
});
