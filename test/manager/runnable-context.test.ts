import { ApiServer, eventually, startOperator } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type Runnable, runnable, source } from '../../operator/index.ts';
import { configMaps, secrets } from '../../operator/kubernetes.ts';
import { rbac } from '../../operator/low-level.ts';
import { declaringRunnables } from '../../operator/manager/runnable.ts';

type Context = Parameters<Runnable['run']>[1];

const CONFIG_MAPS = source(configMaps, { namespace: { name: 'demo' } });

test('a runnable with sources starts when the sources are watched, and reads them from the shared cache', async () => {
  const contexts: Context[] = [];
  const { operator } = await start({ sources: [CONFIG_MAPS] }, (context) => contexts.push(context));
  await eventually(() => operator.ready && contexts.length === 1);
  const [context] = contexts;

  const handle = context?.open(CONFIG_MAPS);
  onTestFinished(() => handle?.release());

  expect(operator.status.sources).toHaveLength(1);
  expect(Array.from(handle?.informer.entries() ?? [], ({ key }) => key)).toContain('demo/a');
});

test('a runnable can write with its client, and discovery finds a resource by any of its names', async () => {
  const contexts: Context[] = [];
  const { server } = await start({ sources: [CONFIG_MAPS] }, (context) => contexts.push(context));
  await eventually(() => contexts.length === 1);
  const [context] = contexts;
  const metadata = { name: 'b', namespace: 'demo' };

  await context?.client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const found = await context?.discover('cm', new AbortController().signal);

  expect(server.get('v1', 'ConfigMap', 'demo', 'b')).toBeDefined();
  expect(found).toMatchObject({ plural: 'configmaps', version: 'v1', group: '' });
});

test('the status page shows the status of a runnable', async () => {
  const { operator } = await start({
    sources: [],
    status: () => ({ fields: [{ name: 'north' }] }),
  });
  await eventually(() => operator.status.runnables[0]?.running === true);

  expect(operator.status.runnables).toEqual([
    { name: 'farm', running: true, state: { fields: [{ name: 'north' }] } },
  ]);
});

test('the generated roles contain the permissions that a runnable declares, each in its namespaces', () => {
  const farm = farmer({
    sources: [CONFIG_MAPS],
    permissions: [
      { resource: secrets, verbs: ['create'], namespaces: ['copies'] },
      { resource: secrets, verbs: ['get'] },
    ],
  });

  const roles = rbac(declaringRunnables([farm]), {
    namespaces: ['demo'],
    name: 'farm',
    serviceAccount: { name: 'farm', namespace: 'demo' },
  }).flatMap((object) =>
    'rules' in object
      ? object.rules.map(({ resources, verbs }) => [
          object.metadata.namespace,
          ...resources,
          ...verbs,
        ])
      : [],
  );

  expect(roles).toEqual([
    ['copies', 'secrets', 'create'],
    ['copies', 'events', 'create', 'patch'],
    ['demo', 'configmaps', 'get', 'list', 'watch'],
    ['demo', 'secrets', 'get'],
    ['demo', 'events', 'create', 'patch'],
  ]);
});

function farmer(
  declared: Partial<Runnable>,
  began: (context: Context) => void = () => {},
): Runnable {
  return runnable({
    name: 'farm',
    ...declared,
    run: async (signal, context) => {
      began(context);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
  });
}

async function start(declared: Partial<Runnable>, began?: (context: Context) => void) {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  const metadata = { name: 'a', namespace: 'demo' };
  server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const runnables = [farmer(declared, began)];
  const operator = startOperator({ url: server.url, controllers: [], runnables });
  onTestFinished(() => operator.stop());
  return { server, operator };
}
