/** Watches whose bytes stop, are cut, or are no lines. */

import { eventually, raw, settleSockets, stream } from '@chancery/testing';
import { expect, test } from 'vitest';
import { type Scenario, scenario } from './support/scenario.ts';
import { CHUNKED, chunk, line } from './support/wire.ts';

/** The collection, which from then on has `a`, `b` and `c`; the first watch answers with `bytes`. */
function firstWatch(
  { server, collection, serve }: Scenario,
  bytes: (b: string, c: string) => readonly string[],
  end: 'cut' | 'reset',
): void {
  collection.put('a');
  server.on({ watch: true, nth: 1 }, (exchange) => {
    const b = line('ADDED', collection.put('b'));
    const c = line('ADDED', collection.put('c'));
    return raw(bytes(b, c), end)(exchange);
  });
  serve();
}

const resumedAfterOneEvent = (it: Scenario): void => {
  expect(it.asked()).toEqual(['list', 'watch@101', 'watch@102']);
  expect(it.deliveries.told).toEqual(['add a@101', 'add b@102', 'add c@103']);
  expect(it.server.openWatches).toHaveLength(1);
};

test('[H01] after a reset that follows an event and half a line, the watch resumes from that event, without loss or repetition', async () => {
  const it = await scenario();
  firstWatch(it, (b, c) => [CHUNKED, chunk(b), chunk(c.slice(0, 40))], 'reset');

  void it.run();
  await it.converges();

  resumedAfterOneEvent(it);
});

test('[H02] after a connection has ended inside a chunk, the watch resumes from the last event, without loss or repetition', async () => {
  const it = await scenario();
  firstWatch(it, (b, c) => [CHUNKED, chunk(b), chunk(c).slice(0, 60)], 'cut');

  void it.run();
  await it.converges();

  resumedAfterOneEvent(it);
});

test('[H03] if a connection ends cleanly inside a line, the incomplete line is dropped', async () => {
  const it = await scenario();
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n';
  firstWatch(it, (b, c) => [head, b, c.slice(0, 50)], 'cut');

  void it.run();
  await it.converges();

  resumedAfterOneEvent(it);
});

test('[H04] a complete last event without its newline is delivered exactly once', async () => {
  const it = await scenario();
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n';
  firstWatch(it, (b, c) => [head, b, c.trimEnd()], 'cut');

  void it.run();
  await it.converges();

  resumedAfterOneEvent(it);
});

test('[H20] a watch without any byte after its headers is replaced soon after its timeoutSeconds, without a list', async () => {
  const it = await scenario();
  it.collection.put('a');
  it.server.on({ watch: true, nth: 1 }, stream([], { end: 'hang' }));
  it.serve();

  void it.run();
  await it.until(() => it.server.openWatches.length === 1);
  it.collection.put('b');
  await it.converges(700_000);

  const [first, second] = it.server.watches;
  const limitMs = Number(first?.query.timeoutSeconds) * 1_000 + 10_000;
  expect(it.asked()).toEqual(['list', 'watch@101', 'watch@101']);
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeLessThanOrEqual(limitMs + 1_000);
  expect(it.server.openWatches).toHaveLength(1);
});

test('[H20] a watch that had bookmarks is replaced after 90 s of silence', async () => {
  const it = await scenario();
  it.collection.put('a');
  it.server.on({ watch: true, nth: 2 }, stream([], { end: 'hang' }));
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);
  it.collection.put('b');
  await it.until(() => it.informer.store.list().length === 2);
  void it.collection.openWatches[0]?.end();
  await it.until(() => it.server.watches.length === 2);

  it.collection.put('c');
  await it.converges(100_000);

  const [, second, third] = it.server.watches;
  expect(it.asked()).toEqual(['list', 'watch@101', 'watch@102', 'watch@102']);
  expect((third?.atMs ?? 0) - (second?.atMs ?? 0)).toBeLessThanOrEqual(91_000);
});

test.each([
  ['20 s: the same watch goes on', 20_000, ['list', 'watch@100']],
  ['20 minutes: one watch is open, and nothing is listed', 1_200_000, undefined],
])('[H20] a watch continues after its ambassador was stopped for %s', async (_, ms, asked) => {
  const it = await scenario({ proxied: true });
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);

  it.proxy.freeze();
  it.collection.put('a');
  await it.passes(ms);
  const told = [...it.deliveries.told];
  it.proxy.thaw();
  it.collection.put('b');
  await it.converges();
  await it.passes(60_000);

  expect(told).toEqual([]);
  expect(it.deliveries.told).toEqual(['add a@101', 'add b@102']);
  expect(it.server.openWatches).toHaveLength(1);
  if (asked !== undefined) expect(it.asked()).toEqual(asked);
  expect(it.asked().filter((one) => one === 'list' || one.startsWith('list>'))).toHaveLength(1);
});

