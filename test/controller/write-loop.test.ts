import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { clientOf } from '../../operator/client/client-of.ts';
import { WriteLoops } from '../../operator/controller/policies/write-loops.ts';
import { Entry } from '../../operator/model/entry.ts';
import { objectKey } from '../../operator/model/object.ts';
import { defineResource, type Resource } from '../../operator/model/resource.ts';
import { Added } from '../../operator/store/change.ts';
import { ControllerBench, others, things } from '../support/controller-bench.ts';
import type { FakeCollection, Thing } from '../support/fake-collection.ts';

const key = objectKey('demo', 'a');

/** A client whose patches set the value of an object, as its server would. */
function patching(collection: () => FakeCollection): Client {
  return clientOf(async (call) => {
    if (call.verb !== 'patch') throw new Error(`unexpected ${call.verb}`);
    const { name } = call.target;
    const known = collection().objects.find(({ metadata }) => metadata.name === name);
    const { value } = call.patch.body as unknown as Thing;
    if (known?.value === value) return known;
    const { ownerReferences } = known?.metadata ?? {};
    return collection().put(name, value, ownerReferences && { ownerReferences });
  });
}

test('[K-53] a reconciler that is triggered again by each of its own writes is reported and slowed down', async () => {
  let value = 0;
  const at: number[] = [];
  const bench: ControllerBench = new ControllerBench(
    {
      reconcile: async (object, { client, clock }) => {
        at.push(clock.monotonic());
        const name = object.metadata.name ?? '';
        await client.patch(
          things,
          { name, namespace: 'demo' },
          { type: 'merge', body: { value: ++value } },
        );
      },
    },
    { client: patching(() => bench.collection()) },
  );
  bench.collection().put('a');
  await bench.run();

  await bench.clock.advanceAndSettle(3_600_000);

  const gaps = at.slice(1).map((each, index) => each - (at[index] ?? 0));
  expect(gaps.filter((gap) => gap === 0).length).toBeLessThan(40);
  expect(gaps.filter((gap) => gap > 0).slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(gaps.at(-1)).toBe(300_000);
  expect(at.length).toBeLessThan(60);
  expect(bench.count('chancery_write_loop_total')).toBeGreaterThan(10);
  expect(new Set(bench.events.map(({ reason }) => reason))).toEqual(new Set(['WriteLoop']));
  const told = bench.lines.filter(({ message }) => message.includes('its own writes'));
  expect(told.length).toBeGreaterThan(3); // one in 10 minutes of an hour
  expect(told.length).toBeLessThanOrEqual(6);
  expect(told[0]?.fields).toMatchObject({ object: 'things.example.dev demo/a' });
});

test('[K-53] a reconciler that stops writing is no longer slowed down', async () => {
  let value = 0;
  let isBroken = true;
  let calls = 0;
  const bench: ControllerBench = new ControllerBench(
    {
      reconcile: async (object, { client }) => {
        calls++;
        const name = object.metadata.name ?? '';
        if (isBroken) {
          await client.patch(
            things,
            { name, namespace: 'demo' },
            { type: 'merge', body: { value: ++value } },
          );
        }
      },
    },
    { client: patching(() => bench.collection()) },
  );
  bench.collection().put('a');
  await bench.run();
  await bench.clock.advanceAndSettle(10_000);
  isBroken = false;
  const turns = bench.count('chancery_write_loop_total');
  await bench.clock.advanceAndSettle(60_000);
  const whenQuiet = calls;

  for (let edit = 1; edit <= 5; edit++) {
    bench.collection().put('a', -edit);
    await bench.clock.advanceAndSettle(10);
  }

  expect(calls - whenQuiet).toBe(5);
  expect(turns).toBeGreaterThan(0);
  expect(bench.count('chancery_write_loop_total')).toBe(turns);
});

const deployments = defineResource({
  ...{ group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true },
});

/** The policy alone, with the attempts of one key; turns of loops are counted. */
function attempts(clock = new FakeClock()) {
  const told: object[] = [];
  let turns = 0;
  const loops = new WriteLoops(clock, 'test', { looped: () => turns++, fought: () => {} });
  const silent = (): void => {};
  const warn = (facts: object): void => void told.push(facts);
  const log = { debug: silent, info: silent, warn, error: silent };
  return {
    told,
    turns: (): number => turns,
    delayMs: (): number => loops.delayMs(key),
    attempt: (...written: Resource[]): void => {
      loops.started(key);
      for (const resource of written) {
        const write = { resource, namespace: 'demo', name: 'a', before: [], answer: undefined };
        loops.wrote(key, { ...write, isDelete: false, hasChanged: true });
      }
      loops.finished(key, { kind: 'success', log, warn: () => {} });
    },
    hear: (...changed: Resource[]): void => {
      const entry = Entry.of({
        apiVersion: 'v1',
        kind: 'Any',
        metadata: { namespace: 'demo', name: 'a' },
      });
      for (const resource of changed)
        loops.changed(key, { resource, change: new Added(entry, false) });
    },
  };
}

test('[K-53] a rollout of a hundred steps with a status change in each step is no write loop', () => {
  const { attempt, hear, turns } = attempts();

  for (let ready = 0; ready < 100; ready++) {
    if (ready === 0) attempt(deployments, things);
    else attempt(things); // its status
    hear(things); // the controller hears of its own write
    hear(deployments); // another Pod is ready
  }

  expect(turns()).toBe(0);
});

test('[K-53] writes without effect do not count as a write loop, however often other clients change the object', async () => {
  let calls = 0;
  const bench: ControllerBench = new ControllerBench(
    {
      owns: [others],
      reconcile: async (_object, { client, store }) => {
        calls++;
        const [child] = store(others).list();
        const body = { value: child?.value ?? 0 };
        await client.patch(others, { name: 'c', namespace: 'demo' }, { type: 'merge', body });
      },
    },
    { client: patching(() => bench.collection(others)) },
  );
  const owner = {
    apiVersion: 'example.dev/v1',
    kind: 'Thing',
    name: 'a',
    uid: 'u',
    controller: true,
  };
  bench.collection().put('a');
  bench.collection(others).put('c', 0, { ownerReferences: [owner] });
  await bench.run();

  for (let value = 1; value <= 100; value++) {
    bench.collection(others).put('c', value, { ownerReferences: [owner] });
    await bench.clock.advanceAndSettle(10);
  }

  expect(calls).toBeGreaterThan(100);
  expect(bench.count('chancery_write_loop_total')).toBe(0);
});

test("[K-53] two controllers that undo each other's changes are a write loop", async () => {
  let isFighting = true;
  const bench: ControllerBench = new ControllerBench(
    {
      reconcile: async (_object, { client }) => {
        await client.patch(
          things,
          { name: 'a', namespace: 'demo' },
          { type: 'merge', body: { value: 1 } },
        );
        if (isFighting) bench.collection().put('a', 2); // the other one is quick
      },
    },
    { client: patching(() => bench.collection()) },
  );
  bench.collection().put('a', 2);
  await bench.run();

  await bench.clock.advanceAndSettle(10_000);
  isFighting = false;
  await bench.clock.advanceAndSettle(60_000);

  expect(bench.count('chancery_write_loop_total')).toBeGreaterThan(0);
});

test('[K-53] a write loop is reported only after more than 30 writes in a minute', () => {
  const clock = new FakeClock();
  const { attempt, hear, turns, told, delayMs } = attempts(clock);
  const turn = (): void => {
    hear(things);
    attempt(things);
  };
  turn(); // nothing was written before it

  for (let slowly = 0; slowly < 100; slowly++) {
    clock.advance(2_000);
    turn();
  }
  clock.advance(60_000);
  for (let quickly = 0; quickly < 30; quickly++) turn();
  const before = [turns(), delayMs()];
  turn();

  expect(before).toEqual([0, 0]);
  expect([turns(), delayMs()]).toEqual([1, 1_000]);
  expect(told).toMatchObject([
    { object: 'things.example.dev demo/a', writes: 31, intervalMs: 1_000 },
  ]);
});

test('[K-53] a write in a poll or a retry does not count as a turn of a write loop', () => {
  const { attempt, turns, delayMs } = attempts();

  for (let nth = 0; nth < 100; nth++) attempt(things);

  expect([turns(), delayMs()]).toEqual([0, 0]);
});

test('[K-53] an attempt without a write ends the delays of a write loop', () => {
  const { attempt, hear, delayMs } = attempts();
  for (let nth = 0; nth < 40; nth++) {
    hear(things);
    attempt(things);
  }
  const slowed = delayMs();

  hear(things);
  attempt();

  expect([slowed > 0, delayMs()]).toEqual([true, 0]);
});
