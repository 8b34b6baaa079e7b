import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { settle } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Controller, controller } from '../../operator/controller/controller.ts';
import { enqueueMapped } from '../../operator/controller/mapping.ts';
import type { Reconciler } from '../../operator/controller/reconciler.ts';
import { source } from '../../operator/controller/source.ts';
import { aborted } from '../../operator/core/abort.ts';
import { AmbassadorError, ConfigurationError } from '../../operator/core/errors.ts';
import { yieldToEventLoop } from '../../operator/core/time-slice.ts';
import { configMaps, pods } from '../../operator/model/builtin.ts';
import { type KubernetesObject, keyOf } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import { configMap, World } from './world.ts';

const own = source(configMaps);

function declare(reconcile: Reconciler<KubernetesObject>, name = 'test'): Controller {
  return controller({ name, for: own, reconcile });
}

describe('a manager', () => {
  test('a manager reconciles the existing objects, and each change', async () => {
    const seen: string[] = [];
    const world = new World([
      controller({
        name: 'test',
        for: own,
        reconcile: ({ metadata }, { key }) => void seen.push(`${key} ${metadata.resourceVersion}`),
        gone: (key) => void seen.push(`${key} gone`),
      }),
    ]);
    world.collection('configmaps').items.push(configMap('a'));
    await world.start();

    world.collection('configmaps').push('ADDED', configMap('b', '101'));
    await settle();
    world.collection('configmaps').push('DELETED', configMap('a', '102'));
    await settle();

    expect(seen).toEqual(['default/a 1', 'default/b 101', 'default/a gone']);
  });

  test('[L-15] a manager yields to the event loop every 10 ms, however many controllers have work', async () => {
    const reconciledBefore: number[] = [];
    let reconciled = 0;
    const controllers = Array.from({ length: 10 }, (_, index) =>
      declare(async () => {
        reconciled++;
        world.clock.advance(1);
      }, `c${index}`),
    );
    const world = new World(controllers);
    for (let index = 0; index < 40; index++) {
      world.collection('configmaps').items.push(configMap(`${index}`));
    }

    await world.start();
    while (reconciled < 400) {
      reconciledBefore.push(reconciled);
      await yieldToEventLoop();
    }

    const inOneTurn = reconciledBefore.map(
      (count, turn) => count - (reconciledBefore[turn - 1] ?? 0),
    );
    expect(Math.max(...inOneTurn.slice(1))).toBeLessThanOrEqual(20); // 10, and one more of each worker
    expect(reconciledBefore.length).toBeGreaterThan(10);
  });

  test('[L-15] a manager yields to the event loop between controllers that start together', async () => {
    const toldBefore: number[] = [];
    let told = 0;
    const controllers = Array.from({ length: 10 }, (_, index) =>
      controller({
        name: `c${index}`,
        for: own,
        predicate: () => {
          told++;
          world.clock.advance(4);
          return false;
        },
        reconcile: async () => {},
      }),
    );
    const world = new World(controllers);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      world.collection('configmaps').items.push(configMap(name));
    }

    await world.start();
    while (told < 50) {
      toldBefore.push(told);
      await yieldToEventLoop();
    }

    const inOneTurn = toldBefore.map((count, turn) => count - (toldBefore[turn - 1] ?? 0));
    expect(Math.max(...inOneTurn.slice(1))).toBeLessThanOrEqual(5); // of one controller
    expect(toldBefore.length).toBeGreaterThan(4);
  });

  test('two controllers of one manager both get every change, over one list and one watch', async () => {
    const seen: string[] = [];
    const world = new World([
      declare(async (_object, { key }) => {
        seen.push(`one ${key}`);
      }, 'one'),
      controller({
        name: 'two',
        for: source(configMaps), // equal to the other by its parts
        reconcile: async (_object, { key }) => {
          seen.push(`two ${key}`);
        },
      }),
    ]);
    world.collection('configmaps').items.push(configMap('a'));

    await world.start();

    const { lists, watches } = world.collection('configmaps');
    expect(seen.toSorted()).toEqual(['one default/a', 'two default/a']);
    expect({ lists, watches }).toEqual({ lists: 1, watches: 1 });
    expect(world.scopes).toHaveLength(1);
  });

  test('a manager measures sources, queues and reconciles', async () => {
    const world = new World([declare(async () => {})]);
    world.collection('configmaps').items.push(configMap('a'));

    await world.start();

    const { meter } = world;
    expect(meter.value('chancery_lists_total', { resource: 'configmaps' })).toBe(1);
    expect(meter.value('chancery_cached_objects', { resource: 'configmaps' })).toBe(1);
    expect(meter.value('workqueue_adds_total')).toBe(1);
    expect(meter.value('controller_runtime_reconcile_total', { result: 'success' })).toBe(1);
  });

  test('a manager does not share sources that differ in namespace or selector', async () => {
    const sources = [
      own,
      source(configMaps, { namespace: 'all' }),
      source(configMaps, { namespace: { name: 'other' } }),
      source(configMaps, { labelSelector: 'a=b' }),
      source(configMaps, { fieldSelector: 'metadata.name=a' }),
      source(configMaps, { namespace: { name: 'demo' } }), // what `configured` means here
    ];
    const world = new World(
      sources.map((each, index) =>
        controller({ name: `c${index}`, for: each, reconcile: async () => {} }),
      ),
      { WATCH_NAMESPACE: 'demo' },
    );

    await world.start();

    const namespaces = world.scopes.map(({ namespace }) => namespace);
    expect(namespaces).toEqual(['demo', undefined, 'other', 'demo', 'demo']);
  });

  test('a manager refuses two controllers with the same name', () => {
    const twice = [declare(async () => {}), declare(async () => {})];

    expect(() => new World(twice)).toThrow(ConfigurationError);
    expect(() => new World(twice)).toThrow(
      'two controllers have the same name: numbers 1 and 2 of the manager; rename one',
    );
  });

  test('if the health port is taken, a manager does not start', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => {
      other.close();
    });
    await once(other, 'listening');
    const world = new World([declare(async () => {})], {
      CHANCERY_HEALTH_PORT: `${(other.address() as AddressInfo).port}`,
      CHANCERY_HEALTH_HOST: '127.0.0.1',
    });

    const running = world.manager.run(world.stop.signal);

    await expect(running).rejects.toThrow(ConfigurationError);
    expect(world.collection('configmaps').lists).toBe(0);
  });
});

