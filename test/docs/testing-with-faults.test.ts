/** The guide's examples, word for word: a test below holds the two equal. */
import { readFileSync } from 'node:fs';
import * as testing from '@chancery/testing';
import type { Clock } from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';
import { Informer, listWatch, undiciTransport } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';

const {
  ApiServer,
  advanceUntil,
  FakeClock,
  failure,
  ScriptedCollection,
  ScriptedServer,
  TcpProxy,
} = testing;

test('an informer reports a delete that it missed', async () => {
  const clock = new FakeClock();
  const server = new ScriptedServer({ clock });
  const things = new ScriptedCollection({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    path: '/api/v1/namespaces/demo/configmaps',
  });
  things.put('a', { data: { colour: 'blue' } });
  server.on({ watch: true, nth: 1 }, (exchange) => {
    things.remove('a');
    return failure({ code: 410, reason: 'Expired' })(exchange);
  });
  server.on({ path: things.path }, things.reply);
  await server.start();
  onTestFinished(() => server.close());

  const told: string[] = [];
  const informer = startInformer(server.url, clock);
  informer.addHandler((changes) => {
    for (const { type, object } of changes) told.push(`${type} ${object.metadata.name}`);
  });
  await advanceUntil(clock, () => told.length === 2);

  expect(told).toEqual(['add a', 'delete a']);
  expect(server.reads.map(({ query }) => query.resourceVersion)).toEqual([undefined, '101']);
});

function startInformer(apiUrl: string, clock: Clock): Informer<ConfigMap> {
  const transport = undiciTransport(apiUrl, { clock });
  const informer = new Informer<ConfigMap>(
    listWatch(transport, configMaps, { namespace: 'demo' }, { clock }),
    { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
    { clock },
  );
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    await transport.close();
  });
  return informer;
}

test('a client succeeds if it retries a create after a 503', async () => {
  const api = await ApiServer.start({ faults: [{ verbs: ['create'], status: 503, count: 1 }] });
  onTestFinished(() => api.close());
  const write = () =>
    fetch(`${api.url}/api/v1/namespaces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name: 'demo' } }),
    });

  const answers = [await write(), await write()];

  expect(answers.map(({ status }) => status)).toEqual([503, 201]);
});

test('an informer survives a connection that is reset in the middle of its list', async () => {
  const api = await ApiServer.start();
  onTestFinished(() => api.close());
  api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  const metadata = { name: 'a', namespace: 'demo' };
  api.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const proxy = new TcpProxy({ port: Number(new URL(api.url).port) });
  await proxy.start();
  onTestFinished(() => proxy.close());
  proxy.next({ cutAfterBytes: 100, cutWith: 'reset' });

  const clock = new FakeClock();
  const informer = startInformer(proxy.url, clock);
  await advanceUntil(clock, () => informer.synced);

  expect(informer.store.list().map((object) => object.metadata.name)).toEqual(['a']);
  expect(proxy.acceptedCount).toBeGreaterThan(1);
});

const guide = readFileSync(
  new URL('../../docs/guides/test/with-faults.md', import.meta.url),
  'utf8',
);

test('with-faults.md has the same code as this file', () => {
  const examples = [...guide.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);
  const here = readFileSync(new URL(import.meta.url), 'utf8');

  expect(examples.length).toBe(4);
  expect(examples.filter((code) => !here.includes(code))).toEqual([]);
});

test('every name of the test kit in with-faults.md is exported', () => {
  const names = [...guide.matchAll(/`([A-Za-z]\w+)(?:\(|`)/g)].map(([, name = '']) => name);
  const parts = names.filter((name) => /^[A-Z][a-z]+[A-Z]/.test(name) || name in testing);

  expect(new Set(parts).size).toBeGreaterThan(10);
  expect(parts.filter((name) => !(name in testing))).toEqual([]);
});
