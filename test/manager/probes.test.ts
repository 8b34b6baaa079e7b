/** What a kubelet is told of a whole manager, over HTTP, whatever happens to the API server. */

import { eventually, FakeClock, freePort, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { ApiError } from '../../operator/model/status.ts';
import { validatingWebhook } from '../../operator/webhook/webhook.ts';
import { boats } from '../schema/conversion/boats.ts';
import { LeaseServer, World, type WorldOptions } from './world.ts';

const MINUTE_MS = 60_000;

const away = new AmbassadorError('refused', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' });

interface Probed {
  readonly world: World;
  readonly probe: (path: string) => Promise<readonly [status: number, body: string]>;
}

/** A manager on a clock that stands, with real probes. */
async function probed(
  environment: Record<string, string> = {},
  options: WorldOptions = {},
  beforeStart: (world: World) => void = () => {},
): Promise<Probed> {
  const port = await freePort();
  const quiet = controller({
    name: 'quiet',
    for: source(configMaps),
    reconcile: async () => {},
  });
  const settings = { CHANCERY_HEALTH_HOST: '127.0.0.1', CHANCERY_HEALTH_PORT: `${port}` };
  const world = new World([quiet], { ...settings, ...environment }, options);
  const probe: Probed['probe'] = async (path) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return [answer.status, await answer.text()];
  };
  beforeStart(world);
  await world.start();
  await eventually(async () => (await probe('/healthz'))[0] === 200);
  await settle();
  return { world, probe };
}

describe('probes of a manager', () => {
  test('[H-2] an ambassador that is unreachable for ten minutes does not fail the liveness probe', async () => {
    const { world, probe } = await probed();

    world.collection('configmaps').breakDown(away);
    await world.clock.advanceAndSettle(10 * MINUTE_MS);

    expect(await probe('/healthz')).toEqual([200, 'ok']);
    expect(await probe('/livez')).toEqual([200, 'ok']);
    expect(world.messages()).toContain('source is failing, it retries');
  });

  test('[H-2] an ambassador that was never reachable fails only readiness', async () => {
    const { world, probe } = await probed({}, {}, (before) => {
      before.collection('configmaps').failure = away;
    });
    await world.clock.advanceAndSettle(10 * MINUTE_MS);

    expect(await probe('/healthz')).toEqual([200, 'ok']);
    expect((await probe('/readyz'))[0]).toBe(500);
  });

  test('[contract 101] [H-3] the operator is ready only after the first list, and not ready during shutdown', async () => {
    const { world, probe } = await probed();
    const synced = await probe('/readyz?verbose');
    const hangs = Promise.withResolvers<void>();
    world.manager.add({ name: 'slow', needsLeaderElection: false, run: () => hangs.promise });

    world.stop.abort(new Error('asked to stop'));
    await settle();
    const stopping = await probe('/readyz');
    hangs.resolve();

    expect(synced).toEqual([
      200,
      '[+]ping ok\n[+]synced ok\n[+]running ok\nhealthz check passed\n',
    ]);
    expect(stopping[0]).toBe(500);
    expect(stopping[1]).toContain('[-]running failed: reason withheld\n');
  });

  test('[H-3] the operator becomes ready without waiting for a list that depends on its own conversions', async () => {
    const reads = validatingWebhook({
      name: 'names.boats.harbour.example',
      resource: boats,
      reads: [boats],
      validate: () => {},
    });
    const { world, probe } = await probed({}, { webhooks: [reads] }, (before) => {
      const message = 'conversion webhook for harbour.example/v1alpha1, Kind=Boat failed';
      before.collection('boats.harbour.example').failure = new ApiError({ code: 500, message });
    });

    await world.clock.advanceAndSettle(MINUTE_MS);

    expect(await probe('/readyz')).toEqual([200, 'ok']);
    expect(world.manager.ready).toBe(false);
  });

  test('[H-3] readiness includes health checks that users add', async () => {
    let ok = false;
    const { probe } = await probed(
      {},
      { healthChecks: { ready: [{ name: 'mine', ok: () => ok }] } },
    );
    const before = await probe('/readyz/mine');

    ok = true;

    expect([before[0], (await probe('/readyz/mine'))[0], (await probe('/readyz'))[0]]).toEqual([
      500, 200, 200,
    ]);
  });

  test('[H-3] a standby is ready', async () => {
    const clock = new FakeClock();
    const shared = { leases: new LeaseServer(), clock };
    const election = { CHANCERY_LEADER_ELECTION: 'true', POD_NAMESPACE: 'default' };
    const first = await probed(election, shared);
    await clock.advanceAndSettle(5_000);

    const second = await probed(election, shared);
    await clock.advanceAndSettle(5_000);

    expect([first.world.manager.leads, second.world.manager.leads]).toEqual([true, false]);
    expect(await second.probe('/readyz')).toEqual([200, 'ok']);
  });

  test.each([
    ['true', 500],
    ['false', 200],
  ])('[H-4] with CHANCERY_READY_SOURCES=%s readiness answers %i after half an hour of silence', async (flag, status) => {
    const { world, probe } = await probed({ CHANCERY_READY_SOURCES: flag });
    const before = (await probe('/readyz'))[0];

    world.collection('configmaps').breakDown(away);
    await world.clock.advanceAndSettle(30 * MINUTE_MS);
    const during = await probe('/readyz');

    expect([before, during[0]]).toEqual([200, status]);
    expect(during[1].includes('[-]sources failed: reason withheld')).toBe(status === 500);
    expect((await probe('/healthz'))[0]).toBe(200);
  });

  test('[H-4] the source metric reports the state of a source, whatever readiness requires', async () => {
    const { world } = await probed();

    world
      .collection('configmaps')
      .breakDown(new ApiError({ code: 403, reason: 'Forbidden', message: 'm' }));
    await world.clock.advanceAndSettle(MINUTE_MS);

    expect(world.meter.value('chancery_source_state', { state: 'forbidden' })).toBe(1);
    expect(world.meter.value('chancery_source_state', { state: 'healthy' })).toBe(0);
  });
});
