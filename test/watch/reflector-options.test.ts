import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { Informer } from '../../operator/store/informer.ts';
import { FakeCollection } from '../support/fake-collection.ts';

const observer = { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} };

function informer(relistIntervalMs: number): Informer<never> {
  return new Informer(new FakeCollection() as never, observer, {
    clock: new FakeClock(),
    relistIntervalMs,
  });
}

test.each([
  1,
  60_000,
  599_999,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
])('[W-35] a relist interval of %s ms is refused, and the error contains the alternative', (relistIntervalMs) => {
  const make = (): unknown => informer(relistIntervalMs);

  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(
    `relistIntervalMs must be 600000 (10 minutes) or more, or 0 for never, not ${relistIntervalMs}: call verify()`,
  );
});

test.each([
  0, 600_000, 1_800_000,
])('[W-35] a relist interval of %s ms is accepted', (relistIntervalMs) => {
  expect(() => informer(relistIntervalMs)).not.toThrow();
});
