/** Children of resources that the controller does not declare. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { source } from '../../operator/controller/source.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { services } from '../../operator/model/kubernetes/resources.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { startSites } from '../support/sites.ts';

const MESSAGE = /^applyOwned writes a resource that the controller does not declare$/;

async function warningsWith(more: object) {
  const place = await startSites();
  await place.createSite('one');
  await place.createSite('two');
  const operator = await place.operate(async ({ metadata: { name } }, { applyOwned }) => {
    await applyOwned(configMaps, { metadata: { name }, data: {} });
    await applyOwned(services, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
  }, more);
  const found = operator.log.filter(({ message }) => MESSAGE.test(message));
  expect(place.writes('services')).toHaveLength(2);
  return { found };
}

test('applyOwned warns once about a resource that the controller does not declare', async () => {
  const { found } = await warningsWith({});

  expect(found).toMatchObject([{ level: 'warn', fields: { resource: 'services' } }]);
  await expect(eventually(() => false, { timeoutMs: 0 })).rejects.toThrow(
    /applyOwned writes a resource .*resource="services" remedy="add it to owns/s,
  );
});

test.each([
  ['in owns', { owns: [configMaps, services as Resource] }],
  ['in watches', { watches: [{ source: source(services), map: () => [] }] }],
  ['in permissions', { permissions: [{ resource: services, verbs: ['get', 'create', 'patch'] }] }],
])('applyOwned does not warn if the resource is declared %s', async (_, more) => {
  expect((await warningsWith(more)).found).toEqual([]);
});

test.each([
  ['the permission to read it', { resource: services, verbs: ['get'] }],
  ['a subresource', { resource: services, subresource: 'status', verbs: ['patch'] }],
])('applyOwned warns if only %s is declared, and not the resource itself', async (_, permission) => {
  expect((await warningsWith({ permissions: [permission] })).found).toHaveLength(1);
});
