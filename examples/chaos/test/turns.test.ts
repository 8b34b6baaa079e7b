/** When somebody is evicted, and when not: budgets, limits, restarts. */
import { consistently } from '@chancery/testing';
import { expect, test } from 'vitest';
import { INTERVAL_MS, nobodyGoes, replaced, startChaos } from './support.ts';

test('CH1: a used-up disruption budget delays the eviction until the budget allows it', async () => {
  const chaos = await startChaos();
  const before = await chaos.servers('web', 3);
  await chaos.budget(3);
  await chaos.plan();
  await chaos.says('Scheduled');

  await chaos.after(INTERVAL_MS, () => chaos.says('RefusedForNow'));
  const refused = await chaos.status();
  await nobodyGoes(chaos, before);
  await chaos.budget(2);
  await chaos.after(30_000, async () => replaced(before, await chaos.uids()).length === 1);

  expect(refused.evictions).toBeUndefined();
  expect((await chaos.status()).evictions).toHaveLength(1);
});

test('CH14: an eviction that was refused is not tried again at once', async () => {
  const chaos = await startChaos();
  await chaos.servers('web', 2);
  await chaos.budget(2);
  await chaos.plan();
  await chaos.says('Scheduled');
  const asked = (): number => chaos.writes().filter((each) => each.endsWith('eviction')).length;

  await chaos.after(INTERVAL_MS, () => chaos.says('RefusedForNow'));
  const first = asked();
  chaos.clock.advance(20_000);
  await consistently(() => asked() === first);
  await chaos.after(10_000, () => asked() === first + 1);

  expect(first).toBe(1);
});

test('CH4: neither a restart nor a new leader causes an eviction, and the limit still applies after both', async () => {
  const chaos = await startChaos();
  const before = await chaos.servers('web', 3);
  await chaos.plan();
  await chaos.says('Scheduled');
  await chaos.after(INTERVAL_MS, async () => replaced(before, await chaos.uids()).length === 1);
  const evicted = await chaos.status();

  for (let restart = 0; restart < 3; restart++) {
    await chaos.operator.kill();
    await chaos.startOperator().untilReady();
    chaos.clock.advance(INTERVAL_MS / 10);
  }
  await consistently(async () => replaced(before, await chaos.uids()).length === 1);

  expect(await chaos.status()).toMatchObject({
    evictions: evicted.evictions,
    nextEvictionTime: evicted.nextEvictionTime,
  });
});

test('CH4: an eviction is recorded before it happens, so that a crash in between does not cause a second eviction', async () => {
  const chaos = await startChaos();
  const before = await chaos.servers('web', 2);
  await chaos.plan();
  await chaos.says('Scheduled');

  await chaos.after(INTERVAL_MS, async () => replaced(before, await chaos.uids()).length === 1);

  expect(chaos.writes()).toEqual([
    'patch chaosplans.chaos.example.dev status', // the first time is drawn
    'patch chaosplans.chaos.example.dev status', // the turn is spent
    'create pods eviction',
  ]);
});

test('CH4: a plan that is deleted at the time of its eviction evicts no Pod', async () => {
  let between = (): void => {};
  const random = (): number => {
    between();
    return 0.5;
  };
  const chaos = await startChaos({ random });
  const before = await chaos.servers('web', 2);
  await chaos.plan();
  await chaos.says('Scheduled');
  const { env, namespace } = chaos;
  const plan = ['chaos.example.dev/v1', 'ChaosPlan', namespace, 'chaos'] as const;
  between = () => {
    between = () => {};
    env.server.delete(...plan);
  };

  await chaos.after(INTERVAL_MS, async () => (await env.get(...plan)) === undefined);
  await nobodyGoes(chaos, before);

  expect(chaos.writes()).not.toContain('create pods eviction');
});

test('CH5: evictions that were due while no operator was running do not happen later', async () => {
  const chaos = await startChaos();
  const before = await chaos.servers('web', 3);
  await chaos.plan();
  const { nextEvictionTime = '' } = await chaos.says('Scheduled');
  await chaos.operator.stop();

  chaos.clock.advance(20 * INTERVAL_MS);
  chaos.startOperator();
  const drawn = await chaos.after(0, async () => {
    const status = await chaos.status();
    return status.nextEvictionTime !== nextEvictionTime && status;
  });
  await nobodyGoes(chaos, before);

  expect(Date.parse(drawn.nextEvictionTime ?? '')).toBeGreaterThan(chaos.clock.now());
});

test('a plan with a limit of 0 is paused, and a plan with an unexpected name is refused', async () => {
  const chaos = await startChaos();
  const before = await chaos.servers('web', 2);
  await chaos.plan({ maxEvictions: 0 });

  const paused = await chaos.says('Paused');
  chaos.clock.advance(3 * INTERVAL_MS);
  await nobodyGoes(chaos, before);
  const second = chaos.apply(`
    {apiVersion: chaos.example.dev/v1, kind: ChaosPlan, metadata: {name: more}, spec: {}}`);

  expect(paused.nextEvictionTime).toBeUndefined();
  await expect(second).rejects.toThrow('a namespace has one plan, with the name chaos');
});
