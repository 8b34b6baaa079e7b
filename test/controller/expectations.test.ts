/** A cache that is two seconds behind, and a controller that asks it how many children there are. */

import { ApiServer, eventually, startOperator } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { configMaps, deployments } from '../../operator/model/builtin.ts';
import { replicasController } from './replicas.ts';

const WANTED = 5;

test('[K-65] exactly the wanted number of children is created, even if the cache is 2 s behind', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const parent = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'parent', namespace: 'default', annotations: { poked: '0' } },
    spec: {
      replicas: WANTED,
      selector: { matchLabels: { app: 'parent' } },
      template: {
        metadata: { labels: { app: 'parent' } },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
    },
  };
  server.applyManifest(JSON.stringify(parent));
  server.setCacheLag(2_000);
  const operator = startOperator({
    url: server.url,
    namespace: 'default',
    controllers: [
      replicasController({
        parents: deployments,
        children: configMaps,
        consistency: 'overlay',
        replicas: () => WANTED,
        child: ({ metadata }) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            name: '',
            generateName: `${metadata.name}-`,
            ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
            labels: { app: 'web' },
          },
        }),
      }),
    ],
  });
  onTestFinished(() => operator[Symbol.asyncDispose]());
  const children = (): number =>
    server
      .list('v1', 'ConfigMap', 'default')
      .filter(({ metadata }) => metadata.labels?.app === 'web').length;
  const reconciles = (): number => operator.meter.value('controller_runtime_reconcile_total');

  await eventually(() => children() === WANTED, { timeoutMs: 20_000 });
  const once = reconciles();
  const poked = { ...parent.metadata, annotations: { poked: '1' } };
  server.applyManifest(JSON.stringify({ ...parent, metadata: poked }));
  await eventually(() => reconciles() > once + 1, { timeoutMs: 20_000 });

  expect(children()).toBe(WANTED);
}, 60_000);
