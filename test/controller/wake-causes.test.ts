/** Causes of waiting keys, when more keys wait than are remembered. */
import { expect, test } from 'vitest';
import { WakeCauses } from '../../operator/controller/run/wakes/wake-causes.ts';
import { type ObjectKey, objectKey } from '../../operator/model/object.ts';

const keyAt = (at: number): ObjectKey => objectKey('demo', `a-${at}`);

const silent = { debug() {}, info() {}, warn() {}, error() {} };

function remembering(showsDebug = false): WakeCauses {
  const causes = new WakeCauses(() => showsDebug);
  for (let at = 0; at < 1_500; at++) causes.asked(keyAt(at), 'trigger');
  return causes;
}

const TRIGGER = { causes: [{ cause: 'trigger', via: undefined, times: 1 }], more: 0 };

test('the controller remembers why the first 1,000 waiting keys were enqueued', () => {
  const causes = remembering();

  expect(causes.of(keyAt(999))).toEqual(TRIGGER);
  expect(causes.of(keyAt(1_000))).toBeUndefined();
});

test('with debug logging, the controller remembers why each waiting key was enqueued', () => {
  expect(remembering(true).of(keyAt(1_499))).toEqual(TRIGGER);
});

test('after a key is reconciled or dropped, the causes of another key can be remembered', () => {
  const causes = remembering();
  const [begun, dropped] = [keyAt(7), keyAt(8)];

  const wokenBy = causes.begins(begun, 0, silent);
  causes.forget(dropped);
  for (const at of [1_001, 1_002, 1_003]) causes.asked(keyAt(at), 'trigger');

  expect(wokenBy).toEqual(TRIGGER);
  expect([begun, dropped].map((key) => causes.of(key))).toEqual([undefined, undefined]);
  expect([1_001, 1_002, 1_003].map((at) => causes.of(keyAt(at)) !== undefined)).toEqual([
    true,
    true,
    false,
  ]);
});

test('more causes of a remembered key are counted even if there is no room for other keys', () => {
  const causes = remembering();

  causes.asked(keyAt(3), 'trigger');
  for (const why of ['b', 'c', 'd', 'e', 'e']) causes.asked(keyAt(3), why);

  expect(causes.of(keyAt(3))).toEqual({
    causes: ['trigger', 'b', 'c', 'd'].map((cause, at) => ({
      cause,
      via: undefined,
      times: at === 0 ? 2 : 1,
    })),
    more: 2,
  });
});
