import { readFileSync } from 'node:fs';
import { customResource, eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { crdYaml } from 'chancery/schema';
import { expect, test } from 'vitest';
import { prometheuses, serviceMonitors } from '../resources.ts';
import {
  CHILD,
  edit,
  jobs,
  prometheus,
  remove,
  sample,
  says,
  scale,
  scaleTo,
  set,
  start,
} from './support.ts';

test.each([
  ['prometheuses', prometheuses],
  ['servicemonitors', serviceMonitors],
] as const)('the shipped definition of %s is generated from the schema', async (name, own) => {
  await expect(crdYaml(own)).toMatchFileSnapshot(`../crds/${name}.monitoring.coreos.com.yaml`);
});

test('PR1: the definition declares its subresources in the version, where the API server reads them', () => {
  const { spec } = prometheuses.definition;

  expect(spec).not.toHaveProperty('subresources');
  expect(spec.versions[0]?.subresources).toEqual({
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.labelSelector',
    },
  });
});

test('PR2: the sample sets no replicas, and /scale still reports one replica', async () => {
  const place = await start({ stopped: true }); // by the definition alone: nothing has written a status

  await place.apply(sample);

  expect(await scale(place)).toMatchObject({ spec: { replicas: 1 } });
  const text = readFileSync(new URL('prometheus.yaml', sample), 'utf8');
  expect(text).not.toContain('replicas');
});

test('acceptance 1: a write to /scale reaches the StatefulSet, and /scale returns its replicas and the selector', async () => {
  const place = await start();
  await place.apply(sample);
  await says(place, 'ReplicasAvailable');

  await scaleTo(place, 3);
  const live = await eventually(async () => {
    const found = await prometheus(place);
    return found?.status?.availableReplicas === 3 && found;
  });

  expect((await set(place))?.spec?.replicas).toBe(3);
  expect(await scale(place)).toMatchObject({
    spec: { replicas: 3 },
    status: {
      replicas: 3,
      selector: 'app.kubernetes.io/name=prometheus,app.kubernetes.io/instance=prometheus',
    },
  });
  expect(live.status?.conditions).toMatchObject([
    { type: 'Available', status: 'True' },
    { type: 'Reconciled', status: 'True' },
  ]);
});

test('acceptance 2: writing .status through the main resource has no effect', async () => {
  const place = await start();
  await place.apply(sample);
  const before = await says(place, 'ReplicasAvailable');

  await edit(place, 'Prometheus', 'prometheus', {
    status: { replicas: 99, labelSelector: 'app=other' },
  });

  const after = await prometheus(place);
  expect(after?.status).toEqual(before.status);
  expect(after?.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
});

test('acceptance 3: a ServiceMonitor is added to the configuration by its label, and removed with it', async () => {
  const place = await start();
  await place.apply(new URL('prometheus.yaml', sample));
  await says(place, 'ReplicasAvailable');
  expect(await jobs(place)).toEqual([]);
  const job = `serviceMonitor/${place.namespace}/shop/0`;

  await place.apply(new URL('service-monitor.yaml', sample));
  await eventually(async () => (await jobs(place)).includes(job));
  await edit(place, 'ServiceMonitor', 'shop', { metadata: { labels: { team: 'backend' } } });
  await eventually(async () => (await jobs(place)).length === 0);
  await edit(place, 'ServiceMonitor', 'shop', { metadata: { labels: { team: 'frontend' } } });
  await eventually(async () => (await jobs(place)).includes(job));
  await remove(place, 'ServiceMonitor', 'shop');
  await eventually(async () => (await jobs(place)).length === 0);
});

test('acceptance 4: an autoscaler finds the Pods by the selector that /scale returns', async () => {
  const place = await start();
  await place.apply(sample);
  await edit(place, 'Prometheus', 'prometheus', { spec: { replicas: 2 } });
  await eventually(async () => (await prometheus(place))?.status?.availableReplicas === 2);

  await place.env.create(
    customResource('autoscaling/v2', 'HorizontalPodAutoscaler', 'prometheus', {
      namespace: place.namespace,
      spec: {
        scaleTargetRef: {
          apiVersion: 'monitoring.coreos.com/v1',
          kind: 'Prometheus',
          name: 'prometheus',
        },
        minReplicas: 1,
        maxReplicas: 4,
      },
    }),
  );
  const { status } = await scale(place);
  const query = `labelSelector=${encodeURIComponent(status.selector)}`;
  const answer = await fetch(`${place.env.url}/api/v1/namespaces/${place.namespace}/pods?${query}`);
  const { items } = (await answer.json()) as { readonly items: readonly KubernetesObject[] };

  expect(items.map(({ metadata }) => metadata.name)).toEqual([`${CHILD}-0`, `${CHILD}-1`]);
});
