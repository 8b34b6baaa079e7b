/** Whether a key may run now: the gate, and the order of its policies. */
import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import type { KeyPolicy } from '../../operator/controller/policies/key-gate.ts';
import { KeyGate, type Resume } from '../../operator/controller/policies/key-gate.ts';
import { keyPolicies } from '../../operator/controller/policies/key-policies.ts';
import { TakenNames } from '../../operator/controller/policies/taken-names.ts';
import { noMeter } from '../../operator/core/metrics.ts';
import { deployments } from '../../operator/model/builtin.ts';
import { type ObjectKey, objectKey } from '../../operator/model/object.ts';
import { WorkQueue } from '../../operator/queue/work-queue.ts';

const KEY = objectKey('demo', 'a');

/** Answers `delayMs` with whatever `answer` is by then. */
class Scripted implements KeyPolicy {
  readonly name: string;
  answer: number | 'park' = 0;

  constructor(name = 'scripted') {
    this.name = name;
  }

  delayMs(): number | 'park' {
    return this.answer;
  }
}

/** Parks every key, and counts how often it is asked. */
class Parking implements KeyPolicy {
  readonly name = 'parking';
  readonly mayPark = true;
  asked = 0;

  delayMs(): 'park' {
    this.asked++;
    return 'park';
  }
}

function start(...policies: KeyPolicy[]) {
  const clock = new FakeClock();
  const queue = new WorkQueue<ObjectKey>({ clock });
  let resume: Resume = () => {};
  const gate = new KeyGate(queue, (given) => {
    resume = given;
    return policies;
  });
  /** Takes the next key, asks the gate, and lets go of the key. */
  const turn = async (): Promise<{ key: ObjectKey; priority: number; admitted: boolean }> => {
    const key = (await queue.take()) ?? KEY;
    const priority = queue.processingPriority(key);
    const admitted = gate.admits(key);
    queue.done(key);
    return { key, priority, admitted };
  };
  return { clock, queue, gate, turn, resume: (key = KEY) => resume(key) };
}

test('the key policies of a controller have a fixed order', () => {
  const clock = new FakeClock();
  const namesFor = (consistency: 'wait' | 'none'): readonly string[] => {
    const of = controller({
      ...{ name: 'a', for: deployments, consistency },
      reconcile: async () => {},
    });
    const informers = new Map();
    const takenNames = new TakenNames({ clock, controller: of, informers, enqueue: () => {} });
    const policies = keyPolicies({
      ...{ clock, controller: of, informers, meter: noMeter, takenNames },
      ...{ ready: () => 0, looped: () => {}, fought: () => {}, resume: () => {} },
    });
    return policies.map((policy) => policy.constructor.name);
  };

  expect(namesFor('wait'), 'A new policy of every controller has its place here, too.').toEqual([
    'CacheSync',
    'ConsistencyWait',
    'MinInterval',
    'WriteLoops',
    'RequeueBrake',
    'TakenNames',
    'Storm',
  ]);
  expect(namesFor('none')).toEqual(namesFor('wait').filter((name) => name !== 'ConsistencyWait'));
});

test('the key gate delays a key by the longest delay of all policies', async () => {
  const [short, long] = [new Scripted(), new Scripted()];
  const { clock, queue, gate, turn } = start(short, long, { name: 'other' });
  queue.add(KEY, { priority: 7 });
  [short.answer, long.answer] = [10, 250];

  const first = await turn();
  [short.answer, long.answer] = [0, 0];
  clock.advance(249);
  const early = queue.depth;
  clock.advance(1);

  expect([first.admitted, early]).toEqual([false, 0]);
  expect(await turn()).toEqual({ key: KEY, priority: 7, admitted: true });
  [short.answer, long.answer] = [40, 30];
  expect(gate.delayMs(KEY)).toBe(40);
});

test('the key gate enqueues a key with the delay of its policy', () => {
  const policy = new Scripted();
  const { clock, queue, gate } = start(policy);
  policy.answer = 90;

  gate.add(KEY);
  const before = [queue.depth, queue.delayedCount];
  clock.advance(90);

  expect(before).toEqual([0, 1]);
  expect(queue.depth).toBe(1);
});

test('a parked key waits until its policy resumes it, and then has the highest priority it ever had', async () => {
  const [delays, parks] = [new Scripted(), new Scripted()];
  const { clock, queue, gate, turn, resume } = start(delays, parks);
  [delays.answer, parks.answer] = [5, 'park'];

  for (const priority of [-3, 12, 4]) {
    gate.add(KEY, { priority });
    clock.advance(5);
    await turn();
  }
  clock.advance(3_600_000);
  const parked = [gate.parkedCount, queue.waitingCount];
  [delays.answer, parks.answer] = [0, 0];
  resume(objectKey('demo', 'another'));
  resume();
  resume();

  expect(parked).toEqual([1, 0]);
  expect([gate.parkedCount, queue.depth]).toEqual([0, 1]);
  expect(await turn()).toEqual({ key: KEY, priority: 12, admitted: true });
  expect(queue.waitingCount).toBe(0);
});

test('a parked key that was reconciled because of a change is not resumed later', async () => {
  const policy = new Scripted();
  const { queue, gate, turn, resume } = start(policy);
  policy.answer = 'park';
  queue.add(KEY);
  await turn();
  policy.answer = 0;

  gate.add(KEY);
  const { admitted } = await turn();
  resume();

  expect([admitted, queue.waitingCount, gate.parkedCount]).toEqual([true, 0, 0]);
});

test('a parked key that is enqueued again is no longer parked, and has the higher priority', async () => {
  const policy = new Scripted();
  const { clock, queue, gate, turn, resume } = start(policy);
  policy.answer = 'park';
  queue.add(KEY, { priority: 9 });
  await turn();
  const parked = [gate.parkedCount, queue.waitingCount];

  policy.answer = 60;
  gate.add(KEY, { priority: -5 });
  resume();

  expect(parked).toEqual([1, 0]);
  expect([gate.parkedCount, queue.delayedCount]).toEqual([0, 1]);
  policy.answer = 0;
  clock.advance(60);
  expect(await turn()).toEqual({ key: KEY, priority: 9, admitted: true });
});

test('beforeTake() of the key gate waits for the first policy that returns a promise', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let held: Promise<void> | undefined = promise;
  const { gate } = start({ name: 'first' }, { name: 'second', beforeTake: () => held });
  const first = gate.beforeTake();

  held = undefined;
  resolve();

  await expect(first).resolves.toBeUndefined();
  expect(gate.beforeTake()).toBeUndefined();
});

test('waitsOf() lists the policies that delay a key, the longest delay first, and does not call policies that may park the key', async () => {
  const [short, long, parks] = [new Scripted('short'), new Scripted('long'), new Parking()];
  const { queue, gate, turn } = start(short, parks, long);
  [short.answer, long.answer] = [10, 250];

  const delayed = gate.waitsOf(KEY);
  const asked = parks.asked;
  queue.add(KEY);
  await turn();

  expect(delayed).toEqual([
    { policy: 'long', forMs: 250 },
    { policy: 'short', forMs: 10 },
  ]);
  expect([asked, parks.asked]).toEqual([0, 1]);
  expect(gate.waitsOf(KEY)).toEqual([{ policy: 'parking', forMs: undefined }]);
});
