/** Who is evicted, and what is told of it. */
import type { KubernetesObject } from 'chancery';
import type { KubernetesEvent, Pod } from 'chancery/kubernetes';
import { crdYaml } from 'chancery/schema';
import { expect, test } from 'vitest';
import { chaosPlans } from '../chaos-plan.ts';
import { INTERVAL_MS, nobodyGoes, replaced, startChaos } from './support.ts';

test('the shipped definition is generated from the schema', async () => {
  await expect(crdYaml(chaosPlans)).toMatchFileSnapshot('../crd.yaml');
});

test('CH2: in each turn, exactly one of the Pods that opted in is evicted', async () => {
  const chaos = await startChaos();
  const optedIn = await chaos.servers('web', 2);
  const others = await chaos.servers('worker', 2, { optIn: false });
  await chaos.plan();
  await chaos.says('Scheduled');
  await nobodyGoes(chaos, optedIn);

  await chaos.after(INTERVAL_MS, async () => replaced(optedIn, await chaos.uids()).length === 1);

  expect((await chaos.status()).evictions).toHaveLength(1);
  expect(replaced(others, await chaos.uids())).toEqual([]);
});

test('CH2: no Pod in kube-system is evicted, even if it opted in', async () => {
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

test("CH3: the operator's own Pod is not evicted, even if it opted in", async () => {
  const chaos = await startChaos({ random: () => 0, environment: { POD_NAME: 'web-0' } });
  const before = await chaos.servers('web', 2);
  await chaos.plan();
  await chaos.says('Scheduled');

  await chaos.after(INTERVAL_MS / 2, async () => replaced(before, await chaos.uids()).length > 0);

  expect(replaced(before, await chaos.uids())).toEqual(['web-1']);
});

test('CH8: a new Pod with the same name as the Pod that was drawn is not evicted', async () => {
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

test('CH11: an Event on the evicted Pod mentions the operator', async () => {
  const chaos = await startChaos();
  const before = await chaos.servers('web', 2);
  await chaos.plan();
  await chaos.says('Scheduled');

  await chaos.after(INTERVAL_MS, async () => replaced(before, await chaos.uids()).length === 1);
  const [told] = await chaos.after(0, async () => {
    const { env, namespace } = chaos;
    const found = await env.list<KubernetesEvent>('events.k8s.io/v1', 'Event', namespace);
    const evictions = found.filter(({ reason }) => reason === 'ChaosEviction');
    return evictions.length > 0 && evictions;
  });

  const [name] = replaced(before, await chaos.uids());
  expect(told).toMatchObject({
    type: 'Normal',
    regarding: { kind: 'Pod', name, uid: before[name ?? ''] },
    note: `was evicted by ChaosPlan ${chaos.namespace}/chaos, at random`,
  });
});

test('CH12: a dry run checks the budgets, records an Event about the Pod it would evict, and evicts none', async () => {
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
