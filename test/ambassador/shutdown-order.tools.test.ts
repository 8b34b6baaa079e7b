/**
 * Who ends first when a Pod is stopped: the Lease is given back only while the proxy is there.
 *
 * @module-tag kubectl
 */

import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { Lease } from '../../operator/model/builtin.ts';
import { NAMESPACE } from './support/copier.ts';
import { type Pod, toldBy } from './support/pod.ts';
import { startPod } from './support/start-pod.ts';

/** Of the stop, in seconds: what cannot be done is not tried for longer. */
const environment = { CHANCERY_SHUTDOWN_TIMEOUT: '2' };

const holder = ({ server }: Pod): string | undefined =>
  (server.get('coordination.k8s.io/v1', 'Lease', NAMESPACE, 'copier-leader') as Lease | undefined)
    ?.spec?.holderIdentity;

async function leading(): Promise<Pod> {
  const pod = await startPod({ election: true });
  pod.put('a', 'one');
  const operator = pod.startOperator({ environment });
  await eventually(() => operator.leads);
  await pod.untilAllIsWell();
  return pod;
}

test('proxy 22: if an operator stops before its proxy, the operator releases its Lease, and then the proxy ends at once', async () => {
  const pod = await leading();
  const held = holder(pod);

  await pod.operator.stop();
  const released = holder(pod);
  const end = await pod.proxy.end('SIGTERM');

  expect(held).toBeTruthy();
  expect(released).toBe('');
  expect(end).toBe('SIGTERM'); // it has no handler: a shell shows 143
  expect(pod.operator.log.map(({ message }) => message)).toContain('leadership released');
});

test('proxy 22: if an operator stops after its proxy, the operator cannot release its Lease, and logs why', async () => {
  const pod = await leading();
  const held = holder(pod);

  await pod.proxy.end('SIGTERM'); // in 3 ms it is gone, whatever is under way
  await pod.operator.stop();

  const line = pod.operator.log.find(({ message }) => /^the Lease was not released/.test(message));
  expect(held).toBeTruthy();
  expect(holder(pod)).toBe(held);
  expect(toldBy(line ?? expect.unreachable('it was released'))).toMatchObject({
    level: 'warn',
    code: 'AMBASSADOR_UNREACHABLE',
    layer: 'ambassador',
  });
});
