/** M-1 to M-4: what a manager starts, in which order, and what joins it later. */
import { once } from 'node:events';
import { get } from 'node:http';
import { eventually, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { type Controller, controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { aborted } from '../../operator/core/abort.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import type { Runnable } from '../../operator/manager/runnable.ts';
import { configMaps, pods } from '../../operator/model/builtin.ts';
import { keyOf } from '../../operator/model/object.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { freePort } from '../cli/child.ts';
import { configMap, LeaseServer, World } from './world.ts';

const ELECTION = { CHANCERY_LEADER_ELECTION: 'true', POD_NAMESPACE: 'ops' };

/** A controller that notes its reconciles among `facts`. */
function reconciling(
  name: string,
  resource: Resource,
  facts: string[],
  needsLeaderElection = true,
): Controller {
  return controller({
    name,
    for: source(resource, { namespace: 'all' }),
    needsLeaderElection,
    reconcile: async (_object, { key, priority }) => {
      facts.push(`${name} reconciles ${key} at ${priority}`);
    },
  });
}

function noting(name: string, facts: string[], more: Partial<Runnable> = {}): Runnable {
  return {
    name,
    ...more,
    run: async (signal) => {
      facts.push(`${name} began`);
      await aborted(signal);
      facts.push(`${name} ended`);
    },
  };
}

async function statusOf(port: number, path: string): Promise<number | undefined> {
  const request = get({ host: '127.0.0.1', port, path, agent: false });
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode;
}

describe('[M-1] the startup order of a manager', () => {
  test('[M-1] a manager starts, in this order: servers, ambassador, sources, work without leadership, election, the rest', async () => {
    const facts: string[] = [];
    const world: World = new World(
      [reconciling('guarded', configMaps, facts), reconciling('everywhere', pods, facts, false)],
      ELECTION,
      {
        metricsServer: {
          start: async () => void facts.push('metrics server began'),
          stop: async () => void facts.push('metrics server ended'),
        },
        isListening: async () => {
          facts.push('ambassador looked for');
          return true;
        },
        prepare: async () => void facts.push('prepared'),
        runnables: [
          noting('guarded-runnable', facts),
          noting('runnable', facts, { needsLeaderElection: false }),
        ],
      },
    );
    world.onLine = ({ message, fields }) => {
      const about = fields.resource ?? fields.controller ?? '';
      if (!message.startsWith('reconciled')) facts.push(`${message} ${about}`.trim());
    };
    world.collection('configmaps').items.push(configMap('a'));
    world.collection('pods').items.push(configMap('b'));

    await world.start();
    await world.clock.advanceAndSettle(5_000);

    const order = [
      'metrics server began',
      'ambassador looked for',
      'prepared',
      'manager started',
      'runnable began',
      'leads',
      'guarded-runnable began',
      'controller started guarded',
      'guarded reconciles default/a at -100',
    ];
    expect(facts.filter((fact) => order.includes(fact))).toEqual(order);
    const at = (fact: string): number => facts.indexOf(fact);
    expect(at('source is healthy configmaps')).toBeGreaterThan(at('manager started'));
    expect(at('source is healthy configmaps')).toBeLessThan(at('controller started guarded'));
    expect(at('everywhere reconciles default/b at -100')).toBeGreaterThan(0);
  });

  test('[M-1] a manager that waits for the ambassador is alive and not ready', async () => {
    const port = await freePort();
    let isThere = false;
    const world = new World(
      [reconciling('one', configMaps, [])],
      { CHANCERY_HEALTH_PORT: `${port}`, CHANCERY_HEALTH_HOST: '127.0.0.1' },
      { isListening: async () => isThere },
    );
    await world.start();
    await eventually(() => world.messages().includes('waiting for the ambassador'));
    const before = [await statusOf(port, '/healthz'), await statusOf(port, '/readyz')];

    isThere = true;
    await world.clock.advanceAndSettle(1_000);

    expect(before).toEqual([200, 500]);
    expect(world.collection('configmaps').lists).toBe(1);
    expect(await statusOf(port, '/readyz')).toBe(200);
  });

  test('[M-1] a failure during startup stops the manager in the normal order, and the run rejects with the failure', async () => {
    const facts: string[] = [];
    const failure = new Error('the definition is not ours');
    const world = new World(
      [reconciling('one', configMaps, facts)],
      {},
      {
        metricsServer: {
          start: async () => void facts.push('metrics server began'),
          stop: async () => void facts.push('metrics server ended'),
        },
        prepare: () => Promise.reject(failure),
        runnables: [noting('runnable', facts)],
      },
    );

    await world.start();

    await expect(world.running).rejects.toBe(failure);
    expect(facts).toEqual(['metrics server began', 'metrics server ended']);
    expect(world.messages()).toEqual(['stopping', 'stopped']);
    expect(world.collection('configmaps').lists).toBe(0);
  });

  test("[M-1] a runnable that fails stops the manager in the normal order, and the error contains the runnable's name", async () => {
    const world = new World(
      [reconciling('one', configMaps, [])],
      {},
      {
        runnables: [{ name: 'broken', run: () => Promise.reject(new Error('no luck')) }],
      },
    );

    await world.start();

    await expect(world.running).rejects.toMatchObject({
      code: 'USER_CODE',
      message: 'runnable broken failed: no luck',
    });
    expect(world.messages().filter((message) => !message.startsWith('source'))).toEqual([
      'manager started',
      'runnable failed, the manager stops',
      'stopping',
      'stopped',
    ]);
  });
});

describe('[M-2] a standby', () => {
  /** Two replicas on one clock; the first leads. */
  async function replicas(environment: Readonly<Record<string, string>> = {}) {
    const leases = new LeaseServer();
    const facts: string[] = [];
    const first = new World([reconciling('first', configMaps, facts)], ELECTION, { leases });
    await first.start();
    const { clock } = first;
    const standby: World = new World(
      [reconciling('standby', configMaps, facts)],
      { ...ELECTION, CHANCERY_LEASE_NAME: 'first-leader', ...environment },
      { leases, clock },
    );
    const collection = standby.collection('configmaps');
    collection.items.push(configMap('a'), configMap('b'));
    await standby.start();
    await clock.advanceAndSettle(60_000);
    return { first, standby, collection, facts, clock };
  }

  test('[M-2] a standby lists, watches and is ready, and reconciles nothing', async () => {
    const { standby, collection, facts } = await replicas();

    expect(standby.manager.leads).toBe(false);
    expect(standby.manager.ready).toBe(true);
    expect([collection.lists, collection.openWatches]).toEqual([1, 1]);
    expect(facts).toEqual([]);
  });

  test('[M-2] a standby reconciles every cached object, at low priority, as soon as it leads', async () => {
    const { first, standby, collection, facts, clock } = await replicas();
    collection.push('ADDED', configMap('c', '101'));
    await settle();
    let ledAt: number | undefined;
    standby.onLine = ({ message }) => {
      if (message === 'leads') ledAt = clock.monotonic();
    };
    let reconciledAt: number | undefined;
    const lists = collection.lists;

    await first.stopAndWait();
    for (let turn = 0; turn < 100 && reconciledAt === undefined; turn++) {
      await clock.advanceAndSettle(100);
      if (facts.length > 0) reconciledAt = clock.monotonic();
    }

    expect(facts.toSorted()).toEqual([
      'standby reconciles default/a at -100',
      'standby reconciles default/b at -100',
      'standby reconciles default/c at -100',
    ]);
    expect((reconciledAt ?? 0) - (ledAt ?? 0)).toBeLessThan(100);
    expect(collection.lists).toBe(lists);
  });

  test('[M-2] a standby with CHANCERY_WARMUP=false watches nothing until it leads', async () => {
    const { first, standby, collection, facts, clock } = await replicas({
      CHANCERY_WARMUP: 'false',
    });
    const before = [collection.lists, standby.manager.ready];

    await first.stopAndWait();
    await clock.advanceAndSettle(10_000);

    expect(before).toEqual([0, true]);
    expect(collection.lists).toBe(1);
    expect(facts).toHaveLength(2);
  });

  test('[K-64] a new leader forgets its earlier writes, because another process has led since', async () => {
    const { first, clock, standby, collection } = await replicas();
    const own = source(configMaps, { namespace: 'all' });
    let shown = (): unknown => expect.unreachable('nothing was reconciled');
    standby.manager.add(
      controller({
        name: 'everywhere',
        for: own,
        needsLeaderElection: false,
        reconcile: async (_object, { client, store }) => {
          await client.create(configMaps, configMap('written', '1000'));
          shown = () => store(own).get(keyOf(configMap('written')))?.metadata.resourceVersion;
        },
      }),
    );
    await clock.advanceAndSettle(10);
    const before = shown();

    await first.stopAndWait();
    await clock.advanceAndSettle(10_000);

    expect(collection.items.map(keyOf)).not.toContain('default/written');
    expect(standby.manager.leads).toBe(true);
    expect([before, shown()]).toEqual(['1000', undefined]);
  });

  test('[M-2] the option leaderElection: false turns the election off, whatever the settings are', async () => {
    const facts: string[] = [];
    const world = new World([reconciling('one', configMaps, facts)], ELECTION, {
      leaderElection: false,
    });
    world.collection('configmaps').items.push(configMap('a'));

    await world.start();

    expect(facts).toHaveLength(1);
    expect(world.leases.lease).toBeUndefined();
  });
});

describe('[M-3] runnables that are added later', () => {
  test('[M-3] runnables added before the run start together with it, and runnables added during the run start at once', async () => {
    const facts: string[] = [];
    const world = new World([], {});
    world.manager.add(noting('early', facts));
    const before = [...facts];
    await world.start();
    world.manager.add(noting('late', facts));
    world.collection('configmaps').items.push(configMap('a'));

    world.manager.add(reconciling('controller', configMaps, facts));
    await settle();

    expect(before).toEqual([]);
    expect(facts).toEqual(['early began', 'late began', 'controller reconciles default/a at -100']);
  });

  test('[M-3] if a runnable that needs leadership is added to a standby, it starts when the standby becomes the leader', async () => {
    const facts: string[] = [];
    const leases = new LeaseServer();
    const leader = new World([reconciling('one', configMaps, [])], ELECTION, { leases });
    await leader.start();
    const { clock } = leader;
    const standby = new World([reconciling('one', configMaps, [])], ELECTION, { leases, clock });
    await standby.start();

    standby.manager.add(noting('guarded', facts));
    standby.manager.add(noting('free', facts, { needsLeaderElection: false }));
    await clock.advanceAndSettle(5_000);
    const before = [...facts];
    await leader.stopAndWait();
    await clock.advanceAndSettle(5_000);

    expect(before).toEqual(['free began']);
    expect(facts).toEqual(['free began', 'guarded began']);
  });

  test('[M-3] add() is refused during shutdown, and for a name that is in use', async () => {
    const world = new World([reconciling('one', configMaps, [])]);
    await world.start();

    expect(() => world.manager.add(reconciling('one', pods, []))).toThrow(ConfigurationError);
    world.stop.abort(new Error('stop'));
    expect(() => world.manager.add(noting('late', []))).toThrow('takes nothing on');
  });
});

describe('[M-4] run and stop', () => {
  test('[M-4] run() is refused a second time, during the first run and after it', async () => {
    const world = new World([reconciling('one', configMaps, [])]);
    await world.start();

    const during = world.manager.run(world.stop.signal);
    await expect(during).rejects.toThrow('a manager runs once');
    await world.stopAndWait();
    const after = world.manager.run(new AbortController().signal);

    await expect(after).rejects.toThrow(ConfigurationError);
    expect(world.collection('configmaps').lists).toBe(1);
  });

  test('[M-4] stop() may be called repeatedly, and resolves when everything has ended', async () => {
    const facts: string[] = [];
    const world = new World([], {}, { runnables: [noting('runnable', facts)] });
    await world.start();

    const stops = [world.manager.stop(), world.manager.stop()];
    await Promise.all(stops);
    await world.manager.stop();

    expect(facts).toEqual(['runnable began', 'runnable ended']);
    expect(world.messages().filter((message) => message === 'stopping')).toHaveLength(1);
    await world.running;
  });

  test('[M-4] if a manager is stopped before its run, the run ends as soon as it begins', async () => {
    const facts: string[] = [];
    const world = new World([], {}, { runnables: [noting('runnable', facts)] });

    await world.manager.stop();
    await world.start();
    await world.running;

    expect(facts).toEqual([]);
  });
});
