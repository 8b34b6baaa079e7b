import { text } from 'node:stream/consumers';
import { eventually, FakeClock, RecordingMeter } from '@chancery/testing';
import { expect, test } from 'vitest';
import { meteredTransport } from '../../operator/transport/metered-transport.ts';
import { answerOf, CHUNKED_HEAD, rawServer, request, transportTo } from './raw-server.ts';

const host = '127.0.0.1:8001';
const TOTAL = 'rest_client_requests_total';
const SECONDS = 'rest_client_request_duration_seconds';

test('[P-21] requests are counted by code, method and host, as client-go does', async () => {
  const meter = new RecordingMeter();
  const codes = [200, 404, 200];
  const server = await rawServer((_request, index) => answerOf(codes[index] ?? 500));
  const transport = meteredTransport(transportTo(server.url), {
    meter,
    clock: new FakeClock(),
    host,
  });

  for (const method of ['GET', 'GET', 'PATCH'] as const) {
    await text((await transport.send(request({ method }))).body);
  }

  expect(meter.value(TOTAL, { code: '200', method: 'GET', host })).toBe(1);
  expect(meter.value(TOTAL, { code: '404', method: 'GET', host })).toBe(1);
  expect(meter.value(TOTAL, { code: '200', method: 'PATCH', host })).toBe(1);
  expect(meter.value(TOTAL)).toBe(3);
  expect(meter.observations(SECONDS)).toEqual([]);
});

test('[P-21] a request without a response is counted as <error>, and a request that was never sent is not counted', async () => {
  const meter = new RecordingMeter();
  const server = await rawServer(() => answerOf(200));
  const transport = meteredTransport(transportTo(server.url), {
    meter,
    clock: new FakeClock(),
    host,
  });
  await server.close();

  await expect(transport.send(request())).rejects.toMatchObject({ code: 'AMBASSADOR_UNREACHABLE' });
  await expect(transport.send(request({ signal: AbortSignal.abort() }))).rejects.toThrow();

  expect(meter.value(TOTAL, { code: '<error>', method: 'GET', host })).toBe(1);
  expect(meter.value(TOTAL)).toBe(1);
});

test('[P-21] with detailed metrics, the durations of calls are measured in seconds', async () => {
  const meter = new RecordingMeter();
  const clock = new FakeClock();
  const server = await rawServer(({ head }) =>
    head.startsWith('GET /watch') ? CHUNKED_HEAD : undefined,
  );
  const transport = meteredTransport(transportTo(server.url), {
    meter,
    clock,
    host,
    detailed: true,
  });
  const sending = transport.send(request({ method: 'PUT', body: '{}' }));
  await eventually(() => server.requests.length === 1);

  clock.advance(250);
  server.requests[0]?.socket.write(answerOf(200));
  await text((await sending).body);
  await transport.send(request({ purpose: 'watch', path: '/watch' }));

  expect(meter.observations(SECONDS)).toEqual([0.25]);
  expect(meter.observations(SECONDS, { verb: 'PUT', host })).toEqual([0.25]);
  expect(meter.value(TOTAL)).toBe(2);
});

test('[X-1] with detailed metrics, the sizes of complete calls are measured in bytes', async () => {
  const meter = new RecordingMeter();
  const server = await rawServer(({ head }) => {
    if (head.startsWith('GET /short')) return 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf';
    return head.startsWith('GET /watch') ? CHUNKED_HEAD : answerOf(200, 'snow!');
  });
  const transport = meteredTransport(transportTo(server.url), {
    meter,
    clock: new FakeClock(),
    host,
    detailed: true,
  });

  await text((await transport.send(request({ method: 'PUT', body: 'grüß' }))).body);
  const short = await transport.send(request({ path: '/short' }));
  server.requests[1]?.socket.destroy();
  await text(short.body).catch(() => {});
  await transport.send(request({ purpose: 'watch', path: '/watch' }));

  expect(meter.observations('rest_client_request_size_bytes')).toEqual([6, 0]);
  expect(meter.observations('rest_client_response_size_bytes')).toEqual([5]);
});

test('[X-1] the size of a response in many chunks is the sum of their sizes', async () => {
  const meter = new RecordingMeter();
  const body = 'x'.repeat(300_000);
  const server = await rawServer(() => answerOf(200, body));
  const transport = meteredTransport(transportTo(server.url), {
    meter,
    clock: new FakeClock(),
    host,
    detailed: true,
  });

  const read = await text((await transport.send(request())).body);

  expect(read).toHaveLength(300_000);
  expect(meter.observations('rest_client_response_size_bytes')).toEqual([300_000]);
});
