/** Lists and deletions of many objects: what they answer, and that others are answered meanwhile. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const MANY = 1_201;

function fill({ server }: TestCluster): void {
  for (let at = 0; at < MANY; at++) {
    const name = `c-${String(at).padStart(4, '0')}`;
    const metadata = { name, namespace: 'default' };
    const data = { text: `<${at}> "items":[] "rows":[]` };
    server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as never);
  }
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

test('[found 6] a long list that is sent in parts equals the list that is read in pages', async () => {
  const cluster = await startCluster();
  fill(cluster);

  const { body, text, headers } = await cluster.send('GET', CONFIG_MAPS);
  const pages = [];
  for (let at = '', first = true; first || at !== ''; first = false) {
    const page = await cluster.send('GET', `${CONFIG_MAPS}?limit=400&continue=${at}`);
    pages.push(...page.body.items);
    at = page.body.metadata.continue ?? '';
  }

  expect(headers.get('content-type')).toBe('application/json');
  expect(text.endsWith('}\n')).toBe(true);
  expect(Object.keys(body)).toEqual(['kind', 'apiVersion', 'metadata', 'items']);
  expect(body.items).toHaveLength(MANY);
  expect(body.items).toEqual(pages);
});

test('[found 6] a long Table and a long metadata list are sent in parts', async () => {
  const cluster = await startCluster();
  fill(cluster);
  const get = async (as: string) => {
    const accept = `application/json;as=${as};g=meta.k8s.io;v=v1`;
    return (await cluster.send('GET', CONFIG_MAPS, undefined, { accept })).body;
  };

  const table = await get('Table');
  const metadata = await get('PartialObjectMetadataList');

  expect([table.kind, table.rows?.length]).toEqual(['Table', MANY]);
  expect([metadata.kind, metadata.items?.length]).toEqual(['PartialObjectMetadataList', MANY]);
});

test('[found 6] a list that is sent in parts contains the state at the time of the request', async () => {
  const cluster = await startCluster();
  fill(cluster);

  const response = await fetch(cluster.server.url + CONFIG_MAPS);
  for (const { metadata } of cluster.server.list('v1', 'ConfigMap', 'default')) {
    cluster.server.delete('v1', 'ConfigMap', 'default', metadata.name);
  }

  const { items } = (await response.json()) as { items: readonly unknown[] };
  expect(items).toHaveLength(MANY);
});

test('[found 6] deletecollection deletes many objects in slices', async () => {
  const cluster = await startCluster();
  fill(cluster);
  let deleted = 0;
  let inOneTurn = 0;
  let most = 0;
  cluster.server.subscribe((resource, { type }) => {
    if (resource !== 'configmaps' || type !== 'DELETED') return;
    deleted++;
    inOneTurn++;
    most = Math.max(most, inOneTurn);
  });

  const answer = cluster.send('DELETE', CONFIG_MAPS);
  while (deleted < MANY) {
    inOneTurn = 0;
    await turn();
  }

  expect((await answer).body.items).toHaveLength(MANY);
  expect(most).toBeLessThanOrEqual(50);
});