describe('readiness of a manager', () => {
  test('a manager is ready after the first list of its source, not before', async () => {
    const world = new World([declare(async () => {})]);
    const collection = world.collection('configmaps');
    collection.failure = new AmbassadorError('refused', {
      code: 'AMBASSADOR_UNREACHABLE',
      fate: 'not-sent',
    });
    const beforeStart = world.manager.ready;
    await world.start();
    const beforeList = world.manager.ready;

    collection.failure = undefined;
    await world.clock.advanceAndSettle(60_000);

    expect([beforeStart, beforeList, world.manager.ready]).toEqual([false, false, true]);
  });

  test('[H-3] a manager stays ready if a source fails after startup, and each change of state is one log line', async () => {
    const world = new World([declare(async () => {})]);
    const collection = world.collection('configmaps');
    await world.start();
    const before = world.manager.ready;

    collection.breakDown(new ApiError({ code: 500, reason: 'InternalError', message: 'm' }));
    await world.clock.advanceAndSettle(10 * 60_000);
    const during = world.manager.ready;
    const attempts = collection.watches + collection.lists;
    collection.failure = undefined;
    await world.clock.advanceAndSettle(120_000);

    expect([before, during, world.manager.ready]).toEqual([true, true, true]);
    expect(attempts).toBeGreaterThan(10);
    expect(world.messages().filter((message) => message.startsWith('source'))).toEqual([
      'source is healthy',
      'source is failing, it retries',
      'source is healthy',
    ]);
  });

  test('a manager is ready without an optional source that the server does not serve', async () => {
    const world = new World([
      controller({
        name: 'test',
        for: own,
        watches: [enqueueMapped(source(pods, { optional: true }), (pod) => [keyOf(pod)])],
        reconcile: async () => {},
      }),
    ]);
    world.collection('pods').failure = new ApiError({ code: 404, reason: 'NotFound' });

    await world.start();

    expect(world.manager.ready).toBe(true);
    expect(world.messages()).toContain('controller started');
  });

  test('a manager is not ready without a source that one of its controllers requires', async () => {
    const watching = (name: string, optional: boolean): Controller =>
      controller({
        name,
        for: own,
        watches: [enqueueMapped(source(pods, { optional }), (pod) => [keyOf(pod)])],
        reconcile: async () => {},
      });
    const world = new World([watching('one', true), watching('two', false)]);
    world.collection('pods').failure = new ApiError({ code: 404, reason: 'NotFound' });

    await world.start();

    expect(world.manager.ready).toBe(false);
  });

  test('a manager is not ready once it has begun to stop, even while a reconcile still runs', async () => {
    const finish = Promise.withResolvers<void>();
    const world = new World([
      declare(async () => {
        await finish.promise;
      }),
    ]);
    world.collection('configmaps').items.push(configMap('a'));
    await world.start();
    const before = world.manager.ready;

    world.stop.abort(new Error('stop'));
    await settle();
    const during = world.manager.ready;
    finish.resolve();
    await world.running;

    expect([before, during, world.manager.ready]).toEqual([true, false, false]);
  });
});

