/** D-1 and D-3: how a manager ends, in which order and in what time. */

import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { type Controller, controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { aborted } from '../../operator/core/abort.ts';
import { LeadershipLostError } from '../../operator/core/errors.ts';
import type { Runnable } from '../../operator/manager/runnable.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { configMap, World, type WorldOptions } from './world.ts';

const ELECTION = { CHANCERY_LEADER_ELECTION: 'true', POD_NAMESPACE: 'ops' };

function noting(name: string, facts: string[], more: Partial<Runnable> = {}): Runnable {
  return {
    name,
    ...more,
    run: async (signal) => {
      await aborted(signal);
      facts.push(`${name} ended`);
    },
  };
}

/** A controller whose reconciles end when `finish` does; with its signal, if `heeds`. */
function busy(facts: string[], finish: Promise<void>, heeds = true): Controller {
  return controller({
    name: 'busy',
    for: source(configMaps, { namespace: 'all' }),
    reconcile: async (_object, { key, event, signal }) => {
      facts.push(`${key} began`);
      await Promise.race(heeds ? [finish, aborted(signal)] : [finish]);
      facts.push(`${key} ended, ${signal.aborted ? 'aborted' : 'in peace'}`);
      event('Normal', 'Done', 'done');
    },
  });
}

const NEVER: Promise<void> = new Promise(() => {});

/** A manager that leads and has a reconcile under way. */
async function leading(
  one: Controller,
  environment: Readonly<Record<string, string>> = {},
  options: WorldOptions = {},
): Promise<World> {
  const world: World = new World([one], { ...ELECTION, ...environment }, options);
  world.collection('configmaps').items.push(configMap('a'));
  await world.start();
  await world.clock.advanceAndSettle(10);
  return world;
}

/** Milliseconds from the stop to the end of the run, looked at every 100 ms. */
async function stopTime(world: World, limitMs = 60_000): Promise<number> {
  const { clock } = world;
  const startedAt = clock.monotonic();
  let endedAt: number | undefined;
  const ended = (): void => {
    endedAt = clock.monotonic();
  };
  world.stop.abort(new Error('stop'));
  world.running?.then(ended, ended);
  await settle();
  while (endedAt === undefined && clock.monotonic() < startedAt + limitMs) {
    await clock.advanceAndSettle(100);
  }
  return (endedAt ?? Number.POSITIVE_INFINITY) - startedAt;
}

describe('[D-1] stopping an operator', () => {
  test('[D-1] a stopping manager ends intake, controllers, runnables, sources, Events, Lease and servers in this order', async () => {
    const facts: string[] = [];
    const finish = Promise.withResolvers<void>();
    const world = await leading(
      busy(facts, finish.promise),
      {},
      {
        runnables: [
          noting('other', facts),
          noting('feeder', facts, { stopPhase: 'intake' }),
          noting('beside', facts, { stopPhase: 'controllers' }),
        ],
        metricsServer: {
          start: async () => {},
          stop: async () => {
            facts.push(
              `metrics server ended, the Lease is ${world.leases.holder === '' ? 'free' : 'ours'}`,
            );
          },
        },
      },
    );
    world.onLine = ({ message }) => facts.push(message);
    facts.length = 0;

    world.stop.abort(new Error('stop'));
    const readyAtOnce = world.manager.ready;
    await world.clock.advanceAndSettle(3_000);
    facts.push(`sources open: ${world.collection('configmaps').openWatches}`);
    finish.resolve();
    await world.running;

    expect(readyAtOnce).toBe(false);
    expect(facts.filter((fact) => fact !== 'reconciled' && fact !== 'leads')).toEqual([
      'stopping',
      'feeder ended',
      'beside ended',
      'sources open: 1',
      'default/a ended, in peace',
      'controller stopped',
      'other ended',
      'source stopped',
      'leadership released',
      'metrics server ended, the Lease is free',
      'stopped',
    ]);
    expect(world.facts.indexOf('event sent')).toBeGreaterThan(world.facts.indexOf('watch closed'));
    expect(world.facts.indexOf('event sent')).toBeLessThan(
      world.facts.indexOf('leadership released'),
    );
    expect(world.clock.pending).toBe(0);
  });

  test.each([
    ['25 s by default', {}, 10_000, 15_000],
    ['as CHANCERY_SHUTDOWN_TIMEOUT says', { CHANCERY_SHUTDOWN_TIMEOUT: '5' }, 2_000, 3_000],
  ])('[D-1] a hanging reconcile uses up only a share of the stop budget: %s', async (_, environment, graceMs, leftMs) => {
    const facts: string[] = [];
    const signal = Promise.withResolvers<AbortSignal>();
    const hanging = controller({
      name: 'hanging',
      for: source(configMaps, { namespace: 'all' }),
      reconcile: async (_object, context) => {
        signal.resolve(context.signal);
        await NEVER;
      },
    });
    const world = await leading(hanging, environment);
    const startedAt = world.clock.monotonic();
    (await signal.promise).addEventListener('abort', () => {
      facts.push(`aborted after ${world.clock.monotonic() - startedAt}`);
    });

    const tookMs = await stopTime(world);

    expect(facts).toEqual([`aborted after ${graceMs}`]);
    expect(tookMs).toBe(leftMs);
  });

  test('[D-1] if runnables and reconciles all hang, stopping takes no longer than the stop budget', async () => {
    const hang = { run: () => NEVER };
    const world = await leading(
      busy([], NEVER, false),
      {},
      {
        runnables: [
          { name: 'feeder', stopPhase: 'intake', ...hang },
          { name: 'other', ...hang },
          { name: 'another', ...hang },
        ],
      },
    );

    const tookMs = await stopTime(world);

    expect(tookMs).toBe(22_000);
    expect(
      world.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields.names),
    ).toEqual([['feeder'], ['busy'], ['other', 'another']]);
  });

  test('[D-1] a stop timeout of 0 waits for nothing', async () => {
    const world = await leading(busy([], NEVER, false), { CHANCERY_SHUTDOWN_TIMEOUT: '0' });

    expect(await stopTime(world)).toBe(0);
  });

  test('[D-1] a stop timeout of -1 waits without limit, and still aborts reconciles after 10 s', async () => {
    const facts: string[] = [];
    const finish = Promise.withResolvers<void>();
    const world = await leading(busy(facts, finish.promise, false), {
      CHANCERY_SHUTDOWN_TIMEOUT: '-1',
    });

    const before = await stopTime(world, 300_000);
    finish.resolve();
    await world.running;

    expect(before).toBe(Number.POSITIVE_INFINITY);
    expect(facts.at(-1)).toBe('default/a ended, aborted');
    expect(world.leases.holder).toBe('');
  });

  test('[D-1] if a runnable rejects after the manager has begun to stop, this is not a failure', async () => {
    const world = await leading(
      busy([], Promise.resolve()),
      {},
      {
        runnables: [
          {
            name: 'rejecting',
            run: async (signal) => {
              await aborted(signal);
              throw new Error('the operation was aborted');
            },
          },
        ],
      },
    );

    await world.stopAndWait();

    expect(world.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(world.leases.holder).toBe('');
  });
});

describe('[D-3] the Lease during shutdown', () => {
  test('[D-3] the Lease is held and renewed while running work ends, and then released', async () => {
    const finish = Promise.withResolvers<void>();
    const world = await leading(busy([], finish.promise, false));
    const before = world.leases.lease?.spec?.renewTime;

    world.stop.abort(new Error('stop'));
    await world.clock.advanceAndSettle(8_000);
    const during = world.leases.lease?.spec;
    finish.resolve();
    await world.running;

    expect(during?.holderIdentity).not.toBe('');
    expect(String(during?.renewTime) > String(before)).toBe(true);
    expect(world.leases.holder).toBe('');
  });

  test('[D-3] if a reconcile does not end, the Lease is no longer renewed, and expires', async () => {
    const world = await leading(busy([], NEVER, false));
    const { holder } = world.leases;

    const tookMs = await stopTime(world);
    const renewTime = world.leases.lease?.spec?.renewTime;
    await world.clock.advanceAndSettle(60_000);

    expect(tookMs).toBe(15_000);
    expect(world.leases.holder).toBe(holder);
    expect(world.leases.lease?.spec?.renewTime).toBe(renewTime);
    expect(world.messages()).toContain(
      'the Lease is not released, because the work it guards may still write',
    );
  });

  test('[D-3] the release of the Lease does not wait for work that needs no leadership', async () => {
    const world = await leading(
      busy([], Promise.resolve()),
      {},
      {
        runnables: [{ name: 'free', needsLeaderElection: false, run: () => NEVER }],
      },
    );

    await stopTime(world);

    expect(world.leases.holder).toBe('');
  });

  test('[LE-13] the Lease is left to expire with CHANCERY_RELEASE_ON_STOP=false', async () => {
    const world = await leading(busy([], Promise.resolve()), { CHANCERY_RELEASE_ON_STOP: 'false' });
    const { holder } = world.leases;

    await stopTime(world);

    expect(holder).not.toBe('');
    expect(world.leases.holder).toBe(holder);
  });
});

describe('[LE-9] a leader that has lost its Lease', () => {
  test('[LE-9] a leader that lost its Lease aborts its work at once, is not ready, and must exit a second before the Lease ends', async () => {
    const facts: string[] = [];
    const limits: number[] = [];
    const world = await leading(
      busy(facts, NEVER),
      {},
      {
        onLeadershipLost: (withinMs) => limits.push(withinMs),
        runnables: [
          noting('guarded', facts),
          noting('free', facts, { needsLeaderElection: false }),
        ],
      },
    );
    const renewedAt = Date.parse(String(world.leases.lease?.spec?.renewTime));

    world.leases.hangs = true;
    await world.clock.advanceAndSettle(renewedAt + 9_999 - world.clock.monotonic());
    const before = [facts.length, world.manager.leads, world.manager.ready];
    await world.clock.advanceAndSettle(1);

    await expect(world.running).rejects.toThrow(LeadershipLostError);
    expect(before).toEqual([1, true, true]);
    expect(limits).toEqual([4_000]);
    expect(facts.slice(1).toSorted()).toEqual([
      'default/a ended, aborted',
      'free ended',
      'guarded ended',
    ]);
    expect(world.manager.ready).toBe(false);
    expect(world.leases.holder).not.toBe('');
  });

  test('[LE-9] a leader that lost its Lease stops before the Lease ends, whatever hangs', async () => {
    const hang = { run: () => NEVER };
    const world = await leading(
      busy([], NEVER, false),
      {},
      {
        runnables: [
          { name: 'feeder', stopPhase: 'intake', ...hang },
          { name: 'other', ...hang },
        ],
      },
    );
    const renewedAt = Date.parse(String(world.leases.lease?.spec?.renewTime));
    let endedAt: number | undefined;
    world.running?.catch(() => {
      endedAt = world.clock.monotonic();
    });

    world.leases.hangs = true;
    await world.clock.advanceAndSettle(30_000);

    expect(endedAt).toBeLessThan(renewedAt + 14_000);
    expect(endedAt).toBeGreaterThan(renewedAt + 10_000);
  });

  test('[LE-9] if a leader loses its Lease while it stops, it must end before the Lease expires', async () => {
    const world = await leading(busy([], NEVER, false), { CHANCERY_SHUTDOWN_TIMEOUT: '600' });
    const renewedAt = Date.parse(String(world.leases.lease?.spec?.renewTime));
    world.leases.hangs = true;

    const tookMs = await stopTime(world);

    expect(world.clock.monotonic()).toBeLessThan(renewedAt + 14_000);
    expect(tookMs).toBeLessThan(14_100);
    await expect(world.running).rejects.toThrow(LeadershipLostError);
  });

  test("[LE-9] the leader's fence checks only the writes of guarded controllers", async () => {
    const free = controller({
      name: 'free',
      for: source(configMaps, { namespace: 'all' }),
      needsLeaderElection: false,
      reconcile: async () => {},
    });
    const world = await leading(busy([], NEVER));
    world.manager.add(free);
    const deadlineAt = (): number => world.fences.get('busy')?.writeDeadlineAt() ?? 0;
    const before = deadlineAt() > world.clock.monotonic();

    world.leases.hangs = true;
    await world.clock.advanceAndSettle(10_100);

    expect(before).toBe(true);
    expect(deadlineAt).toThrow(LeadershipLostError);
    expect([world.fences.has('free'), world.fences.get('free')]).toEqual([true, undefined]);
  });

  test('[LE-12] a leader that lost its Lease does not become a candidate again', async () => {
    const world = await leading(busy([], Promise.resolve()));
    world.leases.hangs = true;
    await world.clock.advanceAndSettle(11_000);
    await world.running?.catch(() => {});
    world.leases.hangs = false;
    const { lease } = world.leases;

    await world.clock.advanceAndSettle(120_000);

    expect(world.leases.lease).toEqual(lease);
  });
});
