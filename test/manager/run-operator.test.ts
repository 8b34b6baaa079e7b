/** The toolkit without its command line: a program of the user's that runs an operator. */
import { Writable } from 'node:stream';
import { eventually, startTestEnv } from '@chancery/testing';
import { AWAIT_CHANGE, controller, objectKey, runnable, runOperator, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { createManager } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../operator/manager/observe/logger.ts';

const silent = createLogger('error', new Writable({ write: (_chunk, _encoding, done) => done() }));
const settings = { healthPort: 0, metricsPort: 0, insecureAllowToken: true };

async function testEnv() {
  const env = await startTestEnv({ embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  return { env, namespace: await env.namespace() };
}

test('runOperator works until its signal aborts, in ten lines', async () => {
  const { env, namespace } = await testEnv();
  const seen: string[] = [];

  const stop = new AbortController();
  const greeter = controller({
    name: 'greeter',
    for: source(configMaps, { namespace: { name: namespace } }),
    async reconcile(key) {
      seen.push(key);
      return AWAIT_CHANGE;
    },
  });
  const running = runOperator({
    controllers: [greeter],
    signal: stop.signal,
    settings: { ...settings, apiUrl: env.url },
    logger: silent,
  });

  await env.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: 'hello' },
  });
  await eventually(() => seen.includes(objectKey(namespace, 'hello')));
  stop.abort();
  await running;
});

test('createManager gives a manager that takes things on while it runs, and stops when it is told', async () => {
  const { env } = await testEnv();
  const began: string[] = [];
  const manager = await createManager({
    controllers: [],
    settings: { ...settings, apiUrl: env.url },
    environment: {},
    logger: silent,
  });
  const running = manager.run();
  await eventually(() => manager.ready);

  manager.add(runnable({ name: 'late', run: async () => void began.push('late') }));
  await manager.stop();
  await running;

  expect(began).toEqual(['late']);
  expect([manager.ready, manager.settings.shutdownTimeoutMs]).toEqual([false, 25_000]);
  await expect(manager.run()).rejects.toThrow('a manager runs once');
});

test('createManager refuses settings that are unusable, and opens nothing', async () => {
  const made = createManager({ controllers: [], environment: { CHANCERY_API_URL: 'https://x' } });

  await expect(made).rejects.toThrow('unusable API URL');
});