describe('stopping a manager', () => {
  test('stopping ends running work, then sources, then Events, and starts no new work', async () => {
    const finish = Promise.withResolvers<void>();
    const world: World = new World([
      declare(async (object, { key, events, signal }) => {
        world.facts.push(`began ${key}`);
        await finish.promise;
        world.facts.push(`ended ${key}, ${signal.aborted ? 'aborted' : 'in peace'}`);
        if (object) {
          events.record({ regarding: object, type: 'Normal', reason: 'A', action: 'B', note: 'c' });
        }
      }),
    ]);
    const collection = world.collection('configmaps');
    collection.items.push(configMap('a'), configMap('b'));
    await world.start();
    world.facts.length = 0;

    world.stop.abort(new Error('stop'));
    await world.clock.advanceAndSettle(9_999);
    collection.push('ADDED', configMap('c', '101'));
    await settle();
    const openBefore = collection.openWatches;
    finish.resolve();
    await world.running;

    expect(openBefore).toBe(1);
    expect(world.facts).toEqual([
      'stopping',
      'ended default/a, in peace',
      'reconciled',
      'controller stopped',
      'watch closed',
      'source stopped',
      'event sent',
      'stopped',
    ]);
    expect(collection.openWatches).toBe(0);
    expect(world.clock.pending).toBe(0);
  });

  test('a hanging reconcile is aborted ten seconds after a manager begins to stop, and the run ends', async () => {
    let abortedAt: number | undefined;
    const world: World = new World([
      declare(async (_object, { signal }) => {
        await aborted(signal);
        abortedAt = world.clock.monotonic();
        throw signal.reason;
      }),
    ]);
    world.collection('configmaps').items.push(configMap('a'));
    await world.start();
    let ended = false;
    void world.running?.then(() => {
      ended = true;
    });

    world.stop.abort(new Error('stop'));
    await world.clock.advanceAndSettle(9_999);
    const early = [ended, abortedAt];
    await world.clock.advanceAndSettle(1);
    await world.running;

    expect(early).toEqual([false, undefined]);
    expect(abortedAt).toBe(10_000);
    expect(world.messages()).not.toContain('reconcile failed');
    expect(world.clock.pending).toBe(0);
  });

  test('a reconcile that ignores its aborted signal is abandoned five seconds later', async () => {
    const never = new Promise<void>(() => {});
    const world: World = new World([declare(() => never)]);
    world.collection('configmaps').items.push(configMap('a'));
    await world.start();

    world.stop.abort(new Error('stop'));
    await world.clock.advanceAndSettle(15_000);
    await world.running;

    expect(world.messages()).toContain('a reconcile ignores its aborted signal, it is left behind');
    expect(world.messages().at(-1)).toBe('stopped');
  });

  test('a manager can be stopped before the first list', async () => {
    const world = new World([declare(async () => {})]);
    world.collection('configmaps').failure = new Error('down');
    await world.start();

    await world.stopAndWait();

    expect(world.messages()).not.toContain('controller started');
    expect(world.messages().at(-1)).toBe('stopped');
    expect(world.clock.pending).toBe(0);
  });

  test('a manager can be stopped before it starts', async () => {
    const world = new World([declare(async () => {})]);
    world.stop.abort(new Error('stop'));

    await world.start();
    await world.running;

    expect(world.manager.ready).toBe(false);
    expect(world.messages().at(-1)).toBe('stopped');
    expect(world.clock.pending).toBe(0);
  });

  test('a bug in a source stops the manager in the normal order, and the run rejects with the error', async () => {
    const world = new World([
      declare(async () => {}),
      controller({ name: 'other', for: source(pods), reconcile: async () => {} }),
    ]);
    const bug = new TypeError('bug');
    world.onLine = ({ message, fields }) => {
      if (message === 'source is healthy' && fields.resource === 'configmaps') throw bug;
    };

    await world.start();

    await expect(world.running).rejects.toBe(bug);
    expect(world.collection('pods').openWatches).toBe(0);
    expect(world.messages().at(-1)).toBe('stopped');
    expect(world.clock.pending).toBe(0);
  });
});

