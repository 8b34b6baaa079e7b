/**
 * The real `kubectl proxy` killed, restarted and frozen under an operator: what is said, and nothing lost.
 *
 * @module-tag kubectl
 */

import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { configMaps } from '../../operator/model/builtin.ts';
import { NAMESPACE } from './support/copier.ts';
import { toldBy } from './support/pod.ts';
import { startPod } from './support/start-pod.ts';

const NAMES = Array.from({ length: 20 }, (_, index) => `n${index}`);
const [BEFORE, MEANWHILE] = [NAMES.slice(0, 10), NAMES.slice(10)];

test('[security 39] proxy 21: after SIGKILL of the proxy, the operator reports it, resumes without a list, and writes each change once', async () => {
  const pod = await startPod();
  for (const name of NAMES) pod.put(name, 'one');
  const operator = pod.startOperator();
  await pod.untilAllIsWell();
  const written = pod.requests('PATCH').length;

  for (const name of BEFORE) pod.put(name, 'two');
  await eventually(() => pod.requests('PATCH').length > written + 2); // in the midst of them
  await pod.proxy.end('SIGKILL');
  for (const name of MEANWHILE) pod.put(name, 'two');
  const told = await pod.told('unreachable');
  const stillReady = operator.ready;
  await pod.proxy.start();
  await pod.untilAllIsWell();

  expect(told).toMatchObject({
    level: 'warn',
    code: 'AMBASSADOR_UNREACHABLE',
    layer: 'ambassador',
  });
  expect(stillReady).toBe(true); // its caches are there, and no other replica could do better
  expect(pod.lists).toBe(1);
  // A write whose answer was lost may have been sent twice; it was not carried out twice.
  expect(NAMES.map((name) => pod.commits(name))).toEqual(
    NAMES.map((name) => [`ADDED copy-${name}`, `MODIFIED copy-${name}`]),
  );
});

test('proxy 20: requests to a briefly frozen proxy are answered, and each is executed once', async () => {
  const pod = await startPod();
  pod.put('a', 'one');
  pod.startOperator();
  await pod.untilAllIsWell();
  const metadata = { namespace: NAMESPACE, name: 'written' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };

  pod.proxy.freeze();
  const writing = pod.client().create(configMaps, object);
  pod.put('a', 'two');
  pod.proxy.thaw();
  await writing;
  await pod.untilAllIsWell();

  expect(pod.requests('POST')).toHaveLength(1);
  expect(pod.commits('a')).toEqual(['ADDED copy-a', 'MODIFIED copy-a']);
  expect(pod.lists).toBe(1);
});

test('[security 39] proxy 20: while its proxy is frozen, an operator is not ready, and reports the problem', async () => {
  const pod = await startPod();
  pod.put('a', 'one');
  pod.proxy.freeze();
  const clock = new FakeClock(Date.now());

  const operator = pod.startOperator({ clock });
  const line = await eventually(() => {
    clock.advance(1_000);
    return operator.log.find(({ fields }) => fields.reason === 'unreachable');
  });
  const wasReady = operator.ready;
  pod.proxy.thaw();
  await eventually(() => {
    clock.advance(50); // slower than the machine: what is on its way must not time out
    return pod.copy('a') === 'one';
  });

  expect(toldBy(line)).toMatchObject({ code: 'AMBASSADOR_TIMEOUT', layer: 'ambassador' });
  expect(wasReady).toBe(false);
  expect(operator.ready).toBe(true);
  expect(pod.commits('a')).toEqual(['ADDED copy-a']);
});
