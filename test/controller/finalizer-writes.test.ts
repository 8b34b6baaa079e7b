/** Adding and removing finalizers on the embedded API server, with others writing in between. */

import { configMap, startTestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { intercept } from '../../operator/client/client-of.ts';
import { connect } from '../../operator/client/connection.ts';
import {
  addFinalizer,
  removeFinalizer,
  requireFinalizerName,
} from '../../operator/controller/finalizers/finalizer.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { noMeter } from '../../operator/core/metrics.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { ApiError } from '../../operator/model/status.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';

const OURS = 'example.dev/cleanup';
const THEIRS = 'other.dev/cleanup';

async function cluster() {
  const env = await startTestEnv();
  onTestFinished(() => env.stop());
  const transport = undiciTransport(env.url, { clock: systemClock });
  onTestFinished(() => transport.close());
  const namespace = await env.namespace();
  const client = connect(env.url, { clock: systemClock, meter: noMeter, transport }).clientFor(
    'test',
  );
  const at = { namespace, name: 'a' };
  return {
    env,
    client,
    namespace,
    create: (finalizers: readonly string[] = []): Promise<ConfigMap> =>
      env.create(configMap('a', { namespace, ...(finalizers.length > 0 && { finalizers }) })),
    live: (): Promise<ConfigMap | undefined> => client.find(configMaps, at),
    finalizers: async (): Promise<readonly string[] | undefined> =>
      (await client.find(configMaps, at))?.metadata.finalizers,
    change: (metadata: object): Promise<unknown> =>
      env.patch('v1', 'ConfigMap', namespace, 'a', { metadata }),
    remove: (): Promise<void> => env.delete('v1', 'ConfigMap', namespace, 'a'),
  };
}

/** `client`, before whose first patches something happens; and how many there were. */
function interfered(client: Client, times: number, interfere: (nth: number) => Promise<unknown>) {
  const patches = { count: 0 };
  const around = intercept(client, (next) => async (call) => {
    if (call.verb === 'patch' && patches.count++ < times) await interfere(patches.count);
    return next(call);
  });
  return { patches, client: around };
}

test.each([
  ['none', []],
  ['another', [THEIRS]],
])('[K-21] addFinalizer adds the finalizer and returns the object; finalizers before: %s', async (_what, before) => {
  const { client, create, finalizers } = await cluster();
  const object = await create(before);

  const stored = await addFinalizer(client, configMaps, object, OURS);

  expect(await finalizers()).toEqual([...before, OURS]);
  expect(stored?.metadata.finalizers).toEqual([...before, OURS]);
});

test('[K-21] addFinalizer does not write a finalizer that the object already has', async () => {
  const { client, create } = await cluster();
  const object = await create([OURS]);
  const { client: counted, patches } = interfered(client, 0, async () => {});

  const stored = await addFinalizer(counted, configMaps, object, OURS);

  expect([stored, patches.count]).toEqual([object, 0]);
});

test('[K-21] addFinalizer does not undo changes that other clients make to finalizers meanwhile', async () => {
  const { change, client, create, finalizers } = await cluster();
  const object = await create([THEIRS]);
  const { client: racing } = interfered(client, 1, () =>
    change({ finalizers: ['third.dev/x', 'third.dev/y'] }),
  );

  await addFinalizer(racing, configMaps, object, OURS);

  expect(await finalizers()).toEqual(['third.dev/x', 'third.dev/y', OURS]);
});

test('[K-21] addFinalizer gives up after five attempts if the object changes each time', async () => {
  const { change, client, create } = await cluster();
  const object = await create();
  const { client: racing, patches } = interfered(client, 9, (nth) =>
    change({ labels: { nth: `${nth}` } }),
  );

  const adding = addFinalizer(racing, configMaps, object, OURS);

  await expect(adding).rejects.toBeInstanceOf(ApiError);
  expect(patches.count).toBe(5);
});

test('[K-21] addFinalizer adds nothing to an object that is being deleted, even with an older cache', async () => {
  const { client, create, finalizers, remove } = await cluster();
  const object = await create([THEIRS]);
  await remove();

  const stored = await addFinalizer(client, configMaps, object, OURS);

  expect(stored).toBeUndefined();
  expect(await finalizers()).toEqual([THEIRS]);
});

test('[K-21] addFinalizer adds nothing to a deleted object, or to another object of the same name', async () => {
  const { client, create, finalizers, remove } = await cluster();
  const object = await create();
  await remove();
  const whenGone = await addFinalizer(client, configMaps, object, OURS);
  await create();

  const whenOther = await addFinalizer(client, configMaps, object, OURS);

  expect([whenGone, whenOther]).toEqual([undefined, undefined]);
  expect(await finalizers()).toBeUndefined();
});

test('[K-22] removeFinalizer removes the given finalizer at any position, and no other', async () => {
  const { client, create, finalizers } = await cluster();
  const object = await create([THEIRS, OURS, 'third.dev/x']);

  await removeFinalizer(client, configMaps, object, OURS);

  expect(await finalizers()).toEqual([THEIRS, 'third.dev/x']);
});

test('[K-22] after removeFinalizer has removed the last finalizer, the object is gone', async () => {
  const { client, create, live, remove } = await cluster();
  const object = await create([OURS]);
  await remove();

  const answer = await removeFinalizer(client, configMaps, object, OURS);

  expect([answer, await live()]).toEqual([undefined, undefined]);
});

test('[K-22] removeFinalizer removes only its finalizer, even if its position in the list has changed', async () => {
  const { change, client, create, finalizers } = await cluster();
  const object = await create([THEIRS, OURS]);
  const { client: racing, patches } = interfered(client, 1, () =>
    change({ finalizers: ['third.dev/x', 'third.dev/y', OURS] }),
  );

  await removeFinalizer(racing, configMaps, object, OURS);

  expect(await finalizers()).toEqual(['third.dev/x', 'third.dev/y']);
  expect(patches.count).toBe(2);
});

test('[K-22] removeFinalizer needs only one attempt if other fields of the object change', async () => {
  const { change, client, create, finalizers } = await cluster();
  const object = await create([OURS]);
  await change({ labels: { a: 'b' } });
  const { client: counted, patches } = interfered(client, 0, async () => {});

  await removeFinalizer(counted, configMaps, object, OURS);

  expect([await finalizers(), patches.count]).toEqual([undefined, 1]);
});

test('[K-22] removeFinalizer gives up after five attempts if the position changes each time', async () => {
  const { change, client, create } = await cluster();
  const object = await create([OURS]);
  const { client: racing, patches } = interfered(client, 9, (nth) =>
    change({ finalizers: [...Array.from({ length: nth }, (_, index) => `x.dev/${index}`), OURS] }),
  );

  const removing = removeFinalizer(racing, configMaps, object, OURS);

  await expect(removing).rejects.toBeInstanceOf(ApiError);
  expect(patches.count).toBe(5);
});

test('[K-22] removeFinalizer does nothing for a deleted object, or for another object of the same name', async () => {
  const { change, client, create, finalizers, remove } = await cluster();
  const object = await create([OURS]);
  await change({ finalizers: null });
  await remove();
  await removeFinalizer(client, configMaps, object, OURS);
  await create([OURS]);

  await removeFinalizer(client, configMaps, object, OURS);

  expect(await finalizers()).toEqual([OURS]);
});

test('[K-22] removeFinalizer does not repeat a request that is forbidden', async () => {
  const { client, create } = await cluster();
  const object = await create([OURS]);
  const forbidden = new ApiError({ code: 403, reason: 'Forbidden', message: 'no' });
  const { client: refusing, patches } = interfered(client, 9, () => Promise.reject(forbidden));

  const removing = removeFinalizer(refusing, configMaps, object, OURS);

  await expect(removing).rejects.toBe(forbidden);
  expect(patches.count).toBe(1);
});

test.each([
  'example.dev/cleanup',
  'dev/c',
  `${'a.'.repeat(126)}a/${'n'.repeat(63)}`,
  'example.dev/Clean_up.1',
])('[K-24] %s is a valid finalizer name', (name) => {
  expect(() => requireFinalizerName(name)).not.toThrow();
});

test.each([
  '',
  'cleanup',
  '/cleanup',
  'example.dev/',
  'Example.dev/cleanup',
  'example_dev/cleanup',
  'example..dev/cleanup',
  'example.dev/a/b',
  'example.dev/-a',
  `example.dev/${'n'.repeat(64)}`,
  `${'a.'.repeat(127)}/c`,
])('[K-24] the finalizer name %j is refused, as by the API server', async (name) => {
  expect(() => requireFinalizerName(name)).toThrow('a finalizer');
});
