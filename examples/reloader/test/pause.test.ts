/** Deployments that are paused after a restart. */
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AUTO, envFrom, type Given, type Reloading, startReloader } from './support/start.ts';

const PERIOD = 'deployment.reloader.stakater.com/pause-period';
const PAUSED_AT = 'deployment.reloader.stakater.com/paused-at';

async function startPausing(given: Given = {}): Promise<Reloading & { readonly clock: FakeClock }> {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  return Object.assign(await startReloader({ clock, ...given }), { clock });
}

async function pausedAt(reloader: Reloading, name: string): Promise<string | undefined> {
  const { metadata, spec } = await reloader.live(name);
  const at = metadata.annotations?.[PAUSED_AT];
  expect(spec.paused === true).toBe(at !== undefined);
  return at;
}

test('[reloader 13] [reloader R2] a pause of 5 s ends on time even if the process was restarted', async () => {
  const reloader = await startPausing();
  await reloader.config('app', { mode: '1' });
  const annotations = { ...AUTO, [PERIOD]: '5s' };
  await reloader.workload('web', { annotations, ...envFrom('configmap/app') });
  await reloader.recorded('web');

  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', 1);
  expect(await pausedAt(reloader, 'web')).toBe('2030-01-01T00:00:00Z');
  reloader.clock.advance(3_000);
  await reloader.config('app', { mode: '3' });
  await reloader.rolledOut('web', 2);
  expect(await pausedAt(reloader, 'web')).toBe('2030-01-01T00:00:00Z');
  await reloader.operator.kill();
  await reloader.startOperator().untilReady();
  await reloader.idle();
  reloader.clock.advance(1_999);
  await reloader.idle();
  expect(await pausedAt(reloader, 'web')).toBeDefined();
  reloader.clock.advance(1);

  await eventually(async () => (await pausedAt(reloader, 'web')) === undefined);
});

test('[reloader R3] a Deployment that its user has resumed is paused and resumed again at the next change', async () => {
  const reloader = await startPausing();
  await reloader.config('app', { mode: '1' });
  const given = { annotations: { ...AUTO, [PERIOD]: '1m' }, ...envFrom('configmap/app') };
  await reloader.workload('web', given);
  await reloader.recorded('web');
  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', 1);

  await reloader.workload('web', { ...given, more: { paused: false } });
  await eventually(async () => {
    const { annotations = {} } = (await reloader.live('web')).metadata;
    return annotations[PAUSED_AT] === undefined;
  });
  reloader.clock.advance(90_000);
  await reloader.config('app', { mode: '3' });
  await reloader.rolledOut('web', 2);
  expect(await pausedAt(reloader, 'web')).toBe('2030-01-01T00:01:30Z');
  await reloader.idle();
  reloader.clock.advance(60_000);

  await eventually(async () => (await pausedAt(reloader, 'web')) === undefined);
});

test('[reloader R4] the pause and the restart are one write, so that after a failure neither has happened', async () => {
  const reloader = await startPausing();
  await reloader.config('app', { mode: '1' });
  const annotations = { ...AUTO, [PERIOD]: '1h' };
  await reloader.workload('web', { annotations, ...envFrom('configmap/app') });
  await reloader.recorded('web');

  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', 1);

  const history = reloader.env.events.history('deployments.apps', reloader.namespace, 'web');
  const states = history.map((each) => {
    const { paused, template } = (each as never as Awaited<ReturnType<Reloading['live']>>).spec;
    return [paused === true, template.spec.containers[0]?.env?.length ?? 0];
  });
  expect([...new Set(states.map(String))]).toEqual(['false,0', 'true,1']);
});

test('[reloader R24] an invalid pause period affects only its Deployment, and is reported once', async () => {
  const reloader = await startPausing();
  await reloader.config('app', { mode: '1' });
  const given = envFrom('configmap/app');
  await reloader.workload('a-broken', { annotations: { ...AUTO, [PERIOD]: 'soon' }, ...given });
  await reloader.workload('b-whole', { annotations: AUTO, ...given });
  await reloader.recorded('a-broken');
  await reloader.recorded('b-whole');

  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('b-whole', 1);
  await reloader.config('app', { mode: '3' });
  await reloader.rolledOut('b-whole', 2);
  const told = await reloader.told('ReloadConfigInvalid');

  expect(told).toHaveLength(1);
  expect(told[0]?.note).toContain(PERIOD);
  expect(reloader.rollouts('a-broken')).toBe(0);
  await reloader.workload('a-broken', { annotations: AUTO, ...given });
  await reloader.rolledOut('a-broken', 1);
});

test('[reloader 14] without a change, a pause period causes no write, and a Deployment that its user paused stays paused', async () => {
  const reloader = await startPausing();
  await reloader.config('app', { mode: '1' });
  const references = envFrom('configmap/app');
  await reloader.workload('quiet', { annotations: { [PERIOD]: '1m' }, ...references });
  const annotations = { ...AUTO, [PERIOD]: '1m' };
  await reloader.workload('held', { annotations, ...references, more: { paused: true } });
  await reloader.recorded('held');
  const before = await reloader.live('quiet');

  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('held', 1);
  reloader.clock.advance(120_000);
  await reloader.handled();

  expect((await reloader.live('quiet')).metadata).toEqual(before.metadata);
  const held = await reloader.live('held');
  expect(held.spec.paused).toBe(true);
  expect(held.metadata.annotations).not.toHaveProperty([PAUSED_AT]);
});

test('[reloader R2] a pause with a start in the future ends after its period, counted from now', async () => {
  const reloader = await startPausing();
  await reloader.config('app', { mode: '1' });
  const annotations = { ...AUTO, [PERIOD]: '1m', [PAUSED_AT]: '2030-01-03T00:00:00Z' };
  const references = envFrom('configmap/app');
  await reloader.workload('web', { annotations, ...references, more: { paused: true } });
  await reloader.recorded('web');

  await reloader.idle();
  expect(await pausedAt(reloader, 'web')).toBe('2030-01-01T00:00:00Z');
  reloader.clock.advance(59_999);
  await reloader.idle();
  expect(await pausedAt(reloader, 'web')).toBeDefined();
  reloader.clock.advance(1);

  await eventually(async () => (await pausedAt(reloader, 'web')) === undefined);
});

test('[reloader R2] a pause ends even if the flags meanwhile exclude its namespace', async () => {
  const args = ['--namespace-selector=team'];
  const reloader = await startPausing({ allNamespaces: true, args });
  const namespace = 'left';
  await reloader.env.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } } as never,
  ]);
  const annotations = { ...AUTO, [PERIOD]: '1m', [PAUSED_AT]: '2029-12-31T23:59:30Z' };
  const given = { annotations, ...envFrom('configmap/app'), more: { paused: true }, namespace };
  await reloader.workload('web', given);
  await reloader.idle();
  expect((await reloader.live('web', 'Deployment', namespace)).spec.paused).toBe(true);

  reloader.clock.advance(30_000);

  const ended = await eventually(async () => {
    const live = await reloader.live('web', 'Deployment', namespace);
    return live.spec.paused !== true && live;
  });
  expect(ended.metadata.annotations).toEqual({ ...AUTO, [PERIOD]: '1m' });
});