describe('[W-40] the option crdWait', () => {
  const notServed = (): ApiError => new ApiError({ code: 404, message: '404 page not found' });

  /** One controller whose resource is not served, beside one that is at work on a reconcile. */
  async function world(crdWait: string) {
    const facts: string[] = [];
    const busy = controller({
      name: 'busy',
      for: source(pods),
      reconcile: async (_object, { key, signal }) => {
        facts.push(`${key} begun`);
        await aborted(signal);
        facts.push(`${key} ended`);
      },
    });
    const lacking = declare(async () => {}, 'lacking');
    const made = new World([busy, lacking], { CHANCERY_CRD_WAIT: crdWait });
    made.collection('pods').items.push(configMap('a'));
    made.collection('configmaps').failure = notServed();
    await made.start();
    return { facts, world: made };
  }

  test('[W-40] with crdWait set to "timeout" the manager stops after two minutes, and the error contains the missing resource', async () => {
    const { facts, world: it } = await world('timeout');

    await it.clock.advanceAndSettle(119_999);
    const before = it.messages().includes('stopping');
    await it.clock.advanceAndSettle(20_000);

    expect(before).toBe(false);
    await expect(it.running).rejects.toMatchObject({
      code: 'UNSERVED',
      message: expect.stringContaining('ConfigMap (v1)'),
    });
    expect(facts).toEqual(['default/a begun', 'default/a ended']);
    expect(it.messages().at(-1)).toBe('stopped');
    expect(it.collection('pods').openWatches).toBe(0);
  });

  test.each([
    ['forever', false],
    ['optional', true],
  ])('[W-40] with the option crdWait set to %s the manager is ready without the resource: %s', async (crdWait, ready) => {
    const { world: it } = await world(crdWait);

    await it.clock.advanceAndSettle(300_000);

    expect(it.manager.ready).toBe(ready);
    expect(it.messages().filter((message) => message === 'controller started')).toHaveLength(
      ready ? 2 : 1,
    );
  });
});
