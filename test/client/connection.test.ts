/** What `chancery run` connects its parts with: who repeats calls, and what is counted. */

import { eventually, FakeClock, RecordingMeter } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type Connection, connect } from '../../operator/client/connection.ts';
import type { Clock } from '../../operator/core/clock.ts';
import { settingsFrom } from '../../operator/manager/settings/settings.ts';
import { configMaps, leases } from '../../operator/model/builtin.ts';
import { answerOf, rawServer } from '../transport/raw-server.ts';

const { signal } = new AbortController();
const target = { namespace: 'demo', name: 'a' };
const BUSY = '{"kind":"Status","status":"Failure","code":429}';
const TOTAL = 'rest_client_requests_total';

function connected(url: string, clock: Clock, meter?: RecordingMeter): Connection {
  const connection = connect(url, { clock, ...(meter && { meter }) });
  onTestFinished(() => connection.close());
  return connection;
}

test('[P-1] the ambassador’s default address is 127.0.0.1:8001, and CHANCERY_API_URL overrides it', () => {
  const elsewhere = settingsFrom({ CHANCERY_API_URL: 'unix:/run/proxy.sock' });

  expect(settingsFrom({ HTTP_PROXY: 'http://proxy:3128' }).apiUrl).toBe('http://127.0.0.1:8001');
  expect(elsewhere.apiUrl).toBe('unix:/run/proxy.sock');
});

test('[P-14] [P-21] a controller’s client repeats a request to a busy server, and both requests are counted', async () => {
  const clock = new FakeClock();
  const meter = new RecordingMeter();
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: target };
  const server = await rawServer((_request, index) =>
    index === 0 ? answerOf(429, BUSY) : answerOf(200, JSON.stringify(object)),
  );
  const client = connected(server.url, clock, meter).clientFor('tester');

  const reading = client.get(configMaps, target, { signal });
  await eventually(() => meter.value('rest_client_request_retries_total') === 1);
  await clock.advanceAndSettle(600);

  expect(await reading).toEqual(object);
  const { host } = new URL(server.url);
  expect(meter.value(TOTAL, { code: '429', method: 'GET', host })).toBe(1);
  expect(meter.value(TOTAL, { code: '200', method: 'GET', host })).toBe(1);
});

test('[P-13] the client repeats no failed list, watch or request for a Lease', async () => {
  const clock = new FakeClock();
  const meter = new RecordingMeter();
  const server = await rawServer(() => answerOf(429, BUSY));
  const connection = connected(server.url, clock, meter);
  const source = connection.listWatchFor({ resource: configMaps });
  const watch = { resourceVersion: '1', timeoutSeconds: 300, signal };

  const failures = await Promise.allSettled([
    source.listPage({ consistency: { kind: 'latest' }, limit: 1, signal }),
    source.watch(watch),
    connection.leaseClientFor('tester').get(leases, target, { signal }),
  ]);

  expect(failures).toMatchObject(Array(3).fill({ reason: { status: 429 } }));
  expect(server.requests).toHaveLength(3);
  expect(meter.value(TOTAL)).toBe(3);
});
