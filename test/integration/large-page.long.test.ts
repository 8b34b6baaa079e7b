/** A page of which every object is large: more than one string, or one buffer, should ever hold. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listWatch } from '../../operator/client/source.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';
import type { ListPage } from '../../operator/watch/list-watch.ts';
import { pour } from '../support/load/pour.ts';

interface Large extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

const OBJECTS = 300;
const TEXT = 'x'.repeat(1_000_000);
const resource = defineResource<Large>({
  ...{ group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' },
  namespaced: true,
});

/** 300 MB of a list, of which nothing is made before it is sent. */
async function answer(response: ServerResponse, objects: number): Promise<void> {
  response.setHeader('content-type', 'application/json');
  const metadata = { resourceVersion: '1000' };
  const head = JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', metadata });
  await pour(response, [Buffer.from(`${head.slice(0, -1)},"items":[`)]);
  for (let index = 0; index < objects; index++) {
    const name = `large-${index}`;
    const item = { metadata: { name, namespace: 'demo', uid: name, resourceVersion: '7' } };
    const text = JSON.stringify({ ...item, data: { text: TEXT } });
    await pour(response, [Buffer.from(index === 0 ? text : `,${text}`)]);
  }
}

async function listFrom(
  respond: (response: ServerResponse) => Promise<void>,
): Promise<ListPage<Large>> {
  const server = createServer((_request, response) => void respond(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const transport = undiciTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  const source = listWatch(transport, resource, { namespace: 'demo' });
  const { signal } = new AbortController();
  return await source.listPage({ consistency: { kind: 'latest' }, limit: 500, signal });
}

test('a page of 300 MB is read whole, and in order', async () => {
  const { items, resourceVersion } = await listFrom(async (response) => {
    await answer(response, OBJECTS);
    response.end(']}\n');
  });

  expect(resourceVersion).toBe('1000');
  expect(items.map(({ metadata }) => metadata.name)).toEqual(
    Array.from({ length: OBJECTS }, (_, index) => `large-${index}`),
  );
  expect(items.every(({ textLength }) => textLength > TEXT.length)).toBe(true); // each is kept as text
  expect(items.at(-1)?.object.data?.text?.length).toBe(TEXT.length);
});

test('a truncated page of 300 MB causes an error', async () => {
  const listing = listFrom(async (response) => {
    await answer(response, OBJECTS);
    response.end(); // in order, as a server does that can report a late failure in no other way
  });

  await expect(listing).rejects.toMatchObject({ name: 'ProtocolError', code: 'DECODE' });
});
