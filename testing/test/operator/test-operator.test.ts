import { controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { expect, onTestFinished, test } from 'vitest';
import { startTestEnv } from '../../src/env/start-test-env.ts';
import type { TestEnv } from '../../src/env/test-env.ts';
import { configMap } from '../../src/objects/config.ts';
import { startOperator } from '../../src/operator/test-operator.ts';
import { eventually } from '../../src/time/eventually.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';

function scribe() {
  const seen: string[] = [];
  const declaration = controller({
    name: 'scribe',
    for: source(configMaps),
    async reconcile(object, { log }) {
      log.info({ name: object.metadata.name }, 'seen');
      seen.push(object.metadata.name);
      return { requeueAfterMs: 60_000 };
    },
  });
  return { seen, controllers: [declaration] };
}

async function start(clock?: FakeClock): Promise<{ env: TestEnv; namespace: string }> {
  const embedded = { workloads: false as const, ...(clock === undefined ? {} : { clock }) };
  const env = await startTestEnv({ environment: {}, embedded });
  onTestFinished(() => env.stop());
  return { env, namespace: await env.namespace() };
}

test('a started operator reconciles only in its namespace, writes logs and metrics, and ends after stop()', async () => {
  const { env, namespace } = await start();
  await env.create(configMap('ours', { namespace }));
  await env.create(configMap('theirs', { namespace: await env.namespace() }));
  const { seen, controllers } = scribe();
  const operator = startOperator({ url: env.url, namespace, controllers });
  await eventually(() => operator.ready && seen.length === 1);

  await operator.stop();
  await operator.stop();

  expect(seen).toEqual(['ours']);
  expect(operator.log.find(({ message }) => message === 'seen')).toMatchObject({
    level: 'info',
    fields: { controller: 'scribe', name: 'ours' },
  });
  expect(operator.log.at(-1)).toMatchObject({ message: 'stopped' });
  expect(operator.meter.value('controller_runtime_reconcile_total', { controller: 'scribe' })).toBe(
    1,
  );
  await eventually(() => env.server.openWatches === 0);
});

test('a killed operator reconciles nothing more, has no timers, and does not log its end', async () => {
  const clock = new FakeClock();
  const { env, namespace } = await start(clock);
  await env.create(configMap('a', { namespace }));
  const { seen, controllers } = scribe();
  const operator = startOperator({ url: env.url, namespace, controllers, clock });
  await env.advance(1_000);
  const before = seen.length;

  await operator.kill();
  await env.advance(600_000);

  expect(before).toBe(1);
  expect(seen).toHaveLength(1);
  expect(clock.pending).toBeLessThanOrEqual(1); // the server's own
  expect(operator.log.map(({ message }) => message)).not.toContain('stopped');
  await operator.stop();
});

test('[T-2] when a test advances its clock, the time of the operator advances, too: ten polls in ten minutes', async () => {
  const clock = new FakeClock();
  const { env, namespace } = await start(clock);
  await env.create(configMap('a', { namespace }));
  const { seen, controllers } = scribe();
  const operator = startOperator({ url: env.url, namespace, controllers, clock });
  onTestFinished(() => operator.kill());
  await env.advance(1_000);

  await env.advance(600_000);

  expect(seen).toHaveLength(11);
});

test('the settings of an operator come from the environment, and wrong settings are refused', async () => {
  const { env } = await start();
  const { controllers } = scribe();

  expect(() =>
    startOperator({ url: env.url, controllers, environment: { CHANCERY_CRD_WAIT: 'never' } }),
  ).toThrow('CHANCERY_CRD_WAIT must be forever, timeout or optional, not "never"');
});

test('[LE-13] the second of two replicas is ready, and takes over when the first replica stops', async () => {
  const { env, namespace } = await start();
  await env.create(configMap('ours', { namespace }));
  const environment = { CHANCERY_LEASE_RETRY_PERIOD: '1' };
  const replica = () => {
    const { seen, controllers } = scribe();
    const leaderElection = { namespace };
    const own = { url: env.url, namespace, controllers };
    const operator = startOperator({ ...own, leaderElection, environment });
    onTestFinished(() => operator.stop());
    return { seen, operator };
  };
  const first = replica();
  await eventually(() => first.operator.leads && first.seen.length === 1);
  const second = replica();
  await second.operator.untilReady();
  const before = [second.operator.leads, ...second.seen];

  await first.operator.stop();
  await eventually(() => second.seen.length === 1);

  expect(before).toEqual([false]);
  expect([first.operator.leads, second.operator.leads]).toEqual([false, true]);
  expect(first.seen).toEqual(['ours']);
});
