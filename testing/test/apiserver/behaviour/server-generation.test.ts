import { expect, test } from 'vitest';
import { startCluster } from '../support/cluster.ts';

test.each([
  ['1.24', { major: '1', minor: '24', gitVersion: 'v1.24.0' }, false],
  ['1.30', { major: '1', minor: '30', gitVersion: 'v1.30.0' }, false],
  ['1.33', { major: '1', minor: '33', gitVersion: 'v1.33.0' }, true],
  ['1.36', { major: '1', minor: '36', gitVersion: 'v1.36.2' }, true],
  ['1.38', { major: '1', minor: '38', gitVersion: 'v1.38.0' }, true],
] as const)('[F-16] /version of %s', async (generation, version, compatibility) => {
  const cluster = await startCluster({ generation });

  const { body } = await cluster.send('GET', '/version');

  expect(body).toMatchObject(version);
  expect(Object.hasOwn(body, 'emulationMinor')).toBe(compatibility);
});

test.each([
  ['1.24', 'APIGroupList'],
  ['1.30', 'APIGroupDiscoveryList'],
] as const)('[F-16] who asks %s for all of discovery gets an %s', async (generation, kind) => {
  const cluster = await startCluster({ generation });
  const accept =
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

  const { body } = await cluster.send('GET', '/apis', undefined, { accept });

  expect(body.kind).toBe(kind);
});
