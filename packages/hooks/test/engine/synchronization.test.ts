/** The order of a binding's events and its Synchronization. */
import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { EngineWorld, hook, watches } from './support/engine-world.ts';

test('[hooks S10] events of a binding with a separate queue wait until its Synchronization has run in the queue `main`', async () => {
  const world = new EngineWorld({
    hooks: [hook('a', { kubernetes: [watches({ name: 'x', queue: 'own' })] })],
  });
  world.endings.set('a', ['fails', 'lasts']);
  await world.start();

  world.watch('a', 'x').put('n', 1);
  await world.clock.advanceAndSettle(4_999);
  const failing = [...world.log];
  await world.clock.advanceAndSettle(1);
  world.watch('a', 'x').put('n', 2);
  await settle();
  const running = world.log.slice(1);
  world.attempts[1]?.succeed();
  await settle();

  expect(failing).toEqual(['a Synchronization(x [])']);
  expect(running).toEqual(['a Synchronization(x [{"object":1}])']);
  expect(world.log.slice(2)).toEqual(['a Event(x Modified 2)']);
});

test("[hooks S13] an event still starts a run if the snapshot of another binding's run already contained the change", async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', {
        kubernetes: [
          watches({
            name: 'reader',
            queue: 'side',
            runsOnSynchronization: false,
            includeSnapshotsFrom: ['x'],
          }),
          watches({ name: 'x' }),
        ],
      }),
    ],
  });
  world.endings.set('a', ['lasts']);
  await world.start();

  world.watch('a', 'x').put('n', 1);
  world.watch('a', 'reader').put('r', 1);
  await settle();
  world.attempts[0]?.succeed();
  await settle();

  expect(world.log).toEqual([
    'a Synchronization(x [])',
    'a Event(reader Added 1 {"x":[{"object":1}]})',
    'a Event(x Added 1)',
  ]);
});

test('an event that the Synchronization already contains starts no run, and a later event starts a run', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', { kubernetes: [watches({ name: 'x' })] }),
      hook('b', { kubernetes: [watches({ name: 'y' })] }),
    ],
  });
  world.endings.set('b', ['lasts']);
  await world.start();
  world.watch('a', 'x').put('n', 1);
  await settle();

  world.watch('b', 'y').put('m', 'after');
  world.attempts[1]?.succeed();
  await settle();

  expect(world.log).toEqual([
    'a Synchronization(x [])',
    'b Synchronization(y [])',
    'a Event(x Added 1)',
    'b Event(y Added after)',
  ]);
});

test('a repeated Synchronization of a grouped binding also contains the events that waited', async () => {
  const group = { group: 'g', includeSnapshotsFrom: ['x', 'y'] };
  const world = new EngineWorld({
    hooks: [
      hook('a', {
        kubernetes: [watches({ name: 'x', ...group }), watches({ name: 'y', ...group })],
      }),
    ],
  });
  world.endings.set('a', ['fails']);
  await world.start();

  world.watch('a', 'x').put('n', 1);
  world.watch('a', 'y').put('n', 1);
  await world.clock.advanceAndSettle(5_000);
  world.watch('a', 'x').put('n', 2);
  await settle();
  world.watch('a', 'y').put('n', 3);
  await settle();

  expect(world.log).toEqual([
    'a Group(y {"x":[],"y":[]})',
    'a Group(y {"x":[{"object":1}],"y":[{"object":1}]})',
    'a Group(x {"x":[{"object":2}],"y":[{"object":1}]})',
    'a Group(y {"x":[{"object":2}],"y":[{"object":3}]})',
  ]);
});

test('a Synchronization without a group runs separately', async () => {
  const world = new EngineWorld({
    hooks: [hook('a', { kubernetes: [watches({ name: 'x' }), watches({ name: 'y' })] })],
  });

  await world.start();

  expect(world.log).toEqual(['a Synchronization(x [])', 'a Synchronization(y [])']);
});

test('only the event types that a binding lists start runs', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', {
        kubernetes: [
          watches({ name: 'x', runsOnSynchronization: false, events: new Set(['Deleted']) }),
        ],
      }),
    ],
  });
  await world.start();

  world.watch('a', 'x').put('n', 1);
  world.watch('a', 'x').put('n', 2);
  world.watch('a', 'x').delete('n');
  await settle();

  expect(world.log).toEqual(['a Event(x Deleted 2)']);
});
