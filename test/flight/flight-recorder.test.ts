/** What the recorder keeps of a process, and with what each segment begins. */
import { Readable } from 'node:stream';
import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { linkedAbort } from '../../operator/core/abort.ts';
import { FlightRecorder } from '../../operator/flight/flight-recorder.ts';
import type { KeptLine } from '../../operator/flight/kept-line.ts';
import type { ObservedProcess } from '../../operator/manager/observe/process-observer.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { Entry } from '../../operator/model/entry.ts';
import { objectKey } from '../../operator/model/object.ts';
import type { Transport } from '../../operator/transport/transport.ts';

const KEY = objectKey('demo', 'a');
const NEVER = new AbortController().signal;
const COPIER = controller({ name: 'copier', for: source(configMaps), async reconcile() {} });
const GET = { method: 'GET', path: '/api/v1/configmaps', signal: NEVER } as const;

/** A recorder of a process with one cache and one waiting key, at a transport with answers of the test. */
function start({ megabytes = 64 } = {}) {
  const clock = new FakeClock(0);
  const state = { delivered: true, entries: [configMap('1')] };
  const triggered: string[] = [];
  const recorder = new FlightRecorder({
    ...{ clock, minutes: 10, megabytes, seed: 7 },
    triggered: (reason, why) => triggered.push(`${reason}: ${why}`),
  });
  const informer = {
    ...{ synced: true, state: 'watching', resourceVersion: '5', status: { reason: undefined } },
    entries: () => state.entries,
    cached: () => state.entries[0],
  };
  const scope = {
    resource: configMaps,
    namespace: 'demo',
    labelSelector: undefined,
    fieldSelector: undefined,
  };
  recorder.attach({
    leads: true,
    get delivered() {
      return state.delivered;
    },
    scopes: () => [{ scope, informer, group: 'g', form: 'full' }],
    waiting: () => [
      ['copier', { key: KEY, state: 'ready', dueInMs: undefined, failures: 2, priority: 0 }],
    ],
    groupOf: () => 'g',
  } as unknown as ObservedProcess);
  const lines = (): readonly KeptLine[] => recorder.flight()?.lines ?? [];
  /** Lines since the newest segment began. */
  const newest = (): readonly KeptLine[] =>
    lines().slice(lines().findLastIndex(({ kind }) => kind === 'state'));
  return {
    clock,
    recorder,
    state,
    triggered,
    lines,
    newest,
    observer: recorder.controller(COPIER),
  };
}

function configMap(resourceVersion: string): Entry {
  return Entry.of({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'demo', resourceVersion },
  });
}

function transportOf(body: Readable): Transport {
  return { send: async () => ({ status: 200, headers: {}, body }), close: async () => {} };
}

const ATTEMPT = { controller: 'copier', key: KEY, reconcileId: 'r1', attempt: 2, priority: 0 };

test('each segment of a record begins with the state of the caches and queues', () => {
  const { lines, state } = start();

  expect(lines()).toEqual([
    { kind: 'state', at: 0, segment: 0, random: 7, leads: true },
    { kind: 'clock', at: 0, wall: 0 },
    {
      kind: 'cached',
      at: 0,
      source: 'configmaps',
      scope: 'demo',
      resourceVersion: '5',
      entries: state.entries,
    },
    {
      kind: 'queued',
      at: 0,
      controller: 'copier',
      key: KEY,
      state: 'ready',
      failures: 2,
      priority: 0,
    },
  ]);
});

test('a new segment begins only when all changes of the caches have been mapped to keys', () => {
  const { clock, observer, recorder, state, newest } = start();
  state.delivered = false;
  clock.advance(80_000);
  observer.woken(KEY, { cause: 'trigger' });
  clock.advance(10);
  expect(newest()[0]).toMatchObject({ segment: 0 });

  state.delivered = true;
  recorder.random.next();
  clock.advance(10);

  expect(newest()[0]).toMatchObject({ segment: 1, random: recorder.random.state });
});

test('a record covers the configured time, unless it would exceed its memory limit', () => {
  const { clock, observer, recorder } = start();
  const wakeEach = (ms: number, times: number): void => {
    for (let time = 0; time < times; time++) {
      observer.woken(KEY, { cause: 'trigger' });
      clock.advance(ms);
    }
  };
  wakeEach(1_000, 3_600);
  const { from = 0, to = 0, truncated } = recorder.flight() ?? {};
  expect(to - from).toBeGreaterThanOrEqual(600_000);
  expect(to - from).toBeLessThan(700_000);
  expect(truncated).toBeUndefined();

  const small = start({ megabytes: 1 });
  for (let time = 0; time < 20_000; time++) {
    small.observer.woken(KEY, { cause: 'trigger' });
    small.clock.advance(1);
  }

  expect(small.recorder.flight()?.truncated).toContain('more than 1 MB');
  expect(small.lines().length).toBeLessThan(6_000);
});

