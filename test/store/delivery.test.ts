import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { type Change, Updated } from '../../operator/store/change.ts';
import { Delivery } from '../../operator/store/delivery.ts';

const object = (name: string, version: number): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid: `uid-${name}`, resourceVersion: String(version) },
});
const update = (name: string, version: number): Change =>
  new Updated(Entry.of(object(name, version)), Entry.of(object(name, version - 1)));
const versions = (changes: readonly Change[]): string[] =>
  changes.map(({ object: { metadata } }) => `${metadata.name}@${metadata.resourceVersion}`);

/** A handler whose calls stay open until they are answered, one by one. */
function heldHandler() {
  const calls: string[][] = [];
  const open: PromiseWithResolvers<void>[] = [];
  return {
    calls,
    handler: (changes: readonly Change[]): Promise<void> => {
      calls.push(versions(changes));
      const answer = Promise.withResolvers<void>();
      open.push(answer);
      return answer.promise;
    },
    answer: async (): Promise<void> => {
      open.shift()?.resolve();
      await settle();
    },
    fail: async (): Promise<void> => {
      open.shift()?.reject(new Error('failed'));
      await settle();
    },
  };
}

test('[C-18] a synchronous handler is called in the same turn of the event loop as the change', () => {
  const calls: string[][] = [];
  const delivery = new Delivery(
    (changes) => void calls.push(versions(changes)),
    () => {},
  );

  delivery.push([update('a', 1)]);
  delivery.push([update('a', 2), update('b', 3)]);

  expect(calls).toEqual([['a@1'], ['a@2', 'b@3']]);
  expect(delivery.working).toBeUndefined();
});

test('[C-18] calls of a handler never overlap, and changes that come during a call are one batch in order', async () => {
  const { calls, handler, answer } = heldHandler();
  const delivery = new Delivery(handler, () => {});
  delivery.push([update('a', 1)]);
  delivery.push([update('b', 2)]);
  delivery.push([update('a', 3)]);
  const during = structuredClone(calls);

  await answer();
  delivery.push([update('a', 4)]);
  await answer();
  await answer();

  expect(during).toEqual([['a@1']]);
  expect(calls).toEqual([['a@1'], ['b@2', 'a@3'], ['a@4']]);
});

test('[C-18] a change that a handler causes during its call is delivered afterwards', () => {
  const calls: string[] = [];
  const delivery: Delivery<KubernetesObject> = new Delivery(
    (changes) => {
      calls.push(`begin ${versions(changes)}`);
      if (calls.length === 1) delivery.push([update('a', 2)]);
      calls.push(`end ${versions(changes)}`);
    },
    () => {},
  );

  delivery.push([update('a', 1)]);

  expect(calls).toEqual(['begin a@1', 'end a@1', 'begin a@2', 'end a@2']);
});

test('[C-18] a handler that throws or rejects is still called for the next change', async () => {
  const failures: string[] = [];
  const { calls, handler, fail } = heldHandler();
  const throwing = new Delivery(
    () => {
      throw new Error('thrown');
    },
    (error) => failures.push(String(error)),
  );
  const rejecting = new Delivery(handler, (error) => failures.push(String(error)));

  throwing.push([update('a', 1)]);
  throwing.push([update('a', 2)]);
  rejecting.push([update('a', 1)]);
  rejecting.push([update('a', 2)]);
  await fail();
  await fail();

  expect(failures).toEqual(['Error: thrown', 'Error: thrown', 'Error: failed', 'Error: failed']);
  expect(calls).toEqual([['a@1'], ['a@2']]);
});

test('[C-19] a million updates of 10 keys wait as 10 changes for a handler that does not return', async () => {
  const { calls, handler, answer } = heldHandler();
  const delivery = new Delivery(handler, () => {});
  delivery.push([update('first', 1)]);
  let most = 0;

  for (let version = 1; version <= 1_000_000; version += 100) {
    delivery.push(Array.from({ length: 100 }, (_, at) => update(`o${at % 10}`, version + at)));
    most = Math.max(most, delivery.pending);
  }
  const waiting = delivery.pending;
  await answer();

  expect(most).toBeLessThanOrEqual(1_000);
  expect(waiting).toBe(10);
  expect(calls[1]).toEqual(Array.from({ length: 10 }, (_, at) => `o${at}@${999_991 + at}`));
});

test('[C-15] a handler is synced when it has handled all changes before the end of the first list', async () => {
  const { handler, answer } = heldHandler();
  let told = 0;
  const delivery = new Delivery(handler, () => {}, { onSynced: () => told++ });
  delivery.push([update('a', 1)]);
  delivery.push([update('b', 1)]);

  delivery.markSynced();
  const atMark = delivery.synced;
  await answer();
  const afterFirst = delivery.synced;
  delivery.push([update('c', 1)]);
  await answer();

  expect([atMark, afterFirst, delivery.synced]).toEqual([false, false, true]);
  expect(told).toBe(1);
});

test('[C-15] if a call of a handler runs when the first list ends, the handler is synced when this call ends', async () => {
  const { handler, answer } = heldHandler();
  const delivery = new Delivery(handler, () => {});
  delivery.push([update('a', 1)]);

  delivery.markSynced();
  const atMark = delivery.synced;
  delivery.push([update('b', 1)]);
  await answer();

  expect([atMark, delivery.synced]).toEqual([false, true]);
});

test('a closed delivery no longer calls its handler', async () => {
  const { calls, handler, answer } = heldHandler();
  const delivery = new Delivery(handler, () => {});
  delivery.push([update('a', 1)]);
  delivery.push([update('a', 2)]);

  delivery.close();
  await answer();
  delivery.push([update('a', 3)]);

  expect(calls).toEqual([['a@1']]);
});
