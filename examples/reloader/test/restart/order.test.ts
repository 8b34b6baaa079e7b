import { expect, test } from 'vitest';
import { type OrderPeer, orderGate } from '../../restart/order.ts';
import { request, workload } from './requests.ts';

const LABEL = 'example.dev/order';
const ROLLED_OUT = {
  spec: { replicas: 1 },
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
};

function peer(name: string, place: string | undefined, given: Partial<OrderPeer> = {}): OrderPeer {
  const labels = place === undefined ? {} : { [LABEL]: place };
  return {
    kind: 'Deployment',
    workload: workload(name, { labels, parts: ROLLED_OUT }),
    isPending: false,
    ...given,
  };
}

const waitOf = (place: string | undefined, peers: readonly OrderPeer[]) =>
  orderGate({ label: LABEL, peersOf: () => peers }).leftMs(
    request('web', { labels: place === undefined ? {} : { [LABEL]: place } }),
    0,
  );

test('a workload waits for a workload with a smaller order number that still needs a restart', () => {
  expect(waitOf('20', [peer('cache', '30', { isPending: true }), peer('db', '3')])).toBeUndefined();
  expect(waitOf('20', [peer('db', '3', { isPending: true })])).toEqual({
    waitMs: 2_000,
    reason: 'order',
    note: `The restart waits for Deployment db, which comes first by the label ${LABEL}.`,
  });
});

test('a workload waits while the rollout of a workload with a smaller order number is in progress or has failed', () => {
  const rolling = workload('db', {
    labels: { [LABEL]: '1' },
    parts: { ...ROLLED_OUT, status: { observedGeneration: 1, updatedReplicas: 0 } },
  });
  const failed = workload('db', {
    labels: { [LABEL]: '1' },
    parts: {
      spec: { replicas: 2 },
      status: { conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }] },
    },
  });

  expect(waitOf('2', [peer('db', '1', { workload: rolling })])?.reason).toBe('order');
  expect(waitOf('2', [peer('db', '1', { workload: failed })])?.reason).toBe('order');
});

test('workloads with equal order numbers restart together', () => {
  expect(waitOf('2', [peer('other', '2', { isPending: true })])).toBeUndefined();
});

test.each([
  undefined,
  'first',
  '-1',
  '1.5',
  '',
  '1234567890',
])('the order label %j has no effect', (place) => {
  const gate = orderGate({ label: LABEL, peersOf: () => [] });
  const labels = place === undefined ? {} : { [LABEL]: place };

  expect(waitOf(place, [peer('db', '1', { isPending: true })])).toBeUndefined();
  expect(waitOf('5', [peer('db', place, { isPending: true })])).toBeUndefined();
  expect(gate.problems?.(workload('web', { labels }))).toHaveLength(place === undefined ? 0 : 1);
});
