/** The reflector over HTTP messages: what it asks for, and what it makes of each answer. */
import { PassThrough } from 'node:stream';
import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { listWatch, type Scope } from '../../operator/client/source.ts';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { defineResource } from '../../operator/model/resource.ts';
import type { TransportRequest } from '../../operator/transport/transport.ts';
import type { ReflectorOptions } from '../../operator/watch/reflector-options.ts';
import { type CannedAnswer, cannedTransport, parsePath } from '../client/canned-transport.ts';
import type { Thing } from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

const things = defineResource<Thing>({
  group: '',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  namespaced: true,
});
const thing = (name: string, resourceVersion: string, value: unknown = 0): object => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'demo', uid: `uid-${name}`, resourceVersion },
  value,
});
const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const status = (code: number, reason = '', more: object = {}): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  ...more,
});
const json = (body: object): CannedAnswer => ({
  status: (body as { code: number }).code,
  body,
});
const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const TOO_LARGE = status(504, 'Timeout', {
  details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
});

/** A server whose lists hold `a` at 100; each watch is a body that the test writes. */
function serve(options: Partial<ReflectorOptions> = {}, scope: Scope = {}) {
  const bodies: PassThrough[] = [];
  const lists: (CannedAnswer | Error)[] = [];
  const watches: (CannedAnswer | Error)[] = [];
  const answer = (request: TransportRequest): CannedAnswer => {
    const isWatch = request.purpose === 'watch';
    const next = (isWatch ? watches : lists).shift();
    if (next instanceof Error) throw next;
    if (next !== undefined) return next;
    if (!isWatch) return { body: list([thing('a', '90')]) };
    const body = new PassThrough();
    bodies.push(body);
    request.signal.addEventListener('abort', () => body.destroy(new Error('aborted')));
    return { body };
  };
  const transport = cannedTransport(answer);
  const source = listWatch<Thing>(transport, things, scope);
  const started = start(options, source);
  const requests = (): Record<string, string>[] =>
    transport.requests
      .map((request) => parsePath(request))
      .filter(({ path }) => path.includes('/things'))
      .map(({ query }) => query);
  return {
    ...started,
    transport,
    requests,
    lists,
    watches,
    newest: () => bodies.at(-1) ?? new PassThrough(),
    values: () => started.cached().map(({ metadata, value }) => `${metadata.name}=${value}`),
  };
}

function list(items: readonly object[], metadata: object = {}): object {
  const resourceVersion = '100';
  return { kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion, ...metadata }, items };
}

const WATCH = {
  watch: '1',
  resourceVersion: '100',
  allowWatchBookmarks: 'true',
  timeoutSeconds: '450',
};
const FRESHER = { resourceVersion: '100', resourceVersionMatch: 'NotOlderThan' };
const LATEST = { limit: '500' };

/** What is asked for after a watch ended so, and within how many milliseconds. */
const ROWS: readonly [row: string, how: CannedAnswer | Error | string, ms: number, next: object][] =
  [
    ['1: 410 as HTTP status', json(status(410, 'Expired')), 1, FRESHER],
    ['2: 410 as ERROR event', line('ERROR', status(410, 'Expired')), 1, FRESHER],
    ['5: cut', 'cut', 250, WATCH],
    ['7: refused', refused(), 250, WATCH],
    ['8: 500 text/plain of the proxy', dial(), 1_600, WATCH],
    ['9: 429', json(status(429, 'TooManyRequests')), 1_600, WATCH],
    ['9: 429 as ERROR event', line('ERROR', status(429, 'TooManyRequests')), 1_600, WATCH],
    ['10: 503', json(status(503, 'ServiceUnavailable')), 1_600, WATCH],
    ['11: ahead of the server', json(TOO_LARGE as { code: number }), 1_600, WATCH],
    ['12: 500 as ERROR event', line('ERROR', status(500, 'InternalError')), 1_600, WATCH],
    ['12: a foreign resourceVersion', json(foreign()), 1_600, LATEST],
    [
      '16: 404 text of the API server',
      { status: 404, headers: TEXT, body: '404 page not found' },
      12_000,
      LATEST,
    ],
    ['19: an ERROR that is a text', line('ERROR', 'boom'), 1_600, LATEST],
    ['19: a line that is not JSON', 'garbage\n', 1, LATEST],
    ['19: a line of one control character', '\u0000\n', 1, LATEST],
    ['19: an unknown type', line('RENAMED', thing('a', '101')), 1, LATEST],
    ['19: no object', '{"type":"ADDED"}\n', 1, LATEST],
  ];

test.each(
  ROWS,
)('[W-20] [W-21] over a real connection, the reflector does what row %s says', async (_, how, withinMs, next) => {
  const { clock, requests, newest, watches, values } = serve();
  await clock.advanceAndSettle(5_000);
  if (typeof how !== 'string') watches.push(how);

  if (how === 'cut') newest().destroy(lost());
  else if (typeof how === 'string') newest().write(how);
  else newest().end();
  await settle();
  await clock.advanceAndSettle(100); // the spacing of opens
  await clock.advanceAndSettle(withinMs);

  const failed = typeof how === 'string' ? 2 : 3;
  const asked = requests().filter(({ limit }) => limit !== '1'); // a silent window is probed
  expect(asked[failed]).toEqual(next);
  expect(values()).toEqual(['a=0']);
});

