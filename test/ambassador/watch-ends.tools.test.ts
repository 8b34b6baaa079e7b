/**
 * Every way in which an API server's watch ends over TLS and HTTP/2, seen by an operator behind the proxy.
 *
 * @module-tag kubectl
 */

import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { Pod } from './support/pod.ts';
import { startPod } from './support/start-pod.ts';

const ENDS: readonly [string, (pod: Pod) => void, string | undefined][] = [
  ['in order', ({ server }) => server.closeWatches('clean'), undefined],
  ['by RST_STREAM', ({ server }) => server.closeWatches('reset'), 'broken'],
  ['with its connection reset', ({ line }) => line.cut('reset'), 'broken'],
  ['with its connection closed', ({ line }) => line.cut('close'), 'broken'],
];

test.each(
  ENDS,
)('proxy 13: a watch that ends %s is resumed without a list, and no change is lost', async (_, end, reason) => {
  const pod = await startPod();
  pod.put('a', 'one');
  const operator = pod.startOperator();
  await pod.untilAllIsWell();
  await eventually(() => pod.server.openWatches === 1);

  end(pod);
  pod.put('a', 'two');
  pod.put('b', 'one');
  await pod.untilAllIsWell();

  const reasons = operator.log.map(({ fields }) => fields.reason).filter((why) => why);
  expect(reasons).toEqual(reason === undefined ? [] : [reason]);
  expect(pod.lists).toBe(1);
  expect(pod.commits('a')).toEqual(['ADDED copy-a', 'MODIFIED copy-a']);
  expect(pod.commits('b')).toEqual(['ADDED copy-b']);
});
