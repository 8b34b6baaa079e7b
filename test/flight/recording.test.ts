/** When a record is written by itself, and who may ask for one. */
import { EventEmitter } from 'node:events';
import { readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { readRecord } from '../../operator/flight/read-record.ts';
import { FlightRecording, type ProcessEvents } from '../../operator/flight/recording.ts';
import type { ObservedProcess } from '../../operator/manager/observe/process-observer.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { objectKey } from '../../operator/model/object.ts';
import { folderWith } from '../cli/child.ts';

const KEY = objectKey('demo', 'a');
const IDLE = {
  leads: true,
  delivered: true,
  scopes: () => [],
  waiting: () => [],
  groupOf: () => '',
};

function start({ endpoint = false, attached = true } = {}) {
  const folder = folderWith({});
  const clock = new FakeClock(0);
  const facts = { settings: {}, arguments: [], modules: () => [], environment: {} };
  const recording = new FlightRecording({
    ...{
      clock,
      folder,
      facts,
      endpoint,
      minutes: 10,
      megabytes: 64,
      log: { info() {}, warn() {} },
    },
  });
  if (attached) recording.recorder.attach(IDLE as ObservedProcess);
  const observer = recording.recorder.controller(
    controller({ name: 'c', for: source(configMaps), async reconcile() {} }),
  );
  const reasons = (): string[] =>
    readdirSync(folder).map((name) => /Z-(.*)\.jsonl/.exec(name)?.[1] ?? name);
  return { folder, clock, recording, observer, reasons };
}

/** Asks on the health port. Undefined: it was not answered. */
async function ask(recording: FlightRecording, method: string, url: string) {
  const answer = Promise.withResolvers<{ status: number; body: string }>();
  let status = 0;
  const response = {
    writeHead: (code: number) => {
      status = code;
    },
    end: (body: string) => answer.resolve({ status, body }),
  };
  const isTaken = recording.answer(
    { method, url } as IncomingMessage,
    response as unknown as ServerResponse,
  );
  return isTaken ? answer.promise : undefined;
}

test('a write loop causes one record, which also contains what happens within the next second', async () => {
  const { folder, clock, observer, recording, reasons } = start();

  observer.looped(KEY, 'ConfigMap demo/a');
  observer.looped(KEY, 'ConfigMap demo/a');
  recording.recorder.log('warn', 'explains it', {});
  clock.advance(1_000);
  await recording.stop();

  expect(reasons()).toEqual(['write-loop']);
  const { header, lines } = await readRecord(`${folder}/${readdirSync(folder)[0]}`);
  expect(header.why).toBe('c reconciles demo/a again and again, and writes ConfigMap demo/a');
  expect(lines.at(-1)).toMatchObject({ kind: 'log', message: 'explains it' });
});

test('the same trigger causes another record only after 10 minutes, a different trigger at once', async () => {
  const { clock, observer, reasons } = start();
  const attempt = { controller: 'c', key: KEY, reconcileId: 'r', attempt: 0, priority: 0 };

  for (const waitMs of [1_000, 300_000, 300_000]) {
    observer.looped(KEY, 'ConfigMap demo/a');
    clock.advance(waitMs);
  }
  observer.stuck(attempt, 1);
  observer.looped(KEY, 'ConfigMap demo/a');
  clock.advance(1_000);

  await eventually(() => reasons().length === 3);
  expect(reasons().sort()).toEqual(['stuck', 'write-loop', 'write-loop']);
});

test('SIGQUIT and uncaught errors cause a record, until the listeners are removed', async () => {
  const { recording, reasons } = start();
  const events = new EventEmitter();
  {
    using _listening = recording.listen(events as ProcessEvents);
    events.emit('SIGQUIT');
    events.emit('uncaughtExceptionMonitor', new Error('it broke'));
    events.emit('unhandledRejection', new Error('again'));
  }
  expect(events.eventNames()).toEqual([]);
  await recording.stop();

  expect(reasons().sort()).toEqual(['asked', 'crash']);
});

test('POST /debug/record writes a record and answers with its file, at most once per 10 s', async () => {
  const { clock, folder, recording } = start({ endpoint: true });

  const first = await ask(recording, 'POST', '/debug/record?x');
  const second = await ask(recording, 'POST', '/debug/record');
  clock.advance(10_000);
  const third = await ask(recording, 'POST', '/debug/record');

  expect(first?.status).toBe(200);
  expect(readdirSync(folder).map((name) => `${folder}/${name}`)).toContain(
    JSON.parse(first?.body ?? '').file,
  );
  expect([second?.status, third?.status]).toEqual([429, 200]);
});

test.each([
  ['another method', true, 'GET', '/debug/record'],
  ['another path', true, 'POST', '/debug/records'],
  ['an endpoint that is off', false, 'POST', '/debug/record'],
])('POST /debug/record refuses %s', async (_, endpoint, method, url) => {
  const { recording } = start({ endpoint });

  expect(await ask(recording, method, url)).toBeUndefined();
});

test('no record is written before the setup of the process is complete', async () => {
  const { recording, reasons } = start({ attached: false, endpoint: true });

  expect(await recording.write('crash')).toBeUndefined();
  expect((await ask(recording, 'POST', '/debug/record'))?.status).toBe(500);
  expect(reasons()).toEqual([]);
});

test('a record that was triggered shortly before shutdown is still written', async () => {
  const { observer, recording, reasons } = start();
  observer.looped(KEY, 'ConfigMap demo/a');

  await recording.stop();

  expect(reasons()).toEqual(['write-loop']);
});

test('a record is written if the liveness probe reports a stuck reconcile', async () => {
  const { clock, recording, reasons } = start();

  recording.recorder.stuck();
  recording.recorder.stuck();
  clock.advance(1_000);
  await recording.stop();

  expect(reasons()).toEqual(['stuck']);
});
