/** Metrics that a module brings are on the port of the operator. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { createManager } from '../../operator/low-level.ts';
import { exampleOf } from '../docs/guide.ts';
import { parsedExposition } from '../support/parsed-exposition.ts';
import { folderWith, freePort } from './child.ts';
import { ANYWHERE, invoke } from './invocation.ts';
import { startServer } from './server.ts';

const REGISTRY = `const registry = (name, value) => ({
  getMetricsAsJSON: async () => [{ name, type: 'gauge', help: 'h', values: [{ labels: {}, value }] }],
});
`;
const HEAD = `import { controller, source, withArguments } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
const named = (name) => controller({ name, for: source(configMaps), reconcile: async () => {} });
${REGISTRY}`;

/** The values of the metrics of `names` that a scrape of `port` shows, once there is an answer. */
async function scraped(port: number, names: readonly string[]): Promise<readonly unknown[]> {
  const answer = await eventually(() => fetch(`http://127.0.0.1:${port}/metrics`));
  const found = parsedExposition(await answer.text());
  return names.map((name) => found.get(name)?.samples.map(({ value }) => value));
}

test('[X-4] each metrics registry that modules export or return is read once per scrape', async () => {
  const server = await startServer();
  const port = await freePort();
  const folder = folderWith({
    'shared.ts': `${REGISTRY}export const shared = registry('shop_shared', 3);`,
    'one.ts': `${HEAD}import { shared } from './shared.ts';
      export const metrics = registry('shop_one', 1);
      export default withArguments({
        arguments: { depth: { type: 'string', help: 'd' } },
        create: ({ values }) => ({
          controllers: [named('one')],
          metrics: [registry('shop_two', Number(values.depth)), shared],
        }),
      });`,
    'two.ts': `${HEAD}export { shared as metrics } from './shared.ts';
      export default named('two');`,
  });
  const env = {
    ...{ CHANCERY_API_URL: server.url, CHANCERY_HEALTH_PORT: '0' },
    ...{ CHANCERY_METRICS_PORT: String(port), CHANCERY_LOG_LEVEL: 'error' },
  };
  const operator = invoke(['run', `${folder}/one.ts`, `${folder}/two.ts`, '--', '--depth=2'], {
    env,
  });

  const values = await scraped(port, ['shop_one', 'shop_two', 'shop_shared']);

  operator.stop();
  expect(await operator.exit).toBe(0);
  expect(values).toEqual([[1], [2], [3]]);
  expect(operator.stderr.lines).toEqual([]);
});

test('[X-4] createManager serves the metrics registry of the example in observing.md', async () => {
  const server = await startServer();
  const { default: shop, metrics } = await exampleOf<{
    readonly default: Parameters<typeof createManager>[0]['controllers'][number];
    readonly metrics: NonNullable<Parameters<typeof createManager>[0]['metrics']>;
  }>('guides/operate/observing.md', 'own-metrics.ts');
  const port = await freePort();
  const manager = await createManager({
    controllers: [shop],
    metrics,
    environment: { ...ANYWHERE, CHANCERY_API_URL: server.url, CHANCERY_LOG_LEVEL: 'error' },
    settings: { healthPort: 0, metricsPort: port, namespaces: ['demo'] },
  });
  const running = manager.run();
  server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'demo' },
  });

  await eventually(async () => {
    expect(await scraped(port, ['shop_seen_total'])).toEqual([[1]]);
  });

  await manager.stop();
  await running;
  expect(manager.settings.namespace).toBe('demo');
});
