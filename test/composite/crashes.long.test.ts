import { crashPoints, startOperator } from '@chancery/testing';
import { expect, test } from 'vitest';
import { child } from '../../operator/composite/child.ts';
import { composite } from '../../operator/composite/composite.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import {
  type ConfigSet,
  clusterWithSets,
  configMapNames,
  configSet,
  configSets,
} from './parents.ts';

const sets = composite<ConfigSet>({
  name: 'config-set',
  parent: configSets,
  children: [configMaps],
  sync: ({ spec: { names, text = '' } }, children) => ({
    children: names.map((name) => child(configMaps, { metadata: { name }, data: { text } })),
    status: { made: children.of(configMaps).length },
  }),
});

test('[K-38] if a composite is killed between any two requests, the final state is the same', async () => {
  const points = await crashPoints({
    env: clusterWithSets,
    arrange: (env, namespace) =>
      env.create(configSet(namespace, { names: ['a', 'b'], text: 'one' })),
    start: (url, namespace) => startOperator({ url, namespace, controllers: [sets] }),
    until: async (env, namespace) => {
      const live = await env.get<ConfigSet>('example.dev/v1', 'ConfigSet', namespace, 'set');
      return live?.status?.made === 2;
    },
    state: (env, namespace) => configMapNames(env, namespace),
    calls: ({ verb }) => verb !== 'watch',
  });

  expect(new Set(points.map(({ call }) => call.verb))).toContain('create');
});
