/**
 * One informer, and many handlers: `URL PROFILE MODE OBJECTS`. An event is seen when every handler has
 * been told of it; how late, the last of them tells.
 *
 *     {"do":"handlers","handlers":N}  so many, instead of those before; {"is":"handlers"} when all are told of what is cached
 *     {"do":"slow"}     one more, whose first promise stays open; {"is":"slow"}
 *     {"do":"release"}  lets it go; {"is":"released","pending":…,"digest":…}: changes that waited, at the least,
 *                       and the state that it knows when it has been told of what was expected last
 */
import { setTimeout as after } from 'node:timers/promises';
import type { ObjectKey } from '../../operator/index.ts';
import { digestOf, type ObjectState } from '../../test/support/load/state.ts';
import type { HandlerRegistration } from '../internals.ts';
import { numberIn } from '../message.ts';
import { chancery, internals, lowLevel } from './chancery.ts';
import { handled, onCommand, onExpectation, seen, synced } from './child.ts';
import { go } from './scale-start.ts';

const { NAMESPACE } = await import('../../test/support/load/profile.ts');
const { informerOf, stateOf } = await import('./scale-informer.ts');
const { ListLimiter } = internals;
const { splitKey } = chancery;
const { systemClock } = lowLevel;

let expected = '';
let tellers = 0;
onExpectation(({ marker }) => {
  expected = `${NAMESPACE}/${marker}`;
  tellers = 0;
});

const informer = informerOf(NAMESPACE, new ListLimiter({ clock: systemClock }));
let registrations: readonly HandlerRegistration[] = [];

/** So that whoever looks at the event loop has looked at it before something happens, and after. */
const LOOK_MS = 5;

onCommand('handlers', async (command) => {
  await after(LOOK_MS);
  for (const registration of registrations) registration.remove();
  const count = numberIn(command, 'handlers');
  const { promise, resolve } = Promise.withResolvers<void>();
  let told = 0;
  const onSynced = (): void => {
    if (++told === count) resolve();
  };
  registrations = Array.from({ length: count }, (_, index) => {
    const isLast = index === count - 1;
    return informer.addHandler(
      (changes) => {
        for (const { key } of changes) {
          if (key === expected) tellers++;
          else if (isLast) handled(splitKey(key).name);
          if (key === expected && tellers === count) seen();
        }
      },
      { onSynced },
    );
  });
  await promise;
  await after(LOOK_MS);
  return { is: 'handlers' };
});

const opened = Promise.withResolvers<void>();
const caughtUp = Promise.withResolvers<void>();
const slowState = new Map<ObjectKey, ObjectState>();
let slow: HandlerRegistration | undefined;

onCommand('slow', () => {
  slow = informer.addHandler((changes) => {
    for (const change of changes) {
      if (change.type === 'delete') slowState.delete(change.key);
      else slowState.set(change.key, stateOf(change.object));
    }
    if (slowState.has(expected as ObjectKey)) caughtUp.resolve();
    return opened.promise;
  });
  return { is: 'slow' };
});
onCommand('release', async () => {
  const pending = slow?.pending;
  opened.resolve();
  await caughtUp.promise;
  return { is: 'released', pending, digest: digestOf(slowState.values()) };
});

const { signal } = new AbortController();
await go();
void informer.run(signal);
await informer.until(() => informer.synced, signal);
synced(informer.size().objects);
