import { FakeClock, settle, startTestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { restClient } from '../../operator/client/rest-client.ts';
import { retryOnConflict, updateLive } from '../../operator/client/retry-on-conflict.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { ApiError } from '../../operator/model/status.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';

const details = { name: 'a', kind: 'configmaps' };
const lostRace = () =>
  new ApiError({ reason: 'Conflict', message: 'modified', details }, { httpStatus: 409 });

/** An attempt that fails so often; the times at which it was made. */
function failing(times: number, clock: FakeClock, failure: () => Error = lostRace) {
  const madeAt: number[] = [];
  const attempt = async (): Promise<string> => {
    madeAt.push(clock.monotonic());
    if (madeAt.length <= times) throw failure();
    return 'done';
  };
  return { madeAt, attempt };
}

/** Lets time pass, a millisecond at a time, until `promise` is settled. */
async function finished<T>(promise: Promise<T>, clock: FakeClock): Promise<T> {
  let over = false;
  promise
    .catch(() => {})
    .finally(() => {
      over = true;
    });
  await settle();
  for (let turn = 0; turn < 1_000 && !over; turn += 1) {
    clock.advance(1);
    await settle();
  }
  return promise;
}

test('[K-43] after a version conflict, the next attempt follows in 10 ms, plus at most a tenth', async () => {
  const clock = new FakeClock();
  const { madeAt, attempt } = failing(4, clock);

  const result = await finished(retryOnConflict(attempt, { clock, random: () => 0.99 }), clock);

  expect(result).toBe('done');
  const pauses = madeAt.slice(1).map((at, index) => at - (madeAt[index] ?? 0));
  expect(pauses).toEqual([11, 11, 11, 11]);
});

test('[K-43] after five attempts, the last conflict is thrown', async () => {
  const clock = new FakeClock();
  const { madeAt, attempt } = failing(9, clock);

  await expect(finished(retryOnConflict(attempt, { clock }), clock)).rejects.toMatchObject({
    status: 409,
  });

  expect(madeAt).toHaveLength(5);
});

test('[K-43] the option `factor` multiplies each delay, and `attempts` is the number of attempts', async () => {
  const clock = new FakeClock();
  const { madeAt, attempt } = failing(9, clock);
  const options = { clock, attempts: 4, delayMs: 8, factor: 2, random: () => 0 };

  await expect(finished(retryOnConflict(attempt, options), clock)).rejects.toThrow();

  expect(madeAt.map((at) => at - (madeAt[0] ?? 0))).toEqual([0, 8, 24, 56]);
});

test.each<[string, ConstructorParameters<typeof ApiError>[0]]>([
  ['another uid', { reason: 'Conflict', message: 'uid mismatch: no', details }],
  ['a name that exists', { reason: 'AlreadyExists', details }],
  [
    'a field of another manager',
    { reason: 'Conflict', details: { causes: [{ reason: 'FieldManagerConflict' }] } },
  ],
  ['a webhook', { reason: 'Conflict', message: 'admission webhook "w" denied the request: no' }],
])('[K-43] a 409 about %s is not retried', async (_, status) => {
  const clock = new FakeClock();
  const failure = () => new ApiError(status, { httpStatus: 409 });
  const { madeAt, attempt } = failing(9, clock, failure);

  await expect(finished(retryOnConflict(attempt, { clock }), clock)).rejects.toThrow();

  expect(madeAt).toHaveLength(1);
});

test('[K-43] an abort ends the waiting with its reason', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const { madeAt, attempt } = failing(9, clock);

  const retrying = retryOnConflict(attempt, { clock, signal: stop.signal });
  retrying.catch(() => {});
  await settle();
  stop.abort(new Error('the end'));

  await expect(retrying).rejects.toThrow('the end');
  expect(madeAt).toHaveLength(1);
});

async function startShared() {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const transport = undiciTransport(env.url, { clock: systemClock });
  onTestFinished(() => transport.close());
  const client = restClient({ transport, fieldManager: 'tester', clock: systemClock });
  const namespace = await env.namespace();
  const names = { name: 'a', namespace };
  await env.create<ConfigMap>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: names,
    data: { count: '0' },
  });
  return { env, client, namespace, target: names };
}

/** Made anew, so that it says nothing of the version that it came from. */
const increased = ({ apiVersion, kind, metadata: { name, namespace = '' }, data }: ConfigMap) => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
  data: { ...data, count: String(Number(data?.count) + 1) },
});

test('[K-43] if many writers update one object concurrently, no update is lost', async () => {
  const { env, client, namespace, target } = await startShared();
  const options = { clock: systemClock, attempts: 100 };

  await Promise.all(
    Array.from({ length: 8 }, () => updateLive(client, configMaps, target, increased, options)),
  );

  const stored = await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'a');
  expect(stored?.data?.count).toBe('8');
  expect(env.requests.count({ verb: 'get' })).toBe(env.requests.count({ verb: 'update' }));
});

test('[K-43] updateLive writes nothing if the function returns the same object or undefined', async () => {
  const { env, client, target } = await startShared();

  const same = await updateLive(client, configMaps, target, (live) => live, { clock: systemClock });
  const none = await updateLive(client, configMaps, target, () => undefined, {
    clock: systemClock,
  });

  expect(same.data).toEqual({ count: '0' });
  expect(none).toEqual(same);
  expect(env.requests.count({ verb: 'update' })).toBe(0);
});

test('[K-43] updateLive with `dryRun` returns the changed object, and stores nothing', async () => {
  const { env, client, namespace, target } = await startShared();
  const options = { clock: systemClock, dryRun: true };

  const answer = await updateLive(client, configMaps, target, increased, options);

  expect(answer.data).toEqual({ count: '1' });
  expect((await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'a'))?.data).toEqual({
    count: '0',
  });
});

test('[K-43] updateLive of a missing object fails without a retry', async () => {
  const { client, target } = await startShared();
  const absent = { ...target, name: 'b' };

  const updating = updateLive(client, configMaps, absent, increased, { clock: systemClock });

  await expect(updating).rejects.toMatchObject({ status: 404 });
});
