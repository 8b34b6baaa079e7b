import { ApiServer, eventually, startOperator } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  controller,
  defineResource,
  type Runnable,
  runnable,
  source,
} from '../../operator/index.ts';
import { configMaps, secrets } from '../../operator/kubernetes.ts';
import { objectKey } from '../../operator/model/object.ts';
import { byLabel, byOwner } from '../../operator/store/indices.ts';

type Context = Parameters<Runnable['run']>[1];

test('a started controller reconciles, sees its own writes, and is on the status page', async () => {
  const { context, operator, server } = await start();
  const seen: unknown[] = [];
  const copying = controller({
    name: 'copying',
    for: source(configMaps, { labelSelector: 'copy=yes' }),
    owns: [secrets],
    reconcile: async (object, { client, store }) => {
      const metadata = { name: object.metadata.name, namespace: 'demo' };
      await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata });
      seen.push(store(secrets).get(objectKey('demo', 'a'))?.metadata.name);
    },
  });
  await using running = begin(context, copying);
  await eventually(() => seen.length === 1);
  const whileItRan = operator.status;

  await running.end();

  expect(seen).toEqual(['a']);
  expect(server.get('v1', 'Secret', 'demo', 'a')).toBeDefined();
  expect(whileItRan.controllers.map(({ name }) => name)).toEqual(['copying']);
  expect(whileItRan.sources).toHaveLength(2);
  expect(operator.status.controllers).toEqual([]);
  expect(operator.status.sources).toEqual([]);
});

test('a started controller ends after its reconciles, and then its name can be used again', async () => {
  const { context } = await start();
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let ended = false;
  const slow = controller({
    name: 'slow',
    for: configMaps,
    reconcile: async () => {
      begun.resolve();
      await gate.promise;
      ended = true;
    },
  });
  await using running = begin(context, slow);
  await begun.promise;

  const twice = await context.start(slow, new AbortController().signal).catch(messageOf);
  const end = running.end();
  const whileItEnds = await context.start(slow, new AbortController().signal).catch(messageOf);
  const endedEarly = ended;
  gate.resolve();
  await end;
  await using again = begin(context, slow);
  await again.end();

  expect([twice, whileItEnds]).toEqual(Array(2).fill('a controller of this name runs already'));
  expect([endedEarly, ended]).toEqual([false, true]);
});

test('if a controller cannot start, only the promise from its `start` rejects', async () => {
  const { context, operator } = await start();
  const reconcile = async () => {};
  const one = controller({
    name: 'one',
    for: source(configMaps, { indexes: { owner: byOwner } }),
    reconcile,
  });
  const other = controller({
    name: 'other',
    for: source(configMaps, { indexes: { owner: byLabel('owner') } }),
    reads: [secrets],
    reconcile,
  });
  await using running = begin(context, one);
  await eventually(() => operator.status.controllers[0]?.working);

  const failure = await context.start(other, new AbortController().signal).catch(messageOf);

  expect(failure).toBe('two indices have the same name');
  expect(operator.ready).toBe(true);
  expect(operator.status.controllers.map(({ name }) => name)).toEqual(['one']);
  expect(operator.status.sources).toHaveLength(1);
  await running.end();
});

test('/readyz does not wait for a source of a started controller if the server does not serve the source', async () => {
  const { context, operator } = await start();
  const names = { group: 'farm.test', version: 'v1', plural: 'barns', kind: 'Barn' };
  const barns = defineResource({ ...names, namespaced: true });
  const reader = controller({ name: 'reader', for: barns, reconcile: async () => {} });

  await using running = begin(context, reader);
  await eventually(() => operator.status.sources[0]?.state === 'unserved');

  expect(operator.ready).toBe(true);
  await running.end();
});

test('a started controller does not outlive the runnable that started it', async () => {
  const over = Promise.withResolvers<void>();
  const { context, operator } = await start(over.promise);
  const left = controller({ name: 'left', for: configMaps, reconcile: async () => {} });
  await using running = begin(context, left);
  await eventually(() => operator.status.controllers[0]?.working);

  over.resolve();
  await running.ended;

  expect(operator.status.sources).toEqual([]);
});

function begin(context: Context, of: ReturnType<typeof controller>) {
  const stop = new AbortController();
  const ended = context.start(of, stop.signal);
  const end = (): Promise<void> => {
    stop.abort();
    return ended;
  };
  return { ended, end, [Symbol.asyncDispose]: end };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @param over - ends the runnable. Default: it runs until the process stops. */
async function start(over: Promise<void> = new Promise(() => {})) {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  const metadata = { name: 'a', namespace: 'demo', labels: { copy: 'yes' } };
  server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const given = Promise.withResolvers<Context>();
  const supervisor = runnable({
    name: 'supervisor',
    stopPhase: 'controllers',
    run: async (signal, context) => {
      given.resolve(context);
      const aborted = new Promise<void>((resolve) =>
        signal.addEventListener('abort', () => resolve(), { once: true }),
      );
      await Promise.race([aborted, over]);
    },
  });
  const operator = startOperator({ url: server.url, controllers: [], runnables: [supervisor] });
  onTestFinished(() => operator.stop());
  return { server, operator, context: await given.promise };
}
