/** What an operator says at its start of the ambassador and of its rights, on a clock of its own. */

import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { SelfTest } from '../../operator/manager/safety/self-test.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import { type CannedAnswer, cannedTransport } from '../client/canned-transport.ts';
import { recordingLog } from '../support/recording-log.ts';

const REFUSED: CannedAnswer = {
  status: 403,
  headers: { 'content-type': 'text/plain' },
  body: 'Forbidden\n',
};
const AWAY: CannedAnswer = {
  status: 500,
  headers: { 'content-type': 'text/plain' },
  body: 'dial tcp: connection refused',
};
const REACHED: CannedAnswer = { status: 403, body: { kind: 'Status', reason: 'Forbidden' } };
const ACCEPTED: CannedAnswer = { body: { gitVersion: 'v1.36.2' } };

const hello = controller({
  name: 'hello',
  for: source(configMaps),
  reconcile: async () => {},
});

const EVERYTHING = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];

interface WorldOptions {
  /** To requests that the filter must refuse. */
  readonly hostile?: () => CannedAnswer;
  readonly version?: CannedAnswer;
  readonly review?: () => Promise<object>;
}

function world({
  hostile = () => REFUSED,
  version = ACCEPTED,
  review = async () => ({ allowed: true, resourceRules: EVERYTHING }),
}: WorldOptions = {}) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const { lines, logFor } = recordingLog();
  const transport = cannedTransport(({ method, path }) => {
    if (method === 'OPTIONS' || path === '/chancery-self-test') return hostile();
    return version;
  });
  const client: Pick<Client, 'create'> = {
    create: async <T extends KubernetesObject>(_resource: unknown, object: T) => ({
      ...object,
      status: {
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['*'] }],
        ...(await review()),
      },
    }),
  };
  const selfTest = new SelfTest({
    connection: { transport, clientFor: () => client as Client },
    declarations: [hello],
    placement: { namespaces: ['demo'] },
    clock,
    log: logFor({}),
  });
  onTestFinished(() => stop.abort());
  return { clock, lines, selfTest, signal: stop.signal, stop, transport };
}

const messages = (lines: readonly { level: string; message: string }[]) =>
  lines.map(({ level, message }) => `${level}: ${message}`);

test('the self-test logs one line if the filter is closed and every permission is granted', async () => {
  const { lines, selfTest, signal } = world();

  await selfTest.run(signal);

  expect(lines).toEqual([
    {
      level: 'info',
      message: 'self-test of the ambassador is done',
      fields: { filter: 'closed', missing: 0 },
    },
  ]);
});

test('an open filter is logged as a warning, and the permissions are still checked', async () => {
  const { lines, selfTest, signal } = world({ hostile: () => REACHED });

  await selfTest.run(signal);

  expect(messages(lines)).toEqual([
    'warn: the filter of the ambassador is open',
    'info: self-test of the ambassador is done',
  ]);
  expect(lines[0]?.fields.err).toMatchObject({ code: 'FILTER_OPEN' });
});

test('a filter that refuses everything is logged as an error with the remedy, and ends the self-test', async () => {
  const { lines, selfTest, signal } = world({ version: REFUSED });

  await selfTest.run(signal);

  expect(messages(lines)).toEqual(['error: the ambassador refuses everything']);
  expect(lines[0]?.fields.hint).toBe(
    'the ambassador refuses every path, even /version: generate its arguments with chancery generate proxy',
  );
});

test('for each missing rule the log has a line with the rule to add, and with the controllers that need it', async () => {
  const { lines, selfTest, signal } = world({
    review: async () => ({ allowed: false, resourceRules: [] }),
  });

  await selfTest.run(signal);

  expect(lines.slice(0, -1)).toEqual([
    {
      level: 'warn',
      message: 'a declared right is missing, add the rule',
      fields: {
        right: 'get, list, watch configmaps in namespace demo',
        neededBy: 'controller hello (source)',
        role: 'Role',
        namespace: 'demo',
        rule: '{ apiGroups: [""], resources: [configmaps], verbs: [get, list, watch] }',
      },
    },
    expect.objectContaining({
      fields: expect.objectContaining({ neededBy: 'controller hello (events)' }),
    }),
  ]);
  expect(lines.at(-1)?.fields).toEqual({ filter: 'closed', missing: 2 });
});