test('[W-20] rows 3, 4 and 6: after a clean end or a stall, the watch resumes; after a second empty watch, a list follows', async () => {
  const { clock, requests, newest, watches } = serve();
  await clock.advanceAndSettle(2_000);
  newest().end();
  await clock.advanceAndSettle(5_000);
  await clock.advanceAndSettle(460_000); // silent beyond its time
  const resumed = requests().filter(({ watch }) => watch !== undefined);
  watches.push({ body: '' }, { body: '' });
  newest().end();
  await clock.advanceAndSettle(10_000);

  expect(resumed).toEqual([WATCH, WATCH, WATCH]);
  expect(requests().filter(({ limit }) => limit === '500')).toHaveLength(2);
});

test('[L-2] [W-1] [W-2] no request combines parameters that a server refuses together', async () => {
  let seed = 1;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const scope = { namespace: 'demo', labelSelector: 'app=web' };
  const { clock, transport, lists, watches, newest } = serve(
    { random, list: 'auto', labels: {} },
    scope,
  );
  const failures = [status(410, 'Expired'), TOO_LARGE, status(429), status(500), status(422)];
  for (let turn = 0; turn < 300; turn++) {
    const failure = failures[Math.floor(random() * 5)] as { code: number };
    if (turn % 3 === 0) lists.push({ body: list([thing('a', '90')], { continue: `t${turn}` }) });
    if (turn % 4 === 0) lists.push(json(failure));
    if (turn % 2 === 0) watches.push(json(failure));
    newest().write(
      line(
        turn % 5 === 0 ? 'ERROR' : 'BOOKMARK',
        turn % 5 === 0 ? failure : thing('a', `${200 + turn}`),
      ),
    );
    newest().end();
    await clock.advanceAndSettle(20_000);
  }

  const queries = transport.requests.map((request) => parsePath(request));
  const seconds = queries.flatMap(({ query }) => query.timeoutSeconds ?? []).map(Number);
  expect(queries.length).toBeGreaterThan(200);
  for (const { path, query } of queries) {
    const { watch, resourceVersion, resourceVersionMatch, limit, sendInitialEvents } = query;
    expect([path, query.labelSelector]).toEqual(['/api/v1/namespaces/demo/things', 'app=web']);
    if (query.continue !== undefined) {
      const only = Object.keys(query).filter((name) => name !== 'limit');
      expect(only.sort()).toEqual(['continue', 'labelSelector']);
    }
    if (watch === undefined) {
      expect(sendInitialEvents).toBeUndefined();
      if (resourceVersionMatch !== undefined) expect(resourceVersion).toMatch(/^[1-9]/);
    } else {
      expect([limit, query.allowWatchBookmarks]).toEqual([undefined, 'true']);
      expect(resourceVersionMatch).toBe(sendInitialEvents && 'NotOlderThan');
      if (sendInitialEvents === undefined) expect(resourceVersion).toMatch(/^[1-9]/);
    }
  }
  expect(seconds.every((value) => Number.isInteger(value) && value >= 300 && value < 600)).toBe(
    true,
  );
  expect(new Set(seconds).size).toBeGreaterThan(50);
});

