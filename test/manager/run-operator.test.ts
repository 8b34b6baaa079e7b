/** The toolkit without its command line: a program of the user's that runs an operator. */
import { Writable } from 'node:stream';
import { eventually, startTestEnv } from '@chancery/testing';
import { controller, objectKey, runnable, runOperator, source } from 'chancery';
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

test('runOperator works until its signal aborts', async () => {
  const { env, namespace } = await testEnv();
  const seen: string[] = [];

  const stop = new AbortController();
  const greeter = controller({
    name: 'greeter',
    for: source(configMaps, { namespace: { name: namespace } }),
    async reconcile(_object, { key }) {
      seen.push(key);
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

test('createManager returns a manager that accepts runnables during the run, and stops on stop()', async () => {
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

test('createManager refuses unusable settings, and opens nothing', async () => {
  const made = createManager({ controllers: [], environment: { CHANCERY_API_URL: 'https://x' } });

  await expect(made).rejects.toThrow('unusable API URL');
});
