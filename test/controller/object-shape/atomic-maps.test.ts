/** Maps that an apply replaces as a whole: a key that another writer adds to one is a change of our value. */
import { configMap } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AtomicMaps } from '../../../operator/controller/object-shape/atomic-maps.ts';
import { configMaps, deployments } from '../../../operator/model/builtin.ts';
import { networkPolicies } from '../../../operator/model/kubernetes/resources.ts';
import { startFamily } from '../../support/owner-and-children.ts';

test('[child 1] a key that another writer adds to a label selector is removed', async () => {
  const { apply, env, namespace } = await startFamily();
  const policy = {
    metadata: { name: 'a' },
    spec: { podSelector: { matchLabels: { app: 'pump' } }, policyTypes: ['Ingress' as const] },
  };
  await apply(networkPolicies, policy);
  await env.patch('networking.k8s.io/v1', 'NetworkPolicy', namespace, 'a', {
    spec: { podSelector: { matchLabels: { canary: 'yes' } } },
  });

  await apply(networkPolicies, policy);

  const live = await env.get(networkPolicies, namespace, 'a');
  expect(live?.spec?.podSelector).toEqual({ matchLabels: { app: 'pump' } });
});

test('[child 1] a key that another writer adds to an empty label selector is removed', async () => {
  const { apply, env, namespace } = await startFamily();
  const policy = {
    metadata: { name: 'a' },
    spec: { podSelector: {}, policyTypes: ['Ingress' as const] },
  };
  await apply(networkPolicies, policy);
  await env.patch('networking.k8s.io/v1', 'NetworkPolicy', namespace, 'a', {
    spec: { podSelector: { matchLabels: { canary: 'yes' } } },
  });

  await apply(networkPolicies, policy);

  const live = await env.get(networkPolicies, namespace, 'a');
  expect(live?.spec?.podSelector).toEqual({});
});

test('[child 1] a nodeSelector key that another writer adds to a cached child is removed', async () => {
  const { apply, env, namespace, cached } = await startFamily();
  const child = {
    metadata: { name: 'a' },
    spec: {
      selector: { matchLabels: { app: 'pump' } },
      template: {
        metadata: { labels: { app: 'pump' } },
        spec: {
          containers: [{ name: 'pump', image: 'registry.example/pump:1' }],
          nodeSelector: { disk: 'ssd' },
        },
      },
    },
  };
  await apply(deployments, child);
  await apply(deployments, child);
  await env.patch('apps/v1', 'Deployment', namespace, 'a', {
    spec: { template: { spec: { nodeSelector: { zone: 'b' } } } },
  });
  const seen = await env.get(deployments, namespace, 'a');
  const { managedFields: _, ...metadata } = seen?.metadata ?? { name: 'a' };
  cached.set('a', { ...seen, metadata } as never);

  await apply(deployments, child);

  const live = await env.get(deployments, namespace, 'a');
  expect(live?.spec?.template.spec?.nodeSelector).toEqual({ disk: 'ssd' });
});

test('[child 3] a key that another writer adds to a granular map causes no write, even if there is also an atomic map', async () => {
  const { apply, env, namespace, writes } = await startFamily();
  const policy = {
    metadata: { name: 'a', labels: { tier: 'ours' } },
    spec: { podSelector: { matchLabels: { app: 'pump' } }, policyTypes: ['Ingress' as const] },
  };
  await apply(networkPolicies, policy);
  await apply(networkPolicies, policy);
  const before = writes().length;
  await env.patch('networking.k8s.io/v1', 'NetworkPolicy', namespace, 'a', {
    metadata: { labels: { team: 'theirs' } },
  });

  await apply(networkPolicies, policy);

  const live = await env.get(networkPolicies, namespace, 'a');
  expect(writes()).toHaveLength(before);
  expect(live?.metadata.labels).toEqual({ tier: 'ours', team: 'theirs' });
});

test('a key that another writer adds to an empty granular map stays, and after one apply nothing is written', async () => {
  const { apply, env, namespace, writes } = await startFamily();
  const child = { metadata: { name: 'a', namespace, annotations: {} }, data: { a: 'b' } };
  const stated = { apiVersion: 'v1', kind: 'ConfigMap', ...child };
  await apply(configMaps, stated);
  await env.patch('v1', 'ConfigMap', namespace, 'a', { metadata: { annotations: { t: 'x' } } });
  await apply(configMaps, stated);
  const before = writes().length;

  for (let times = 0; times < 3; times++) await apply(configMaps, stated);

  const live = await env.get(configMaps, namespace, 'a');
  expect(writes()).toHaveLength(before);
  expect(live?.metadata.annotations).toEqual({ t: 'x' });
});

test('a map counts as granular again when an answer shows that its definition has changed', () => {
  const maps = new AtomicMaps();
  const stated = { spec: { options: { a: 'x' } } };
  const answer = (fields: object) => ({
    ...configMap('a', { namespace: 'n' }),
    ...stated,
    metadata: {
      name: 'a',
      managedFields: [{ manager: 'm', fieldsV1: { 'f:spec': { 'f:options': fields } } }],
    },
  });
  const isAtomic = () => maps.root.members.get('spec')?.members.get('options')?.isAtomic;

  maps.learn(answer({}) as never, stated);
  const first = isAtomic();
  maps.learn(answer({ 'f:a': {} }) as never, stated);

  expect([first, isAtomic()]).toEqual([true, false]);
});

test('at most 1,000 fields are remembered, and unreadable managedFields add none', () => {
  const maps = new AtomicMaps();
  const names = Array.from({ length: 1_200 }, (_, at) => `key-${at}`);
  const stated = { spec: Object.fromEntries(names.map((name) => [name, { a: 'x' }])) };
  const fields = Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
  const answer = (managedFields: unknown) => ({
    ...configMap('a', { namespace: 'n' }),
    ...stated,
    metadata: { name: 'a', managedFields },
  });

  for (const bad of [
    undefined,
    null,
    'x',
    [null],
    [{ fieldsV1: 'x' }],
    [{ fieldsV1: { 'f:spec': 1 } }],
  ]) {
    maps.learn(answer(bad) as never, stated);
  }
  const before = maps.root.members.size;
  maps.learn(answer([{ fieldsV1: { 'f:spec': fields } }]) as never, stated);

  expect(before).toBe(0);
  expect(maps.root.members.get('spec')?.members.size).toBe(999);
});