test('[H22] bookmarks count as activity: a watch with only bookmarks is not replaced', async () => {
  const it = await scenario();
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);
  it.collection.bookmark();
  await settleSockets();
  void it.collection.openWatches[0]?.end(); // the second window knows that bookmarks come
  await it.until(() => it.collection.openWatches.length === 1);

  for (let minute = 1; minute <= 4; minute++) {
    await it.passes(60_000);
    it.collection.skipTo(200 + minute);
    it.collection.bookmark();
  }

  expect(it.asked()).toEqual(['list', 'watch@100', 'watch@100']);
  expect(it.collection.openWatches).toHaveLength(1);
  expect(it.deliveries.told).toEqual([]);
});

test('[H24] every reconnect of a silent watch closes the previous watch', async () => {
  const it = await scenario({ watchTimeoutSeconds: [30, 31] });
  const openAtOnce: number[] = [];
  it.server.on({ watch: true, nth: [1, 6] }, (exchange) => {
    openAtOnce.push(it.server.openWatches.length);
    return stream([], { end: 'hang' })(exchange);
  });
  it.serve();

  void it.run();
  await it.until(() => it.server.watches.length === 7);

  expect(openAtOnce).toEqual([1, 1, 1, 1, 1, 1]);
  expect(it.server.openWatches).toHaveLength(1);
  // The server hears of a close a little later than the client.
  await eventually(() => it.server.openConnections <= 2);
});

test('[H39] characters that are split at every byte arrive intact', async () => {
  const text = 'a\u2028b\u2029c\u0000d\u{1f600}e\u00e9\u{10ffff}';
  const it = await scenario({ proxied: true });
  it.serve();
  it.proxy.next({}); // the list
  it.proxy.next({ bytesPerWrite: 1 });

  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);
  it.collection.put('a', { data: { text } });
  it.collection.put('b', { data: { [text]: text } });
  await eventually(() => it.informer.store.list().length === 2);

  expect(it.informer.store.list().map(({ data }) => data)).toEqual([{ text }, { [text]: text }]);
  await it.converges();
  expect(it.asked()).toEqual(['list', 'watch@100']);
});

test('[H40] empty lines, CRLF and white space around events are ignored', async () => {
  const it = await scenario();
  it.server.on({ watch: true, nth: 1 }, (exchange) => {
    const a = line('ADDED', it.collection.put('a')).replace('\n', '\r\n');
    const b = line('ADDED', it.collection.put('b'));
    return stream(['\n\n', a, '\r\n\n', `  \t${b}`, '\r\n'], { end: 'hang' })(exchange);
  });
  it.serve();

  void it.run();
  await it.converges();

  expect(it.asked()).toEqual(['list', 'watch@100']);
  expect(it.deliveries.told).toEqual(['add a@101', 'add b@102']);
  expect(it.statuses.map(({ health }) => health)).toEqual(['healthy']);
});

test('[H40] a line of only white space is ignored, too', async () => {
  const it = await scenario();
  it.server.on({ watch: true, nth: 1 }, (exchange) => {
    const a = line('ADDED', it.collection.put('a'));
    return stream([`  \n\t\r\n${a}`], { end: 'hang' })(exchange);
  });
  it.serve();

  void it.run();
  await it.converges();

  expect(it.asked()).toEqual(['list', 'watch@100']);
});

test('[H41] a garbage line is reported, and no later event is lost', async () => {
  const it = await scenario();
  it.server.on({ watch: true, nth: 1 }, (exchange) => {
    const a = line('ADDED', it.collection.put('a'));
    const b = line('ADDED', it.collection.put('b'));
    return stream([a, 'garbage\n', b], { end: 'hang' })(exchange);
  });
  it.serve();

  void it.run();
  await it.converges();
  await it.until(() => it.collection.openWatches.length === 1);

  expect(it.asked()).toEqual(['list', 'watch@100', 'list', 'watch@102']);
  expect(it.deliveries.told).toEqual(['add a@101', 'add b@102']);
  expect(it.statuses.map(({ reason }) => reason)).toContain('undecodable');
  expect(it.server.openWatches).toHaveLength(1);
});
