/** The debug lines of a whole manager, as people see them. */
import { PassThrough } from 'node:stream';
import { eventually, startTestEnv } from '@chancery/testing';
import { controller, enqueueMapped, objectKey, source } from 'chancery';
import { configMaps, secrets, statefulSets } from 'chancery/kubernetes';
import { expect, onTestFinished, test } from 'vitest';
import { newManager } from '../../operator/manager/manager.ts';
import { createLogger } from '../../operator/manager/observe/logger.ts';

const secret = (namespace: string, password: string) => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'pw' } },
  stringData: { password },
});

/** Keeps a StatefulSet with as many replicas as the ConfigMap says, and a copy of the Secret. */
const shop = controller({
  name: 'shop',
  for: source(configMaps, { labelSelector: 'shop=yes' }),
  owns: [statefulSets, secrets],
  watches: [
    enqueueMapped(secrets, ({ metadata: { namespace, name } }) =>
      name === 'pw' ? [objectKey(namespace, 'x')] : [],
    ),
  ],
  async reconcile(object, { applyOwned, store }) {
    const { namespace, name = '' } = object.metadata ?? {};
    const labels = { app: name };
    const replicas = Number(object.data?.replicas);
    await applyOwned(statefulSets, {
      ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { namespace, name } },
      spec: {
        replicas,
        serviceName: name,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a:1' }] } },
      },
    } as Parameters<typeof applyOwned>[1]);
    const data = store(secrets).get(objectKey(namespace, 'pw'))?.data ?? {};
    await applyOwned(secrets, {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'copy' } },
      data,
    } as Parameters<typeof applyOwned>[1]);
  },
});

test('[N-8] [N-9] the debug log says why a key was enqueued and what was written, and contains no value of a Secret', async () => {
  await using env = await startTestEnv({ environment: {} });
  const namespace = await env.namespace();
  const stream = new PassThrough();
  let log = '';
  stream.on('data', (chunk) => {
    log += String(chunk);
  });
  const manager = await newManager({
    controllers: [shop],
    environment: { WATCH_NAMESPACE: namespace },
    tokenFolders: [],
    settings: { apiUrl: env.url, healthPort: 0, metricsPort: 0, selfTest: 'off' },
    logger: createLogger('debug', stream, { format: 'pretty' }),
  });
  const running = manager.run();
  onTestFinished(async () => {
    await manager.stop();
    await running;
  });
  await env.create({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { replicas: '2' } },
    metadata: { namespace, name: 'x', labels: { shop: 'yes' } },
  } as never);
  await eventually(() => log.includes(`d StatefulSet ${namespace}/x`));
  await eventually(() => manager.idle);

  await env.patch('v1', 'ConfigMap', namespace, 'x', { data: { replicas: '3' } });
  await eventually(() => log.includes('replicas 2 → 3'));
  await env.create(secret(namespace, 'hunter2') as never);
  await eventually(() => log.includes(`applied Secret ${namespace}/copy: data added`));
  await env.patch('v1', 'Secret', namespace, 'pw', { stringData: { password: 'hunter3' } });
  await eventually(() => log.includes('data.password changed'));

  expect(log).toContain(`applied StatefulSet ${namespace}/x: spec.replicas 2 → 3`);
  expect(log).toContain(`woken by Secret ${namespace}/pw via mapping, created`);
  expect(log).toContain(`applied Secret ${namespace}/copy: data.password changed`);
  for (const password of ['hunter2', 'hunter3']) {
    expect(log).not.toContain(password);
    expect(log).not.toContain(Buffer.from(password).toString('base64'));
  }
});
