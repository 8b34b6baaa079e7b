import type { KubernetesObject, Pod } from 'chancery';
import { crdYaml } from 'chancery/schema';
import { consistently } from 'chancery/testing';
import { expect, test } from 'vitest';
import { chaosPlans } from '../chaos-plan.ts';
import { type Chaos, INTERVAL_MS, startChaos, type Uids } from './support.ts';

/** Those that are another Pod now, or none. */
const replaced = (before: Uids, now: Uids): readonly string[] =>
  Object.keys(before).filter((name) => before[name] !== now[name]);

async function nobodyGoes(chaos: Chaos, before: Uids, namespace?: string): Promise<void> {
  await consistently(async () => replaced(before, await chaos.uids(namespace)).length === 0);
}

test('the definition that is shipped is the one of the schema', async () => {
  await expect(crdYaml(chaosPlans)).toMatchFileSnapshot('../crd.yaml');
});

test('CH2: of the Pods that opted in, one goes in its time, and no other does', async () => {
  const chaos = await startChaos();
  const optedIn = await chaos.servers('web', 2);
  const others = await chaos.servers('db', 2, { optIn: false });
  await chaos.plan();
  await chaos.says('Scheduled');
  await nobodyGoes(chaos, optedIn);

  await chaos.after(INTERVAL_MS, async () => replaced(optedIn, await chaos.uids()).length === 1);

  expect((await chaos.status()).evictions).toHaveLength(1);
  expect(replaced(others, await chaos.uids())).toEqual([]);
});

test('CH2: in kube-system nothing is evicted, whoever opts in', async () => {
  const chaos = await startChaos({ allNamespaces: true });
  const before = await chaos.servers('dns', 2, { namespace: 'kube-system' });

  await chaos.plan({}, 'kube-system');
  const status = await chaos.says('ProtectedNamespace', 'kube-system');
  chaos.clock.advance(2 * INTERVAL_MS);
  await nobodyGoes(chaos, before, 'kube-system');

  expect(status).toMatchObject({ conditions: [{ type: 'Ready', status: 'False' }] });
  expect(status.nextEvictionTime).toBeUndefined();
  expect(chaos.writes()).not.toContain('create pods eviction');
});

test('CH1: a budget that is used up is honoured, and the turn comes when it has recovered', async () => {
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

test('CH14: a refusal is not answered by asking again and again', async () => {
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

test('CH3: the Pod that it runs in stays, though it has opted in', async () => {
  const chaos = await startChaos({ random: () => 0, environment: { POD_NAME: 'web-0' } });
  const before = await chaos.servers('web', 2);
  await chaos.plan();
  await chaos.says('Scheduled');

  await chaos.after(INTERVAL_MS / 2, async () => replaced(before, await chaos.uids()).length > 0);

  expect(replaced(before, await chaos.uids())).toEqual(['web-1']);
});

test('CH4: neither a restart nor a new leader is an eviction, and the limit outlives them', async () => {
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

test('CH4: a turn is spent before the Pod goes, so that a crash in between costs one eviction', async () => {
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

test('CH5: turns that it slept through are not made up for', async () => {
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

test('CH8: another Pod of the same name is not the one that was drawn', async () => {
  let between = (): void => {};
  const random = (): number => {
    between();
    return 0.5;
  };
  const chaos = await startChaos({ random });
  const before = await chaos.servers('web', 2);
  await chaos.plan();
  await chaos.says('Scheduled');
  const {
    namespace,
    env: { server },
  } = chaos;
  const newcomers: (string | undefined)[] = [];
  between = () => {
    between = () => {};
    // The draw is over these Pods, which have been listed: now they are others.
    for (const name of Object.keys(before)) {
      const { metadata, spec } = (server.get('v1', 'Pod', namespace, name) ?? {}) as Partial<Pod>;
      const { labels = {}, ownerReferences = [] } = metadata ?? {};
      server.delete('v1', 'Pod', namespace, name);
      const again = { name, namespace, labels, ownerReferences };
      const made: KubernetesObject = server.create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: again,
        spec,
      });
      newcomers.push(made.metadata.uid);
    }
  };

  await chaos.after(INTERVAL_MS, () => chaos.says('PodChanged'));

  expect(Object.values(await chaos.uids())).toEqual(newcomers);
  expect((await chaos.status()).evictions).toBeUndefined();
});

test('CH11: an Event on the Pod says who evicted it', async () => {
  const chaos = await startChaos();
  const before = await chaos.servers('web', 2);
  await chaos.plan();
  await chaos.says('Scheduled');

  await chaos.after(INTERVAL_MS, async () => replaced(before, await chaos.uids()).length === 1);
  const [told] = await chaos.after(0, async () => {
    const found = await chaos.events('ChaosEviction');
    return found.length > 0 && found;
  });

  expect(told).toEqual({
    type: 'Normal',
    reason: 'ChaosEviction',
    note: `was evicted by ChaosPlan ${chaos.namespace}/chaos, at random`,
  });
});

test('CH12: a dry run asks the budgets, tells what would go, and lets it stay', async () => {
  const chaos = await startChaos();
  const before = await chaos.servers('web', 2);
  await chaos.plan({ dryRun: true });
  await chaos.says('Scheduled');

  await chaos.after(INTERVAL_MS, async () => (await chaos.events('ChaosDryRun')).length === 1);
  await nobodyGoes(chaos, before);
  await chaos.budget(2);
  await chaos.after(INTERVAL_MS, () => chaos.says('RefusedForNow'));

  expect(await chaos.events('ChaosEviction')).toEqual([]);
  expect(await chaos.events('ChaosDryRun')).toHaveLength(1);
});

test('a plan with a limit of 0 is paused, and one of another name is refused', async () => {
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
