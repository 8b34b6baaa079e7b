import { configMap, FakeClock, startOperator, startTestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';

/** An operator that gives every ConfigMap a copy, with a field that no ConfigMap has. */
async function start(environment: Readonly<Record<string, string>>) {
  const clock = new FakeClock();
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false, clock } });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  for (const name of ['a', 'b', 'c']) await env.create(configMap(name, { namespace }));
  const copier = controller({
    name: 'copier',
    for: configMaps,
    async reconcile(object, { client }) {
      if (object.metadata.name.startsWith('copy-')) return;
      const name = `copy-${object.metadata.name}`;
      const copy = { ...configMap(name, { namespace }), dtaa: {} } as ConfigMap;
      await client.create(configMaps, copy);
    },
  });
  const url = env.url;
  const operator = startOperator({ url, namespace, clock, environment, controllers: [copier] });
  onTestFinished(() => operator.stop());
  await env.advance(3_000);
  const names = env.server.list('v1', 'ConfigMap', namespace).map(({ metadata }) => metadata.name);
  return { operator, copies: names.filter((name) => name.startsWith('copy-')) };
}

test('[K-47] in production an unknown field is dropped, and logged once, however many objects have it', async () => {
  const { operator, copies } = await start({ NODE_ENV: 'production' });

  expect(copies.toSorted()).toEqual(['copy-a', 'copy-b', 'copy-c']);
  const warnings = operator.log.filter(({ message }) => message === 'the API server warns');
  expect(warnings).toMatchObject([{ level: 'warn', fields: { warning: 'unknown field "dtaa"' } }]);
});

test.each([
  'test',
  'development',
])('[K-47] with NODE_ENV=%s an unknown field causes an error', async (mode) => {
  const { operator, copies } = await start({ NODE_ENV: mode });

  expect(copies).toEqual([]);
  const failures = operator.log.filter(({ message }) => message === 'reconcile failed');
  expect(failures[0]?.fields.err).toMatchObject({
    status: 400,
    message: expect.stringContaining('unknown field "dtaa"'),
  });
});