describe('[L-8] [L-11] after an invalid list, the old objects are kept, and the list is tried again', () => {
  const noUid = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', resourceVersion: '1' } };
  test.each([
    ['without a resourceVersion', list([], { resourceVersion: '' })],
    ['at resourceVersion 0', list([], { resourceVersion: '0' })],
    ['with an item without a uid', list([noUid])],
    ['with an item without a name', list([{ metadata: { uid: 'u' } }])],
    ['that is a Table', { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {}, rows: [] }],
    [
      'of metadata only',
      { ...list([]), kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' },
    ],
    ['that is cut short', JSON.stringify(list([thing('a', '90')])).slice(0, -9)],
  ])('a list %s is refused, the old objects are kept, and the list is tried again', async (_, body) => {
    const { clock, lists, newest, values, requests, statuses, meter } = serve();
    await clock.advanceAndSettle(5_000);
    lists.push({ body });

    newest().write('garbage\n');
    await settle();
    const during = [...values()];
    await clock.advanceAndSettle(60_000);

    expect(during).toEqual(['a=0']);
    expect(values()).toEqual(['a=0']);
    expect(statuses).toEqual(['healthy', 'failing: undecodable', 'healthy']);
    expect(requests().filter(({ watch }) => watch === undefined)).toHaveLength(3);
    expect(meter.value('chancery_decode_errors_total')).toBe(2);
  });
});

test('[W-10] a line is read whole wherever it is split, with CRLF and blank lines around it', async () => {
  const { newest, values, clock } = serve();
  await clock.advanceAndSettle(2_000);
  const whole = `\r\n\n${line('MODIFIED', thing('a', '101', 'ü€😀\u2028')).replace('\n', '\r\n')}`;
  const bytes = Buffer.from(whole);

  for (let at = 1; at < bytes.length; at++) {
    const version = `${100 + at}`;
    const mine = Buffer.from(whole.replace('"101"', `"${version}"`));
    newest().write(mine.subarray(0, at));
    await new Promise((resolve) => setImmediate(resolve));
    newest().write(mine.subarray(at));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await settle();

  expect(values()).toEqual(['a=ü€😀\u2028']);
});

test.each([
  ['[H01] half a line and a broken connection', '{"type":"ADDED","obj', true],
  ['[H03] half a line and a clean end', '{"type":"ADDED","obj', false],
  ['[H04] a complete line without its newline', line('ADDED', thing('b', '102')).trimEnd(), false],
])('[W-12] after %s, the watch resumes from the last complete line', async (_, tail, broken) => {
  const { clock, newest, requests, changes } = serve();
  await clock.advanceAndSettle(2_000);
  changes.length = 0;

  newest().write(`${line('MODIFIED', thing('a', '101', 1))}${tail}`);
  await settle();
  if (broken) newest().destroy(lost());
  else newest().end();
  await clock.advanceAndSettle(400);
  newest().write(line('ADDED', thing('b', '102')));
  await settle();

  expect(requests().at(-1)).toEqual({ ...WATCH, resourceVersion: '101' });
  expect(changes).toEqual(['update demo/a 101', 'add demo/b 102']);
});

test('[W-14] events of another kind are skipped and counted', async () => {
  const { clock, newest, requests, values, meter } = serve();
  await clock.advanceAndSettle(2_000);

  newest().write(line('ADDED', { ...thing('x', '101'), kind: 'Other' }));
  newest().write(line('MODIFIED', thing('a', '102', 5)));
  await settle();

  expect(values()).toEqual(['a=5']);
  expect(requests()).toHaveLength(2);
  expect(meter.value('chancery_watch_events_skipped_total')).toBe(1);
});

test('[W-32] data that arrived while the event loop was blocked is read before the connection counts as dead', async () => {
  const { clock, newest, transport, values } = serve();
  await settle();
  for (let minute = 1; minute < 4; minute++) {
    newest().write(line('BOOKMARK', thing('', `${100 + minute}`)));
    await clock.advanceAndSettle(60_000);
  }
  newest().end(); // this window had a line every minute: 90 s of silence are a dead line now
  await clock.advanceAndSettle(200);
  const before = transport.requests.length;

  newest().write(line('MODIFIED', thing('a', '110', 3)));
  clock.advance(100_000);
  await settle();
  const after = transport.requests.length;
  await clock.advanceAndSettle(91_000);

  expect(values()).toEqual(['a=3']);
  expect(after).toBe(before);
  expect(transport.requests.length).toBe(before + 1); // silence is still found afterwards
});

const METADATA_FORM = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };

test('[L-16] a metadata-only source requests and caches only metadata, under the kind of the objects', async () => {
  const { newest, transport, lists, cached } = serve({}, { metadataOnly: true });
  const { metadata: listed } = thing('a', '90') as Thing;
  const { metadata: unnamed } = thing('b', '91') as Thing;
  const { metadata: watched } = thing('c', '101') as Thing;
  lists.push({
    body: {
      ...list([{ ...METADATA_FORM, metadata: listed }, { metadata: unnamed }]),
      ...{ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadataList' },
    },
  });
  await settle();

  newest().write(line('ADDED', { ...METADATA_FORM, metadata: watched }));
  await settle();

  const own = { apiVersion: 'v1', kind: 'Thing' };
  expect(cached()).toEqual([listed, unnamed, watched].map((metadata) => ({ ...own, metadata })));
  expect(transport.requests.map(({ headers }) => headers?.accept)).toEqual([
    'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  ]);
});

test('[L-16] a metadata-only source refuses a list of whole objects, and skips whole objects in a watch', async () => {
  const { newest, clock, lists, cached, meter, statuses } = serve({}, { metadataOnly: true });
  const empty = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadataList' };
  lists.push({ body: list([thing('a', '90')]) }, { body: { ...list([]), ...empty } });
  await settle();
  const refusedWith = [...statuses];
  await clock.advanceAndSettle(2_000);

  newest().write(line('ADDED', thing('b', '101')));
  await settle();

  expect(refusedWith).toEqual(['failing: undecodable']);
  expect(cached()).toEqual([]);
  expect(meter.value('chancery_watch_events_skipped_total', {})).toBe(1);
});

function refused(): AmbassadorError {
  return new AmbassadorError('no', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' });
}
function lost(): AmbassadorError {
  return new AmbassadorError('cut', { code: 'CONNECTION_LOST', fate: 'unknown' });
}
function dial(): CannedAnswer {
  return { status: 500, headers: TEXT, body: 'dial tcp: connect: connection refused' };
}
function foreign(): { code: number } {
  const message = 'resourceVersion: Invalid value: "abc": strconv.ParseUint';
  return status(500, '', { message }) as { code: number };
}