test('a permission counts as granted if the API server allows it, even if the list of rules does not contain it', async () => {
  const { lines, selfTest, signal } = world({
    review: async () => ({ allowed: true, resourceRules: [] }),
  });

  await selfTest.run(signal);

  expect(lines.map(({ fields }) => fields.missing)).toEqual([0]);
});

test('if the self-test gets no answer, it is repeated; it logs each reason once, and no result', async () => {
  let isAway = true;
  const { clock, lines, selfTest, signal } = world({ hostile: () => (isAway ? AWAY : REFUSED) });

  const running = selfTest.run(signal);
  for (let minute = 0; minute < 60; minute++) await clock.advanceAndSettle(60_000);
  const meanwhile = messages(lines);
  isAway = false;
  await clock.advanceAndSettle(30_000);
  await running;

  expect(meanwhile).toEqual(['info: self-test of the ambassador is postponed']);
  expect(messages(lines).slice(1)).toEqual(['info: self-test of the ambassador is done']);
});

test('permissions that cannot be checked are logged as unknown', async () => {
  const refusal = new ApiError({ code: 403, reason: 'Forbidden' });
  const { lines, selfTest, signal } = world({ review: () => Promise.reject(refusal) });

  await selfTest.run(signal);

  expect(messages(lines)).toEqual([
    'warn: rights cannot be checked, so missing rights are not reported',
    'info: self-test of the ambassador is done',
  ]);
  expect(lines.at(-1)?.fields).toEqual({ filter: 'closed' });
});

test('if the API server fails, the self-test repeats the permission check', async () => {
  let failures = 2;
  const { clock, lines, selfTest, signal } = world({
    review: async () => {
      if (failures-- > 0) {
        throw new AmbassadorError('gone', { code: 'CONNECTION_LOST', fate: 'unknown' });
      }
      return { allowed: true, resourceRules: EVERYTHING };
    },
  });

  const running = selfTest.run(signal);
  await clock.advanceAndSettle(60_000);
  await running;

  expect(messages(lines)).toEqual([
    'info: self-test of the ambassador is postponed',
    'info: self-test of the ambassador is done',
  ]);
});

describe('a self-test that requires a closed filter', () => {
  test('if a closed filter is required, the operator does not start with an open filter', async () => {
    const { selfTest, signal } = world({ hostile: () => REACHED });

    await expect(selfTest.requireFilter(signal)).rejects.toMatchObject({
      name: 'UnsafeSetupError',
      code: 'FILTER_OPEN',
    });
  });

  test('a closed filter passes the required check with two requests and no log line', async () => {
    const { lines, selfTest, signal, transport } = world();

    await selfTest.requireFilter(signal);

    expect([transport.requests.length, lines]).toEqual([2, []]);
  });

  test('the required check waits for an answer, and only then passes or fails', async () => {
    let answer = AWAY;
    const { clock, selfTest, signal } = world({ hostile: () => answer });
    let outcome = 'none';

    const required = selfTest.requireFilter(signal).catch((error) => (outcome = error.code));
    await clock.advanceAndSettle(600_000);
    const before = outcome;
    answer = REACHED;
    await clock.advanceAndSettle(30_000);
    await required;

    expect([before, outcome]).toEqual(['none', 'FILTER_OPEN']);
  });

  test('the required check ends when it is aborted', async () => {
    const { selfTest, signal, stop } = world({ hostile: () => AWAY });

    const required = selfTest.requireFilter(signal);
    await settle();
    stop.abort(new Error('stopped'));

    await expect(required).rejects.toThrow('stopped');
  });
});
