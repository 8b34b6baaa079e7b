/** The decorator of the guide, run as it stands there. */
import { deployment, eventually, startOperator, startTestEnv } from '@chancery/testing';
import type { Controller, KubernetesObject } from 'chancery';
import type { Deployment, Service } from 'chancery/kubernetes';
import { expect, onTestFinished, test } from 'vitest';
import { exampleOf } from './guide.ts';

test('expose: an annotated Deployment gets a Service, until the annotation is removed', async () => {
  const env = await startTestEnv({ environment: {} });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  const { default: expose } = await exampleOf<{ readonly default: Controller }>(
    'guides/write/composites.md',
    'expose.ts',
  );
  const operator = startOperator({ url: env.url, namespace, controllers: [expose] });
  onTestFinished(() => operator.stop());
  const settings = (data: object) =>
    ({
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'expose', namespace } },
      data,
    }) as KubernetesObject;
  const service = () => env.get<Service>('v1', 'Service', namespace, 'web');
  const web = () => env.get<Deployment>('apps/v1', 'Deployment', namespace, 'web');
  const annotate = (port: string | null) =>
    env.patch('apps/v1', 'Deployment', namespace, 'web', {
      metadata: { annotations: { 'example.dev/expose-port': port } },
    });
  await env.create(deployment('web', { namespace }));

  await annotate('80');
  await eventually(async () => (await service())?.spec?.ports?.[0]?.port === 80);
  await env.apply(settings({ tier: 'one' }));
  await eventually(async () => (await service())?.metadata.annotations?.tier === 'one');
  expect((await web())?.metadata.labels).toMatchObject({ exposed: 'yes' });
  expect((await web())?.metadata.finalizers).toEqual(['example.dev/expose']);

  await annotate(null);
  await eventually(async () => (await service()) === undefined);
  await eventually(async () => (await web())?.metadata.finalizers === undefined);
  expect((await web())?.metadata.labels?.exposed).toBeUndefined();
});
