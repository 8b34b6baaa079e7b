/** When an Event is told; the toolkit would count equal ones, and never show how many there were. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError, type DesiredStatus, type ReconcileContext } from 'chancery';
import { expect, test } from 'vitest';
import { type Outcome, outcomeOf, report } from '../outcome.ts';
import type { Tunnel } from '../tunnel.ts';

const TUNNEL: Tunnel = {
  apiVersion: 'operator.inlets.dev/v1alpha1',
  kind: 'Tunnel',
  metadata: { name: 'own', namespace: 'demo', uid: 'u-1' },
  spec: { serviceRef: { name: 'db' } },
};

const WAITING: Outcome = { reason: 'Provisioning', message: 'host 1', requeueAfterMs: 1 };

/** Reports one outcome after the other, each upon the status that the one before has left. */
async function told(outcomes: readonly Outcome[]): Promise<readonly string[]> {
  const events: string[] = [];
  let tunnel = TUNNEL;
  const context = {
    event: (type: string, reason: string) => events.push(`${type} ${reason}`),
    setStatus: async (status: DesiredStatus<Tunnel>) => {
      const isNews = !isDeepStrictEqual(tunnel.status, status);
      tunnel = { ...TUNNEL, status } as Tunnel;
      return isNews;
    },
  } as unknown as ReconcileContext<Tunnel>;
  for (const outcome of outcomes) await report(tunnel, {}, outcome, context);
  return events;
}

test('IN12: an Event is recorded when the reason changes, and not with every reconcile', async () => {
  const done = { ...WAITING, reason: 'Connected', ready: true };
  const wrong = { ...WAITING, reason: 'InvalidSpec', warning: true };

  const events = await told([WAITING, { ...WAITING, message: 'host 2' }, wrong, wrong, done, done]);

  expect(events).toEqual(['Normal Provisioning', 'Warning InvalidSpec', 'Normal Connected']);
});

test('[real R-1] [real R-3] a refusal by a webhook is reported, and retried', () => {
  const message = 'admission webhook "w.example.dev" denied the request: no';
  const denied = new ApiError({ code: 403, reason: 'Forbidden', message });

  expect(outcomeOf(denied, 1_000)).toMatchObject({
    reason: 'Refused',
    warning: true,
    requeueAfterMs: 1_000,
    retry: { refusal: { kind: 'webhook', name: 'w.example.dev' } },
  });
});