test('the next segment also contains running attempts and their earlier requests', async () => {
  const { clock, observer, recorder, newest } = start();
  const attempt = new AbortController();
  observer.began(ATTEMPT, 3, attempt.signal);
  using call = linkedAbort(attempt.signal);
  const transport = recorder.transport(transportOf(Readable.from([Buffer.from('{}')])));
  const answer = await transport.send({ ...GET, purpose: 'call', signal: call.signal });
  for await (const _ of answer.body);
  await new Promise(setImmediate);
  clock.advance(80_000);
  observer.woken(KEY, { cause: 'trigger' });
  clock.advance(1);

  const carried = newest().filter((line) => 'carried' in line);
  expect(carried).toMatchObject([
    { kind: 'begin', at: 0, id: 1, attempt: 2, waitedMs: 3 },
    { kind: 'request', at: 0, by: { controller: 'copier', key: KEY, id: 1 } },
    { kind: 'answer', status: 200 },
    { kind: 'chunk' },
    { kind: 'ended' },
  ]);
  observer.ended(ATTEMPT, { outcome: 'success', durationMs: 1 });
  clock.advance(80_000);
  observer.woken(KEY, { cause: 'trigger' });
  clock.advance(1);
  expect(newest().filter((line) => 'carried' in line)).toEqual([]);
});

test('the next segment also contains the incomplete last line of an open watch', async () => {
  const { clock, observer, recorder, newest } = start();
  const body = new Readable({ read() {} });
  const transport = recorder.transport(transportOf(body));
  const answer = await transport.send({ ...GET, purpose: 'watch' });
  body.push(Buffer.from('{"a":1}\n{"b"'));
  body.push(Buffer.from(':2'));
  expect(String(answer.body.read())).toBe('{"a":1}\n{"b":2');
  clock.advance(80_000);
  observer.woken(KEY, { cause: 'trigger' });
  clock.advance(1);

  const chunks = newest().filter((line) => line.kind === 'chunk');
  expect(chunks.map((line) => line.carried && Buffer.from(line.bytes).toString())).toEqual([
    '{"b"',
    ':2',
  ]);
  body.destroy();
});

test('the next segment also contains bytes that no reader has taken yet', async () => {
  const { clock, observer, recorder, newest } = start();
  const body = new Readable({ read() {} });
  await recorder.transport(transportOf(body)).send({ ...GET, purpose: 'watch' });
  body.push(Buffer.from('{"a":1}\n'));
  clock.advance(80_000);
  observer.woken(KEY, { cause: 'trigger' });
  clock.advance(1);

  const chunks = newest().filter((line) => line.kind === 'chunk');
  expect(chunks.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['{"a":1}\n']);
  body.destroy();
});

test('bytes that arrive together with the head of a response are recorded and passed to the reader', async () => {
  const { recorder, lines } = start();
  const body = new Readable({ read() {} });
  body.push(Buffer.from('early '));
  body.push(Buffer.from('bytes'));
  body.push(null);

  const { body: read } = await recorder
    .transport(transportOf(body))
    .send({ ...GET, purpose: 'call' });
  let text = '';
  for await (const part of read) text += part;
  await new Promise(setImmediate);

  expect(text).toBe('early bytes');
  expect(
    lines()
      .flatMap((line) => (line.kind === 'chunk' ? String(Buffer.from(line.bytes)) : []))
      .join(''),
  ).toBe('early bytes');
  expect(lines().at(-1)).toMatchObject({ kind: 'ended' });
  expect(lines().at(-1)).not.toHaveProperty('error');
});

test.each([
  ['the transport fails', async (fail: Error) => Promise.reject(fail)],
  [
    'the response breaks off',
    async (fail: Error) => ({ status: 200, headers: {}, body: Readable.from(broken(fail)) }),
  ],
])('the recorder notices that %s', async (_, send) => {
  const { recorder, lines } = start();
  const transport = recorder.transport({
    send: () => send(new Error('it broke')),
    close: async () => {},
  } as Transport);

  await expect(
    transport.send({ ...GET, purpose: 'call' }).then(async ({ body }) => {
      for await (const _ of body);
    }),
  ).rejects.toThrow('it broke');
  await new Promise(setImmediate);

  expect(lines().at(-1)).toMatchObject({
    kind: 'ended',
    error: { code: 'ERROR', message: 'it broke' },
  });
});

async function* broken(error: Error): AsyncGenerator<Buffer> {
  yield Buffer.from('{');
  throw error;
}

test('the record does not contain Pod logs', async () => {
  const { recorder, lines } = start();
  const transport = recorder.transport(transportOf(Readable.from([Buffer.from('password=1')])));

  const { body } = await transport.send({
    ...GET,
    path: '/api/v1/namespaces/demo/pods/a/log',
    purpose: 'call',
  });
  for await (const _ of body);
  await new Promise(setImmediate);

  expect(lines().some(({ kind }) => kind === 'chunk')).toBe(false);
  expect(lines().at(-1)).toMatchObject({ kind: 'ended' });
});

test('the record contains a jump of wall time', () => {
  const { clock, observer, lines } = start();

  const now = clock.now.bind(clock);
  clock.now = () => now() + 5_000;
  observer.woken(KEY, { cause: 'trigger' });
  observer.woken(KEY, { cause: 'trigger' });

  expect(lines().slice(4)).toMatchObject([
    { kind: 'clock', at: 0, wall: 5_000 },
    { kind: 'wake' },
    { kind: 'wake' },
  ]);
});

test('write loops and stuck attempts trigger a record', () => {
  const { observer, triggered } = start();

  observer.looped(KEY, 'ConfigMap demo/a');
  observer.stuck(ATTEMPT, 300_000);

  expect(triggered).toEqual([
    'write-loop: copier reconciles demo/a again and again, and writes ConfigMap demo/a',
    'stuck: copier has been reconciling demo/a for 300 s',
  ]);
});
