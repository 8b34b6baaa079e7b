/** Starting and stopping at the worst moment. */

import { failure, raw, settleSockets, silence, stream } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { PATH, type Scenario, scenario } from './support/scenario.ts';
import { CHUNKED, chunk, line } from './support/wire.ts';

const LIST = { path: PATH, watch: false } as const;
const BROKEN = failure({ code: 500, reason: 'InternalError' });

/** Where a stop may strike: what the server does, and when the moment has come. */
const MOMENTS: readonly (readonly [string, (it: Scenario) => () => boolean])[] = [
  ['the first connect', () => () => true],
  [
    'the wait for an answer',
    (it) => {
      it.server.on(LIST, silence());
      return () => it.server.reads.length === 1;
    },
  ],
  [
    'the body of a list',
    (it) => {
      it.server.on(LIST, stream(['{"apiVersion":"v1",'], { end: 'hang' }));
      return () => it.server.reads.length === 1;
    },
  ],
  [
    'a backoff',
    (it) => {
      it.server.on(LIST, BROKEN);
      return () => it.informer.status.health === 'failing';
    },
  ],
  [
    'a line of a watch',
    (it) => {
      it.collection.put('a');
      const half = line('ADDED', { metadata: { name: 'b' } }).slice(0, 20);
      it.server.on({ watch: true }, raw([CHUNKED, chunk(half)], 'hang'));
      it.serve();
      return () => it.server.watches.length === 1;
    },
  ],
  [
    'a handler that never settles',
    (it) => {
      it.collection.put('a');
      it.informer.addHandler(() => new Promise(() => {}));
      it.serve();
      return () => it.deliveries.told.length === 1;
    },
  ],
];

test.each(
  MOMENTS,
)('[H50] a stop during %s ends everything, and causes no failures or later requests', async (_, at) => {
  const it = await scenario();
  const reached = at(it);
  void it.run();
  await it.until(reached);

  await it.stop();
  await settleSockets();
  const after = {
    requests: it.server.requests.length,
    told: it.deliveries.told.length,
    alarms: it.clock.pending,
    watches: it.server.openWatches.length,
  };
  const failures = it.statuses.filter(({ health }) => health === 'failing').length;
  it.collection.put('z');
  await it.passes(120_000);

  expect(after.alarms).toBe(0);
  expect(after.watches).toBe(0);
  expect(it.server.requests).toHaveLength(after.requests);
  expect(it.deliveries.told).toHaveLength(after.told);
  expect(it.informer.status.health).toBe('stopped');
  expect(it.statuses.filter(({ health }) => health === 'failing')).toHaveLength(failures);
  expect(it.handlerErrors).toEqual([]);
});

test('[H50] a stop before the first turn of the event loop sends nothing', async () => {
  const it = await scenario();
  it.serve();

  void it.run();
  await it.stop();
  await it.passes(60_000);

  expect(it.server.watches).toEqual([]);
  expect(it.server.openWatches).toEqual([]);
  expect(it.deliveries.told).toEqual([]);
});

test('[H51] a second start opens no second watch', async () => {
  const it = await scenario();
  it.collection.put('a');
  it.serve();

  void it.run();
  void it.run();
  await it.until(() => it.collection.openWatches.length >= 1);
  await it.passes(60_000);
  it.collection.put('b');
  await it.converges();

  expect(it.asked()).toEqual(['list', 'watch@101']);
  expect(it.deliveries.told).toEqual(['add a@101', 'add b@102']);
});

test('[H51] if the source is stopped and started during a back-off, one watch is opened', async () => {
  const it = await scenario();
  it.collection.put('a');
  it.server.on({ ...LIST, nth: 1 }, BROKEN);
  it.serve();
  const first = new AbortController();
  onTestFinished(() => first.abort());
  const ended = it.run(it.make(), first.signal);
  await it.until(() => it.statuses.at(-1)?.health === 'failing');

  first.abort();
  void it.run();
  await ended;
  await it.converges();
  await it.passes(120_000);

  expect(it.asked()).toEqual(['list', 'list', 'watch@101']);
  expect(it.server.openWatches).toHaveLength(1);
});
