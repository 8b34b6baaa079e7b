/** F-1 as clients see it: one revision for everything, and none for a write that changes nothing. */
import { expect, test } from 'vitest';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { CONFIG_MAPS, configMap, startCluster, type TestCluster } from '../support/cluster.ts';
import { summary, watch } from '../support/watched.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';

async function revision({ send }: TestCluster, path = CONFIG_MAPS): Promise<number> {
  return Number((await send('GET', path)).body.metadata.resourceVersion);
}

test('[F-1] every change of any resource takes the next revision, which lists then return', async () => {
  const cluster = await startCluster();
  const { send } = cluster;
  const before = await revision(cluster);

  const created = await send('POST', CONFIG_MAPS, configMap('a'));
  await send('POST', SECRETS, { ...configMap('s'), kind: 'Secret', data: { k: 'dg==' } });
  const changed = await send('PATCH', `${CONFIG_MAPS}/a`, { data: { k: 'w' } });
  const watched = await watch(
    cluster,
    `${CONFIG_MAPS}?watch=1&resourceVersion=${changed.body.metadata.resourceVersion}`,
  );
  await send('DELETE', `${CONFIG_MAPS}/a`);

  expect(before).toBeGreaterThan(0);
  expect(created.body.metadata.resourceVersion).toBe(String(before + 1));
  expect(changed.body.metadata.resourceVersion).toBe(String(before + 3));
  expect((await watched.next())?.object.metadata.resourceVersion).toBe(String(before + 4));
  expect([await revision(cluster), await revision(cluster, SECRETS)]).toEqual([
    before + 4,
    before + 4,
  ]);
});

const APPLY = { 'content-type': 'application/apply-patch+yaml' };

test.each([
  ['a PUT of the same object', 'PUT', '', {}],
  ['a merge patch', 'PATCH', '', { 'content-type': 'application/merge-patch+json' }],
  ['a strategic patch', 'PATCH', '', { 'content-type': 'application/strategic-merge-patch+json' }],
  ['a repeated apply', 'PATCH', '?fieldManager=me&force=true', APPLY],
] as const)('[F-1] %s without effect is answered 200 with the old resourceVersion, and causes no event', async (_name, method, query, headers) => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const cluster = await startCluster({ clock });
  const { send } = cluster;
  const body = configMap('a');
  await send('POST', CONFIG_MAPS, body);
  const path = `${CONFIG_MAPS}/a${query}`;
  if (query !== '') await send(method, path, body, headers);
  const before = await revision(cluster);
  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${before}`);
  // Times of managers would differ, if anything else did.
  clock.advance(60_000);

  const same = await send(
    method,
    path,
    method === 'PUT' ? (await send('GET', path)).body : body,
    headers,
  );
  await send('POST', CONFIG_MAPS, configMap('b'));

  expect([same.status, same.body.metadata.resourceVersion]).toEqual([200, String(before)]);
  expect(summary((await watched.next()) as never)).toBe('ADDED b');
  expect(await revision(cluster)).toBe(before + 1);
});

test('[F-1] a dry run takes no revision', async () => {
  const cluster = await startCluster();
  const before = await revision(cluster);

  const { status } = await cluster.send('POST', `${CONFIG_MAPS}?dryRun=All`, configMap('a'));

  expect([status, await revision(cluster)]).toEqual([201, before]);
});
