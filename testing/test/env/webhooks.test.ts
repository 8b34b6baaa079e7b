import { allow, deny, mutatingWebhook, validatingWebhook } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { boats } from '../../../test/schema/conversion/boats.ts';
import { serveConversions, serveWebhooks } from '../../src/env/served-webhooks.ts';
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

test('webhooks are refused on other backends than the embedded server, because they need https', async () => {
  const served = serveWebhooks('http://127.0.0.1:1', [owners], 'kubebuilder');

  await expect(served).rejects.toThrow(
    'the backend kubebuilder calls webhooks by https alone: leave `webhooks` out, or use the embedded server',
  );
});

test('an environment converts objects of the resources that it installs', async () => {
  await using env = await startTestEnv({ backend: 'embedded', install: [boats] });
  const namespace = await env.namespace();
  await env.create({
    apiVersion: 'harbour.example/v1',
    kind: 'Boat',
    metadata: { name: 'ann', namespace },
    ...{ spec: { hull: { meters: 7, material: 'wood' } } },
  });

  const old = await env.get('harbour.example/v1alpha1', 'Boat', namespace, 'ann');
  await env.patch('harbour.example/v1alpha1', 'Boat', namespace, 'ann', { spec: { length: '9m' } });
  const now = await env.get('harbour.example/v1', 'Boat', namespace, 'ann');

  expect(old).toMatchObject({ apiVersion: 'harbour.example/v1alpha1', spec: { length: '7m' } });
  expect(now).toMatchObject({ spec: { hull: { meters: 9, material: 'wood' } } });
});

test('conversions are refused on other backends than the embedded server, because they need https', async () => {
  const served = serveConversions('http://127.0.0.1:1', [boats], 'kubebuilder');

  await expect(served).rejects.toThrow(
    'the backend kubebuilder calls webhooks by https alone: install resources without `convert`, or use the embedded server',
  );
});
