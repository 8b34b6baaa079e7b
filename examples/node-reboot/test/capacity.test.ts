import type { KubernetesObject } from 'chancery';
import type { Node } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { freePlaces, givesWay, placeOf, standsBack } from '../capacity.ts';
import {
  AFTER_REBOOT,
  BEFORE_REBOOT,
  PHASE,
  REBOOT_IN_PROGRESS,
  REBOOT_NEEDED,
  REBOOT_OK,
  REBOOT_PAUSED,
} from '../protocol.ts';

/** A Node with these labels or annotations, all `true`. */
function node(name: string, ...keys: readonly string[]): KubernetesObject {
  const all = Object.fromEntries(keys.map((key) => [key, 'true']));
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: all, annotations: all } };
}

/** A state as a predicate gets it. */
function state(...of: Parameters<typeof node>) {
  const object = node(...of) as Node;
  return { object, metadata: object.metadata };
}

type State = ReturnType<typeof state>;

function timedOut(name: string, ...keys: readonly string[]): KubernetesObject {
  const { metadata, ...rest } = node(name, ...keys);
  const annotations = { ...metadata.annotations, [PHASE]: 'TimedOut' };
  return { ...rest, metadata: { ...metadata, annotations } };
}

test('a Node counts as rebooting from the start of the checks before its reboot to the end of the checks after it', () => {
  expect(placeOf(node('a'))).toBe('none');
  expect(placeOf(node('a', REBOOT_NEEDED))).toBe('wanted');
  expect(placeOf(node('a', REBOOT_NEEDED, REBOOT_PAUSED))).toBe('none');
  expect(placeOf(node('a', REBOOT_NEEDED, BEFORE_REBOOT))).toBe('held');
  expect(placeOf(node('a', REBOOT_NEEDED, REBOOT_OK))).toBe('held');
  expect(placeOf(node('a', REBOOT_IN_PROGRESS))).toBe('held');
  expect(placeOf(node('a', AFTER_REBOOT))).toBe('held');
  expect(placeOf(timedOut('a', REBOOT_NEEDED, REBOOT_OK))).toBe('none');
});

test('FL3: a Node with two marks of a reboot is counted once, and if more Nodes reboot than allowed, no other Node may start', () => {
  const twice = node('a', AFTER_REBOOT, REBOOT_OK, REBOOT_NEEDED);

  expect(freePlaces([twice], 1)).toBe(0);
  expect(freePlaces([twice], 2)).toBe(1);
  expect(freePlaces([twice, node('b', AFTER_REBOOT), node('c', AFTER_REBOOT)], 1)).toBe(0);
});

test('a Node that has timed out waits behind Nodes that have not tried yet', () => {
  const late = timedOut('a', REBOOT_NEEDED);
  const fresh = node('b', REBOOT_NEEDED);

  expect(standsBack(late, [late, fresh], 1)).toBe(true);
  expect(standsBack(late, [late, fresh], 2)).toBe(false); // there is room for both
  expect(standsBack(late, [late], 1)).toBe(false);
  expect(standsBack(fresh, [late, fresh], 1)).toBe(false);
});

test('other Nodes are reconciled when a Node ends its reboot, is deleted, or no longer waits for a reboot', () => {
  const idle = state('a');
  const waiting = state('a', REBOOT_NEEDED);
  const holding = state('a', REBOOT_NEEDED, REBOOT_OK);
  const update = (old: State, now: State) => givesWay({ type: 'update', old, ...now });
  const told = (type: 'create' | 'delete', now: State) => givesWay({ type, ...now });

  expect([update(holding, idle), update(holding, waiting), update(waiting, idle)]).toEqual([
    true,
    true,
    true,
  ]);
  expect([update(idle, waiting), update(waiting, holding), update(holding, holding)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(told('delete', holding)).toBe(true);
  expect(told('delete', idle)).toBe(false);
  expect(told('create', holding)).toBe(false);
});
