import { FakeClock, settle } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type CrdWait, settledSources } from '../../operator/controller/run/settled-sources.ts';
import { type Source, source } from '../../operator/controller/source.ts';
import { OperatorError } from '../../operator/core/errors.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { ApiError } from '../../operator/model/status.ts';
import { Informer } from '../../operator/store/informer.ts';
import { FakeCollection } from '../support/fake-collection.ts';
import { recordingLog } from '../support/recording-log.ts';

const widgets = source(
  defineResource({
    group: 'example.com',
    version: 'v1',
    plural: 'widgets',
    kind: 'Widget',
    namespaced: true,
  }),
);

/** A controller's wait for one source whose lists fail with `failures`, and then work. */
async function wait(crdWait: CrdWait | undefined, failures: readonly Error[]) {
  const clock = new FakeClock();
  const collection = new FakeCollection();
  collection.failLists(...failures);
  const informer = new Informer<KubernetesObject>(
    collection as never,
    { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
    { clock, random: () => 0.5, relistIntervalMs: 0 },
  );
  let listeners = 0;
  const onStateChange = informer.onStateChange.bind(informer);
  informer.onStateChange = (listener) => {
    const end = onStateChange(listener);
    listeners++;
    return () => {
      listeners--;
      end();
    };
  };
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  const { lines, logFor } = recordingLog();
  const outcome: { value?: unknown } = {};
  const settled = settledSources(
    {
      informers: new Map<Source, Informer<KubernetesObject>>([[widgets, informer]]),
      clock,
      log: logFor({}),
      timeoutMs: 120_000,
      ...(crdWait !== undefined && { crdWait }),
    },
    stop.signal,
  ).then(
    () => {
      outcome.value = 'settled';
    },
    (error: unknown) => {
      outcome.value = error;
    },
  );
  onTestFinished(async () => {
    stop.abort();
    await Promise.all([running, settled]);
    expect([clock.pending, listeners]).toEqual([0, 0]);
  });
  await settle();
  return { clock, lines, outcome };
}

const missing = (): ApiError => new ApiError({ code: 404, message: '404 page not found' });
const failing = (): ApiError => new ApiError({ code: 503, message: 'not now' });
const times = (count: number, make: () => Error): Error[] => Array.from({ length: count }, make);

test.each([
  undefined,
  'forever',
] as const)('[W-40] with `crdWait: %s`, startup waits for a missing resource without a time limit', async (crdWait) => {
  const { clock, outcome } = await wait(crdWait, times(100, missing));

  await clock.advanceAndSettle(900_000);
  const before = outcome.value;
  await clock.advanceAndSettle(200_000);

  expect([before, outcome.value]).toEqual([undefined, 'settled']);
});

test("[W-40] with `crdWait: 'timeout'`, startup fails after two minutes, and the error has a remedy", async () => {
  const { clock, outcome } = await wait('timeout', times(100, missing));

  await clock.advanceAndSettle(119_999);
  const before = outcome.value;
  await clock.advanceAndSettle(1);

  expect(before).toBeUndefined();
  expect(outcome.value).toBeInstanceOf(OperatorError);
  expect(outcome.value).toMatchObject({
    code: 'UNSERVED',
    layer: 'api-server',
    message:
      'the API server does not serve Widget (example.com/v1): install the ' +
      'CustomResourceDefinition, or wait for it with CHANCERY_CRD_WAIT=forever',
    context: { resources: 'widgets.example.com' },
    cause: expect.any(ApiError),
  });
});

test("[W-40] with `crdWait: 'timeout'`, startup succeeds if the resource is served in time", async () => {
  const { clock, outcome } = await wait('timeout', times(5, missing));

  await clock.advanceAndSettle(300_000);

  expect(outcome.value).toBe('settled');
});

test("[W-40] with `crdWait: 'timeout'`, startup fails only if the server says the resource is missing", async () => {
  const { clock, lines, outcome } = await wait('timeout', [
    ...times(10, failing),
    ...times(5, missing),
  ]);

  await clock.advanceAndSettle(130_000);
  const whileFailing = [outcome.value, lines.length];
  await clock.advanceAndSettle(600_000);

  expect(whileFailing).toEqual([undefined, 1]);
  expect(outcome.value).toMatchObject({ code: 'UNSERVED' });
});

test("[W-40] with `crdWait: 'optional'`, startup waits only until the server says that the resource is missing", async () => {
  const { clock, outcome } = await wait('optional', [...times(3, failing), ...times(5, missing)]);

  const before = outcome.value;
  await clock.advanceAndSettle(20_000);

  expect([before, outcome.value]).toEqual([undefined, 'settled']);
});

test('if an index is added to a cache in use, startup waits until the index is built', async () => {
  const clock = new FakeClock();
  const collection = new FakeCollection();
  for (let index = 0; index < 1_500; index++) collection.put(`o${index}`);
  const informer = new Informer<KubernetesObject>(
    collection as never,
    { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
    { clock, random: () => 0.5, relistIntervalMs: 0 },
  );
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  await informer.until(() => informer.synced, stop.signal);
  informer.addIndex('name', ({ metadata }) => [metadata.name]);
  const indexed = source(widgets.resource, { indexes: { name: () => [] } });
  let settled = false;
  const waiting = settledSources(
    {
      informers: new Map([[indexed, informer]]),
      clock,
      log: recordingLog().logFor({}),
      timeoutMs: 1,
    },
    stop.signal,
  ).then(() => {
    settled = true;
  });
  await settle();
  const early = settled;

  await clock.advanceAndSettle(0);
  await waiting;

  expect(early).toBe(false);
  expect(informer.store.byIndex('name', 'o1400')).toHaveLength(1);
});
