/** A server that sends as fast as it can, and a handler that does not: what is read ahead of it. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Reply } from '@chancery/testing';
import { errorEvent, eventually, RecordingMeter, settleSockets } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { ConfigMap } from '../../operator/model/builtin.ts';
import type { Change } from '../../operator/store/change.ts';
import { type Scenario, scenario } from './support/scenario.ts';

const MOST_EVENTS = 1_000;
const MOST_BYTES = 16 * 1024 * 1024;
const PATIENT = { timeoutMs: 50_000 } as const;
const TIMEOUT_MS = 60_000;

/** Every connection that this process opens from now on. */
function openedSockets(): readonly Socket[] {
  const sockets: Socket[] = [];
  const opened = (message: unknown): void => {
    sockets.push((message as { socket: Socket }).socket);
  };
  subscribe('net.client.socket', opened);
  onTestFinished(() => void unsubscribe('net.client.socket', opened));
  return sockets;
}

/** A MODIFIED line with nothing in it that could be left out, but for `filling`. */
function eventLine(number: number, filling: string): string {
  const metadata = {
    name: `o-${String(number % 100).padStart(2, '0')}`,
    namespace: 'demo',
    uid: String(number % 100).padStart(2, '0'),
    resourceVersion: String(1_000_000 + number),
  };
  const object = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata,
    ...(filling && { data: { filling } }),
  };
  return `${JSON.stringify({ type: 'MODIFIED', object })}\n`;
}

/** Sends `lines`, each as soon as the connection takes it, and leaves the watch open. */
function feed(lines: Iterable<string>): Reply {
  return async ({ response, signal }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    await pipeline(Readable.from(lines), response, { end: false, signal }).catch(() => {});
  };
}

test.each([
  ['100,000 of the smallest possible events', 100_000, ''],
  ['500 events of 200 KB', 500, 'x'.repeat(200_000)],
])(
  '[W-11] at most 1,000 events and 16 MiB are read ahead of a handler with back-pressure: %s',
  async (_case, count, filling) => {
    const sockets = openedSockets();
    const it = await scenario();
    const lineBytes = eventLine(1, filling).length;
    const wireBytes = lineBytes + lineBytes.toString(16).length + 4; // each line is an HTTP chunk
    it.server.on(
      { watch: true, nth: 1 },
      feed(Array.from({ length: count }, (_, n) => eventLine(n, filling))),
    );
    it.serve();
    const versions: number[] = [];
    let holds = 0;
    let held: PromiseWithResolvers<void> | undefined;
    it.informer.addHandler(
      async (changes: readonly Change<ConfigMap>[]) => {
        for (const { object } of changes) versions.push(Number(object.metadata.resourceVersion));
        if (versions.length < (holds * count) / 10) return;
        holds++;
        held = Promise.withResolvers();
        await held.promise;
      },
      { backpressure: true },
    );
    const bytesRead = (): number =>
      sockets.reduce((most, { bytesRead: bytes }) => Math.max(most, bytes), 0);
    const ahead: { readonly bytes: number; readonly events: number }[] = [];

    void it.run();
    while (versions.length < count) {
      await eventually(() => held !== undefined || versions.length === count, PATIENT);
      await settleSockets();
      await settleSockets();
      const bytes = bytesRead() - versions.length * wireBytes;
      ahead.push({ bytes, events: bytes / wireBytes });
      held?.resolve();
      held = undefined;
    }

    expect(holds).toBeGreaterThanOrEqual(8);
    expect(Math.max(...ahead.map(({ events }) => events))).toBeLessThanOrEqual(MOST_EVENTS);
    expect(Math.max(...ahead.map(({ bytes }) => bytes))).toBeLessThanOrEqual(
      MOST_BYTES + lineBytes,
    );
    expect(versions).toEqual(Array.from({ length: count }, (_, n) => 1_000_000 + n));
  },
  TIMEOUT_MS,
);

type Slow = Scenario & {
  /** From now on the handler holds what it is told of, until it is released. */
  hold(): void;
  release(): void;
  end(how: 'finish' | 'reset'): Promise<void>;
};

/** How a watch ends, what the count says of it, and how many lists there are in all. */
const ENDS: readonly [string, number, number, (it: Slow) => Promise<void>][] = [
  [
    'is closed while a handler holds',
    1,
    1,
    async (it) => {
      it.hold();
      it.collection.put('b');
      await it.passes(1_000);
      await it.end('finish');
    },
  ],
  [
    'is reset while a handler holds',
    1,
    1,
    async (it) => {
      it.hold();
      it.collection.put('b');
      await it.passes(1_000);
      await it.end('reset');
    },
  ],
  [
    'is closed right after a handler has held, and what had been sent was read',
    1,
    1,
    async (it) => {
      it.hold();
      it.collection.put('b');
      await it.passes(1_000);
      for (let n = 0; n < 100; n++) it.collection.put('b');
      it.release();
      await it.passes(100);
      await it.end('finish');
    },
  ],
  [
    'is closed while a handler keeps pace',
    0,
    1,
    async (it) => {
      for (let n = 0; n < 100; n++) {
        it.collection.put('b');
        await it.passes(100);
      }
      await it.end('finish');
    },
  ],
  [
    'is closed while a handler holds, but not for a second',
    0,
    1,
    async (it) => {
      it.hold();
      it.collection.put('b');
      await it.passes(900);
      await it.end('finish');
    },
  ],
  [
    'is closed when a handler has held once, but keeps pace since',
    0,
    1,
    async (it) => {
      it.hold();
      it.collection.put('b');
      await it.passes(30_000);
      it.release();
      for (let n = 0; n < 20; n++) {
        it.collection.put('b');
        await it.passes(100);
      }
      await it.end('finish');
    },
  ],
  [
    'is closed when a handler has held once, and nothing has come since',
    0,
    1,
    async (it) => {
      it.hold();
      it.collection.put('b');
      await it.passes(30_000);
      it.release();
      await it.passes(1_000);
      await it.end('finish');
    },
  ],
  [
    'is told while a handler holds that its resourceVersion has expired',
    0,
    2,
    async (it) => {
      it.hold();
      it.collection.put('b');
      await it.passes(1_000);
      it.collection.openWatches[0]?.send(
        errorEvent({ code: 410, reason: 'Expired', message: 'old' }),
      );
      await it.end('finish');
    },
  ],
  [
    'is closed at its own time while a handler holds',
    0,
    1,
    async (it) => {
      it.hold();
      it.collection.put('b');
      await it.passes(301_000);
    },
  ],
];

test.each(
  ENDS,
)('[W-11] a watch that %s misses no event; the metric slow_consumer is %i, and %i lists are requested', async (_case, count, lists, happens) => {
  const meter = new RecordingMeter();
  const it = await scenario({ meter, watchTimeoutSeconds: [300, 301] });
  let held: PromiseWithResolvers<void> | undefined;
  it.informer.addHandler(() => held?.promise, { backpressure: true });
  onTestFinished(() => held?.resolve());
  it.collection.put('a');
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);
  const release = (): void => {
    held?.resolve();
    held = undefined;
  };

  await happens({
    ...it,
    hold: () => {
      held = Promise.withResolvers();
    },
    release,
    end: async (how) => {
      await it.collection.openWatches[0]?.end(how);
      it.collection.put('c'); // between two watches
    },
  });
  release();
  await it.until(() => it.collection.openWatches.length === 1);

  expect(meter.value('chancery_watch_slow_consumer_total')).toBe(count);
  expect(it.server.reads).toHaveLength(lists);
  await it.converges();
});
