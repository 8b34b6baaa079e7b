import { allow, deny, type KubernetesObject, mutatingWebhook, validatingWebhook } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { boats } from '../../../test/schema/conversion/boats.ts';
import { serveWebhooks } from '../../src/env/served-webhooks.ts';
import { startTestEnv } from '../../src/env/start-test-env.ts';
import { configMap } from '../../src/objects/config.ts';

const owners = validatingWebhook({
  name: 'owners.settings.example.com',
  resource: configMaps,
  failurePolicy: 'Fail',
  validate: ({ object }) =>
    object.metadata.labels?.owner === undefined ? deny('has no owner') : allow(),
});

const labels = mutatingWebhook({
  name: 'labels.settings.example.com',
  resource: configMaps,
  operations: ['CREATE'],
  mutate: ({ object }) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { seen: 'yes' } },
  }),
});

test('an environment serves the webhooks of an operator, and its API server calls them', async () => {
  await using env = await startTestEnv({ backend: 'embedded', webhooks: [owners, labels] });
  const namespace = await env.namespace();

  const made = await env.create(configMap('a', { namespace, labels: { owner: 'me' } }));
  const refused = env.create(configMap('b', { namespace }));

  expect(made.metadata.annotations).toEqual({ seen: 'yes' });
  await expect(refused).rejects.toThrow(
    'admission webhook "owners.settings.example.com" denied the request: has no owner',
  );
});

test('an environment converts between the versions of the resources that it installs', async () => {
  await using env = await startTestEnv({ backend: 'embedded', install: [boats] });
  const namespace = await env.namespace();
  const at = (version: string, spec: object): KubernetesObject => ({
    ...{ apiVersion: `harbour.example/${version}`, kind: 'Boat' },
    ...{ metadata: { name: 'ann', namespace }, spec },
  });

  await env.create(at('v1alpha1', { length: '12m' }));
  const read = await env.get(boats, namespace, 'ann');
  const old = await env.get<KubernetesObject & { readonly spec: object }>(
    'harbour.example/v1alpha1',
    'Boat',
    namespace,
    'ann',
  );

  expect([read?.spec.hull, old?.spec]).toEqual([{ meters: 12 }, { length: '12m' }]);
});

test('no other API server than the embedded one gets webhooks without a certificate', async () => {
  const asked = { webhooks: [owners], converted: [] };
  const served = serveWebhooks('http://127.0.0.1:1', asked, 'kubebuilder');

  await expect(served).rejects.toThrow(
    'the backend kubebuilder calls webhooks by https alone: leave `webhooks` out, or use the embedded server',
  );
});
