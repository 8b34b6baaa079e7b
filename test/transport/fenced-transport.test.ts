/** Writes pass a fence when they are given to us and when they are sent; and end when it says so. */
import { text } from 'node:stream/consumers';
import { eventually, FakeClock, settle } from '@chancery/testing';
import { expect, test, vi } from 'vitest';
import { LeadershipLostError } from '../../operator/core/errors.ts';
import type { Fence } from '../../operator/transport/fenced-transport.ts';
import { fencedTransport } from '../../operator/transport/fenced-transport.ts';
import type { Transport, TransportRequest } from '../../operator/transport/transport.ts';
import { answerOf, rawServer, request, transportTo } from './raw-server.ts';

/** A fence that a test moves; undefined: leadership is lost. */
class MovableFence implements Fence {
  deadlineAt: number | undefined;
  readonly lost: LeadershipLostError = new LeadershipLostError('lost', { layer: 'ambassador' });

  constructor(deadlineAt: number | undefined) {
    this.deadlineAt = deadlineAt;
  }

  writeDeadlineAt(): number {
    if (this.deadlineAt === undefined) throw this.lost;
    return this.deadlineAt;
  }
}

/** Sends nothing by itself: the test puts requests on their connection, and they are never answered. */
class WaitingTransport implements Transport {
  readonly waiting: TransportRequest[] = [];
  readonly sent: TransportRequest[] = [];

  send(request: TransportRequest): Promise<never> {
    this.waiting.push(request);
    return new Promise((_resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
    });
  }

  /** As when the connection is there. */
  connect(): void {
    for (const request of this.waiting.splice(0)) {
      request.beforeSend?.();
      this.sent.push(request);
    }
  }

  async close(): Promise<void> {}
}

const write = (parts: Partial<TransportRequest> = {}): TransportRequest =>
  request({ method: 'PATCH', body: '{}', ...parts });

test('[LE-9] a write after the loss of leadership is refused and not sent, and reads are sent', async () => {
  const server = await rawServer(() => answerOf(200));
  const fence = new MovableFence(undefined);
  const transport = fencedTransport(transportTo(server.url), { fence, clock: new FakeClock() });

  const refusals = await Promise.allSettled(
    (['POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
      transport.send(request({ method })),
    ),
  );
  const read = await transport.send(request());

  expect(refusals.map((refusal) => refusal.status === 'rejected' && refusal.reason)).toEqual(
    Array(4).fill(fence.lost),
  );
  expect(read.status).toBe(200);
  expect(server.requests.map(({ head }) => head.split(' ')[0])).toEqual(['GET']);
});

test('[LE-11] a write is refused at its deadline, even if no timer has fired', async () => {
  const transport = new WaitingTransport();
  const fence = new MovableFence(4_000);
  const fenced = fencedTransport(transport, { fence, clock: new FakeClock(4_000) });

  await expect(fenced.send(write())).rejects.toThrow(LeadershipLostError);

  expect(transport.waiting).toEqual([]);
});

test('[LE-9] a write that waits for a connection when leadership is lost is never sent', async () => {
  const server = await rawServer(() => undefined);
  const clock = new FakeClock();
  const fence = new MovableFence(14_000);
  const bytes = transportTo(server.url, { maxInFlight: 1, clock });
  const transport = fencedTransport(bytes, { fence, clock });
  const read = bytes.send(request());
  await eventually(() => server.requests.length === 1);

  const refusal = transport.send(write()).catch((error: unknown) => error);
  await settle();
  fence.deadlineAt = undefined;
  server.requests[0]?.socket.write(answerOf(200));
  await text((await read).body);

  expect(await refusal).toBe(fence.lost);
  expect(server.requests.map(({ head }) => head.split(' ')[0])).toEqual(['GET']);
});

test('[LE-10] a write without a response is cut off at the deadline, with its outcome unknown', async () => {
  const server = await rawServer(() => undefined);
  const clock = new FakeClock();
  const fence = new MovableFence(14_000);
  const transport = fencedTransport(transportTo(server.url, { clock }), { fence, clock });
  const ended = transport.send(write()).catch((error: unknown) => error);
  await eventually(() => server.requests.length === 1);

  fence.deadlineAt = undefined;
  await clock.advanceAndSettle(13_999);
  const isOpenBefore = server.sockets[0]?.destroyed === false;
  await clock.advanceAndSettle(1);

  expect(isOpenBefore).toBe(true);
  expect(await ended).toMatchObject({
    code: 'LEADERSHIP_LOST',
    layer: 'ambassador',
    context: { fate: 'unknown' },
    cause: fence.lost,
  });
  await eventually(() => server.sockets[0]?.destroyed === true);
});

test('[LE-10] the deadline of a running write moves with each renewal', async () => {
  const server = await rawServer(() => undefined);
  const clock = new FakeClock();
  const fence = new MovableFence(14_000);
  const transport = fencedTransport(transportTo(server.url, { clock }), { fence, clock });
  const sending = transport.send(write());
  await eventually(() => server.requests.length === 1);

  fence.deadlineAt = 26_000;
  await clock.advanceAndSettle(20_000);
  server.requests[0]?.socket.write(answerOf(200));

  expect((await sending).status).toBe(200);
});

test('a write that got its response leaves no timer behind, and the response can be read past the deadline', async () => {
  const server = await rawServer(() => 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{');
  const clock = new FakeClock();
  const bytes = transportTo(server.url, { clock });
  const fence = new MovableFence(14_000);
  const response = await fencedTransport(bytes, { fence, clock }).send(write());
  fence.deadlineAt = undefined;

  await clock.advanceAndSettle(15_000);
  server.requests[0]?.socket.write('}');

  expect(await text(response.body)).toBe('{}');
  expect(clock.pending).toBe(0);
});

test('the caller can abort a write while the body of the response is read', async () => {
  const server = await rawServer(() => 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{');
  const clock = new FakeClock();
  const stop = new AbortController();
  const fence = new MovableFence(14_000);
  const transport = fencedTransport(transportTo(server.url, { clock }), { fence, clock });
  const response = await transport.send(write({ signal: stop.signal }));
  const reason = new Error('the reconcile timed out');
  const reading = text(response.body);

  stop.abort(reason);

  await expect(reading).rejects.toBe(reason);
});

test('a write also calls the `beforeSend` of the caller', async () => {
  const bytes = new WaitingTransport();
  const fenced = fencedTransport(bytes, { fence: new MovableFence(1), clock: new FakeClock() });
  const stop = new AbortController();
  const beforeSend = vi.fn();
  const sending = fenced.send(write({ beforeSend, signal: stop.signal }));
  await settle();

  bytes.connect();
  stop.abort();
  await sending.catch(() => {});

  expect(beforeSend).toHaveBeenCalledOnce();
});

test('a write sets no timer if its fence has no time limit', async () => {
  const clock = new FakeClock();
  const fence = new MovableFence(Number.POSITIVE_INFINITY);
  const bytes = new WaitingTransport();
  const stop = new AbortController();

  const sending = fencedTransport(bytes, { fence, clock }).send(write({ signal: stop.signal }));
  const timers = clock.pending;
  stop.abort();
  await sending.catch(() => {});

  expect(timers).toBe(0);
});
