/** How a process ends that may stand by: when it is asked to, and when it cannot. */
import { expect, test } from 'vitest';
import { type Controller, controller } from '../../../operator/controller/controller.ts';
import { aborted } from '../../../operator/core/abort.ts';
import { LeadershipLostError } from '../../../operator/core/errors.ts';
import { configMaps, type Lease } from '../../../operator/model/builtin.ts';
import { configMap, World, type WorldOptions } from '../world.ts';

const ELECTION = {
  CHANCERY_LEADER_ELECTION: 'true',
  POD_NAMESPACE: 'ops',
  WATCH_NAMESPACE: '*',
  CHANCERY_ON_LEADERSHIP_LOST: 'standby',
};

/** A controller whose reconciles end with their signals, after `untilEnd`. */
function busy(untilEnd: Promise<void> = Promise.resolve()): Controller {
  return controller({
    name: 'busy',
    for: configMaps,
    reconcile: async (_object, { signal }) => {
      await aborted(signal);
      await untilEnd;
    },
  });
}

interface Limit {
  readonly withinMs: number;
  readonly standsBy: AbortSignal;
}

/** A manager that leads and has a reconcile under way; and what was said of its end. */
async function leading(
  one: Controller,
  environment: Readonly<Record<string, string>> = {},
  options: WorldOptions = {},
): Promise<{ world: World; limits: Limit[]; renewedAt: number }> {
  const limits: Limit[] = [];
  const onLeadershipLost = (withinMs: number, standsBy: AbortSignal): void => {
    limits.push({ withinMs, standsBy });
  };
  const world = new World([one], { ...ELECTION, ...environment }, { ...options, onLeadershipLost });
  world.collection('configmaps').items.push(configMap('a'));
  await world.start();
  await world.clock.advanceAndSettle(10);
  return { world, limits, renewedAt: Date.parse(String(world.leases.lease?.spec?.renewTime)) };
}

/** Nothing about the Lease is answered any more; to the moment of the loss. */
async function lose({ world, renewedAt }: { world: World; renewedAt: number }): Promise<void> {
  world.leases.hangs = true;
  await world.clock.advanceAndSettle(renewedAt + 10_000 - world.clock.monotonic());
}

test('[real R-4] after a loss of leadership the time limit for the exit is cancelled once the reconciles have ended', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const at = await leading(busy(promise));

  await lose(at);
  const before = at.limits.map(({ standsBy }) => standsBy.aborted);
  resolve();
  await at.world.clock.advanceAndSettle(1);

  expect(at.limits.map(({ withinMs }) => withinMs)).toEqual([4_000]);
  expect(before).toEqual([false]);
  expect(at.limits[0]?.standsBy.aborted).toBe(true);
  expect([at.world.manager.leads, at.world.manager.ready]).toEqual([false, true]);
});

test('[real R-4] if a reconcile ignores that leadership was lost, the process ends before another process may lead', async () => {
  const at = await leading(busy(new Promise(() => {})));
  let endedAt: number | undefined;
  at.world.running?.catch(() => {
    endedAt = at.world.clock.monotonic();
  });

  await lose(at);
  await at.world.clock.advanceAndSettle(10_000);

  await expect(at.world.running).rejects.toThrow(LeadershipLostError);
  expect(endedAt).toBeLessThan(at.renewedAt + 14_000);
  expect(at.limits[0]?.standsBy.aborted).toBe(false);
});

test('[real R-4] by default the process ends after losing leadership, and the time limit for its exit is not cancelled', async () => {
  const at = await leading(busy(), { CHANCERY_ON_LEADERSHIP_LOST: '' });

  await lose(at);

  await expect(at.world.running).rejects.toThrow(LeadershipLostError);
  expect(at.limits[0]?.standsBy.aborted).toBe(false);
});

test('[real R-4] [D-5] a process that stands by after losing leadership stops like a standby that never led', async () => {
  const at = await leading(busy());
  await lose(at);
  await at.world.clock.advanceAndSettle(60_000);
  const { holder } = at.world.leases;

  at.world.stop.abort(new Error('stop'));
  await at.world.clock.advanceAndSettle(20_000);

  await expect(at.world.running).resolves.toBeUndefined();
  expect(at.world.leases.holder).toBe(holder);
  expect(at.world.clock.pending).toBe(0);
});

test('[real R-4] if a process is stopped while reconciles of a lost term end, it ends normally, with no new candidacy', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const at = await leading(busy(promise));
  await lose(at);

  at.world.stop.abort(new Error('stop'));
  await at.world.clock.advanceAndSettle(100);
  resolve();
  await at.world.clock.advanceAndSettle(10_000);

  await expect(at.world.running).resolves.toBeUndefined();
  expect(at.limits[0]?.standsBy.aborted).toBe(true);
  expect(at.world.clock.pending).toBe(0);
});

test('[real R-4] the controllers get a new fence in each term, and the former fence stays closed', async () => {
  const at = await leading(busy());
  const before = at.world.fences.get('busy');
  const firstDeadlineAt = before?.writeDeadlineAt();
  await lose(at);
  at.world.leases.hangs = false;
  await at.world.clock.advanceAndSettle(30_000);

  const after = at.world.fences.get('busy');

  expect(firstDeadlineAt).toBe(at.renewedAt + 14_000);
  expect(at.world.manager.leads).toBe(true);
  expect(() => before?.writeDeadlineAt()).toThrow(LeadershipLostError);
  expect(after?.writeDeadlineAt()).toBeGreaterThan(at.world.clock.monotonic());
});

test('[real R-4] a process that leads again releases the Lease when it stops', async () => {
  const at = await leading(busy());
  await lose(at);
  at.world.leases.hangs = false;
  await at.world.clock.advanceAndSettle(30_000);
  const leads = at.world.manager.leads;

  at.world.stop.abort(new Error('stop'));
  await at.world.clock.advanceAndSettle(20_000);

  await expect(at.world.running).resolves.toBeUndefined();
  expect(leads).toBe(true);
  expect(at.world.leases.holder).toBe('');
});

test('[real R-4] when another process takes the Lease, the leader must stop within a second, and does not take it back', async () => {
  const at = await leading(busy());
  const { lease } = at.world.leases;
  const metadata = { ...lease?.metadata, resourceVersion: 'edited' };
  const spec = { ...lease?.spec, holderIdentity: 'another' };
  at.world.leases.lease = { ...lease, metadata, spec } as Lease;

  await at.world.clock.advanceAndSettle(5_000);

  expect(at.limits.map(({ withinMs }) => withinMs)).toEqual([1_000]);
  expect(at.limits[0]?.standsBy.aborted).toBe(true);
  expect(at.world.leases.holder).toBe('another');
  expect([at.world.manager.leads, at.world.manager.ready]).toEqual([false, true]);
});
