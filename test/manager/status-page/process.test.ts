/** What the page is fed with, from a whole operator on the embedded API server. */

import {
  configMap,
  eventually,
  freePort,
  type Secret,
  secret,
  startOperator,
  startTestEnv,
} from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { controller } from '../../../operator/controller/controller.ts';
import { TerminalError } from '../../../operator/controller/errors.ts';
import { configMaps } from '../../../operator/model/builtin.ts';
import { defineResource, type Resource } from '../../../operator/model/resource.ts';

const secrets: Resource<Secret> = defineResource({
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
});

const copier = controller({
  name: 'copier',
  for: secrets,
  owns: [configMaps],
  permissions: [{ resource: configMaps, verbs: ['create'] }],
  async reconcile(found, { client }) {
    if (found.metadata.name === 'kept') return;
    const { name, namespace = '' } = found.metadata;
    await client.create(configMaps, configMap(`copy-of-${name}`, { namespace }));
    const message = `cannot copy ${JSON.stringify(found.data)}`;
    throw name === 'terminal' ? new TerminalError(message) : new Error(message);
  },
});

test('[security 22] [attack A-4] the status shows sources, queues, failures and writes, and no content of a Secret', async () => {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  await env.create(secret('kept', { namespace }));
  const password = Buffer.from('hunter2').toString('base64');
  await env.create({ ...secret('password', { namespace }), data: { password } });
  await env.create({ ...secret('terminal', { namespace }), data: { password } });
  const operator = startOperator({ url: env.url, namespace, controllers: [copier] });
  onTestFinished(() => operator.stop());
  const outcomes = (): readonly string[] => operator.status.recent.map(({ outcome }) => outcome);
  await eventually(() => outcomes().includes('error') && outcomes().includes('terminal'));

  const { status } = operator;

  expect(status).toMatchObject({ phase: 'running', ready: true, leadership: undefined });
  expect(status.sources).toContainEqual(
    expect.objectContaining({
      resource: 'secrets',
      namespace,
      health: 'healthy',
      synced: true,
      objects: 3,
      lastListSeconds: expect.any(Number),
    }),
  );
  expect(status.controllers).toMatchObject([
    { name: 'copier', working: true, workers: 1, failing: expect.any(Number) },
  ]);
  expect(status.recent.at(-1)).toMatchObject({
    controller: 'copier',
    key: expect.stringContaining('/'),
  });
  expect(status.recent).toContainEqual(
    expect.objectContaining({ outcome: 'error', key: `${namespace}/password`, error: 'Error' }),
  );
  expect(status.recent.find(({ outcome }) => outcome === 'terminal')).toMatchObject({
    key: `${namespace}/terminal`,
    error: 'TerminalError USER_CODE (user-code)',
  });
  expect(status.writesPerMinute.reduce((sum, count) => sum + count)).toBeGreaterThan(0);
  expect(JSON.stringify(status)).not.toMatch(new RegExp(`hunter2|${password}`));
  await operator.stop();
  expect(operator.status.phase).toBe('stopping');
});

test('[security 22] [attack A-4] the explanation of a key contains its attempts, and no content of a Secret', async () => {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  const password = Buffer.from('hunter2').toString('base64');
  await env.create({ ...secret('password', { namespace }), data: { password } });
  const port = await freePort();
  const operator = startOperator({
    ...{ url: env.url, namespace, controllers: [copier] },
    environment: { CHANCERY_HEALTH_PORT: String(port), CHANCERY_HEALTH_HOST: '127.0.0.1' },
  });
  onTestFinished(() => operator.stop());
  await eventually(() => operator.status.failing.length > 0);
  const ask = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}/${path}`)).text();

  const why = await ask(`why.json?key=${namespace}/password`);
  const keys = await ask('keys.json?search=pass');

  expect(JSON.parse(why)).toMatchObject({
    asked: ['copier'],
    known: [
      {
        ...{ controller: 'copier', object: 'cached' },
        last: { wokenBy: { causes: [{ cause: expect.any(String) }] } },
      },
    ],
  });
  expect(JSON.parse(keys)).toMatchObject({ matching: 1, keys: [{ controller: 'copier' }] });
  expect(`${why}${keys}`).not.toMatch(new RegExp(`hunter2|${password}|cannot copy`));
});
