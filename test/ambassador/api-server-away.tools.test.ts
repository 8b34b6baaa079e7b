/**
 * The API server away, behind a real `kubectl proxy` that stays.
 *
 * @module-tag kubectl
 */
import { expect, test } from 'vitest';
import { preparePod, startPod } from './support/start-pod.ts';

test('proxy 15: an operator reports that the API server is down, and catches up afterwards', async () => {
  const pod = await startPod();
  pod.put('a', 'one');
  pod.put('b', 'one');
  const operator = pod.startOperator();
  await pod.untilAllIsWell();

  pod.line.refuse();
  pod.line.cut();
  pod.put('a', 'two');
  const told = await pod.told('upstream-unreachable');
  const stillReady = operator.ready;
  await pod.line.accept();
  await pod.untilAllIsWell();

  expect(told).toMatchObject({ level: 'warn', code: 'AMBASSADOR_UPSTREAM', layer: 'ambassador' });
  expect(told.text).toMatch(/connect: connection refused \(is the API server up/);
  expect(stillReady).toBe(true);
  expect(pod.lists).toBe(1);
  expect(pod.commits('a')).toEqual(['ADDED copy-a', 'MODIFIED copy-a']);
  expect(pod.commits('b')).toEqual(['ADDED copy-b']);
});

test('an operator misses no change that was made while the API server was down', async () => {
  const pod = await startPod();
  pod.put('a', 'one');
  pod.startOperator();
  await pod.untilAllIsWell();

  await pod.server.stop();
  pod.put('a', 'two');
  pod.put('b', 'one');
  await pod.told('upstream-unreachable');
  await pod.server.listen();
  await pod.untilAllIsWell();

  expect(pod.commits('a')).toEqual(['ADDED copy-a', 'MODIFIED copy-a']);
  expect(pod.commits('b')).toEqual(['ADDED copy-b']);
});

test("an operator reports an unresponsive API server after kubectl's timeout of 10 s, and works once the server responds", async () => {
  const pod = await preparePod();
  pod.line.freeze();
  await pod.proxy.start();
  pod.put('a', 'one');

  const operator = pod.startOperator();
  const told = await pod.told('upstream-unreachable');
  const wasReady = operator.ready;
  pod.line.thaw();
  pod.line.cut();
  await pod.untilAllIsWell();

  expect(told).toMatchObject({ code: 'AMBASSADOR_UPSTREAM', layer: 'ambassador' });
  expect(told.text).toMatch(/TLS handshake timeout \(something takes connections/);
  expect(wasReady).toBe(false);
  expect(pod.commits('a')).toEqual(['ADDED copy-a']);
});
