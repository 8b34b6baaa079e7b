import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { childDifferences, childOf, nestedBox } from './boxes.ts';
import { memoryGrowth, memoryInUse } from './footprint.ts';
import { crowd } from './peers.ts';
import { Probes, ProbeTally } from './probes.ts';

/** The parts of the soak that have a rule of their own. */

const owner = (name: string, uid: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'red', uid },
});

test('[attack A-2] of a hundred responses, the 99th percentile is the second slowest', () => {
  const tally = new ProbeTally();
  for (let tookMs = 100; tookMs > 0; tookMs--) {
    tally.asked();
    tally.answered(tookMs);
  }
  tally.asked();

  expect(tally.figures).toEqual({ asked: 101, answered: 100, p99Ms: 99 });
});

test('[attack A-2] without responses, there is no percentile', () => {
  expect(new ProbeTally().figures).toEqual({ asked: 0, answered: 0, p99Ms: undefined });
});

test('[attack A-2] a probe counts as answered while the operator is alive, even if it is not ready', async () => {
  const codes: Record<string, number[]> = { '/healthz': [200, 500], '/readyz': [500, 503, 200] };
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(codes[url]?.shift() ?? 404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const probes = new Probes((server.address() as AddressInfo).port);

  probes.ask(); // alive
  probes.ask(); // not ready
  await eventually(() => probes.figures.answered === 2);
  const end = probes.crowded();
  probes.ask(); // not alive
  probes.ask(); // 503 is no answer of a readiness check
  end();
  await probes.stop();

  expect(probes.figures).toMatchObject({ asked: 4, answered: 2 });
  expect(probes.besidePeers).toMatchObject({ asked: 2, answered: 0 });
});

test('[attack A-2] 600 peers connect, reconnect when the server closes their connections, and disconnect at the end', async () => {
  const server = createServer();
  let opened = 0;
  server.on('connection', (socket) => {
    opened++;
    if (opened <= 10) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());

  const leave = crowd((server.address() as AddressInfo).port);
  await eventually(() => opened >= 610);
  leave();

  const open = async (): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>();
    server.getConnections((_, count) => resolve(count));
    return promise;
  };
  await eventually(async () => (await open()) === 0);
});

test('memory growth is measured after each kind of fault has occurred twice', () => {
  const cold = [300, 90].map((bytes, faultRounds) => ({ bytes, faultRounds }));
  const warm = [104, 100, 500, 102, 110, 120, 119, 121].map((bytes, at) => ({
    bytes,
    faultRounds: at + 2,
  }));

  expect(memoryGrowth([...cold, ...warm])).toEqual({
    warmBytes: 104,
    endBytes: 120,
    growth: 120 / 104 - 1,
  });
});

test('for a run with fewer than six measurements after its warm-up, no growth is computed', () => {
  const samples = [2, 2, 2, 3, 3, 3].map((faultRounds) => ({ bytes: 5, faultRounds }));

  expect(memoryGrowth(samples)).toMatchObject({ growth: 0 });
  expect(memoryGrowth([{ bytes: 5, faultRounds: 1 }, ...samples.slice(1)])).toBeUndefined();
});

test('memory in use counts reachable objects in the heap and in buffers, without garbage', () => {
  const inUse = memoryInUse();
  const MEBIBYTE = 2 ** 20;
  const lists = (): number[][] => Array.from({ length: 200 }, () => new Array(10_000).fill(0.5));
  const before = inUse();

  const held = [lists(), Buffer.alloc(20 * MEBIBYTE)];
  const whileHeld = inUse() - before;
  held.length = 0;
  const after = inUse() - before;

  expect(whileHeld).toBeGreaterThan(30 * MEBIBYTE);
  expect(after).toBeLessThan(5 * MEBIBYTE);
});

test('[real R-1] children that are missing, superfluous or have a wrong owner are reported', () => {
  const [one, two, three] = [owner('one', 'u1'), owner('two', 'u2'), owner('three', 'u3')];
  const former = { ...two, metadata: { ...two.metadata, uid: 'u0' } };

  expect(childDifferences([one, two], [childOf(two), childOf(one)])).toEqual([]);
  expect(childDifferences([one, two], [childOf(former), childOf(three)])).toEqual([
    'red/child-one is missing',
    'red/child-two is of u0, not of u2',
    'red/child-three is left over',
  ]);
});

test('[attack A-1] the nested object has the requested number of levels', () => {
  expect(JSON.stringify(nestedBox('red', 'deep', 3).spec)).toBe('{"a":{"a":{"end":true}}}');
});
