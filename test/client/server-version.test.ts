import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { serverVersion } from '../../operator/client/discovery.ts';
import { listWatch } from '../../operator/client/source.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { plain } from '../stream/decoded.ts';
import { type CannedAnswer, cannedTransport } from './canned-transport.ts';

const { signal } = new AbortController();
const clock = new FakeClock();

test.each<[object, object]>([
  [
    { major: '1', minor: '33', gitVersion: 'v1.33.1' },
    { major: 1, minor: 33, gitVersion: 'v1.33.1' },
  ],
  [
    { major: '1', minor: '29+', gitVersion: 'v1.29.4-eks-1' },
    { major: 1, minor: 29, gitVersion: 'v1.29.4-eks-1' },
  ],
  [{}, { major: undefined, minor: undefined, gitVersion: '' }],
  [
    { major: 1, minor: 'latest', gitVersion: { a: 1 } },
    { major: undefined, minor: undefined, gitVersion: '' },
  ],
])('[P-20] invalid fields of the server version are ignored: %j', async (body, expected) => {
  const transport = cannedTransport(() => ({ body }));

  expect(await serverVersion(transport, { clock, signal })).toEqual(expected);
  expect(transport.requests).toMatchObject([{ method: 'GET', path: '/version' }]);
});

test('[P-20] if the filter refuses /version, the error has the code AMBASSADOR_FORBIDDEN', async () => {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const transport = cannedTransport(() => ({ status: 403, headers, body: 'Forbidden\n' }));

  await expect(serverVersion(transport, { clock, signal })).rejects.toMatchObject({
    code: 'AMBASSADOR_FORBIDDEN',
  });
});

test('[P-20] listing and watching work even if the server reports an unusable version', async () => {
  const object = { metadata: { name: 'a', namespace: 'demo', uid: 'u1', resourceVersion: '7' } };
  const form = { apiVersion: 'v1', kind: 'ConfigMap' };
  const answer = (path: string): CannedAnswer => {
    if (path === '/version') return { body: { major: '0', minor: '1', gitVersion: 'v0.1' } };
    if (!path.includes('watch=')) {
      const metadata = { resourceVersion: '7' };
      return { body: { ...form, kind: 'ConfigMapList', metadata, items: [object] } };
    }
    return { body: `${JSON.stringify({ type: 'ADDED', object: { ...form, ...object } })}\n` };
  };
  const transport = cannedTransport(({ path }) => answer(path));
  const source = listWatch(transport, configMaps);

  const version = await serverVersion(transport, { clock, signal });
  const page = await source.listPage({ consistency: { kind: 'latest' }, limit: 500, signal });
  const events = [];
  const watch = { resourceVersion: '7', timeoutSeconds: 300, signal };
  for await (const batch of await source.watch(watch)) events.push(...batch);

  expect(version.minor).toBe(1);
  expect(page.items).toHaveLength(1);
  expect(events.map(plain)).toMatchObject([{ type: 'ADDED', object }]);
});
