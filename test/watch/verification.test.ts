import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { keyOf } from '../../operator/model/object.ts';
import { Verification } from '../../operator/watch/verifier.ts';
import { perTurn } from '../support/event-loop.ts';
import { FakeCollection } from '../support/fake-collection.ts';

test('[L-15] [W-35] a list of 10,000 objects is compared with the cache in turns of 1,000', async () => {
  const collection = new FakeCollection();
  for (let index = 0; index < 10_000; index++) collection.put(`o${index}`);
  const cached = new Map(collection.objects.map((object) => [keyOf(object), object.metadata]));
  const looks = perTurn();
  const known = (key: Parameters<typeof cached.get>[0]) => {
    looks.count(1);
    const { uid = '', resourceVersion = '' } = cached.get(key) ?? {};
    return { uid, resourceVersion };
  };
  const view = { known, keys: () => cached.keys() };
  const { signal } = new AbortController();

  const drift = await new Verification(view, new FakeClock()).run(collection, {
    pageSize: 0,
    signal,
  });

  expect(drift).toEqual([]);
  expect([looks.total(), looks.most()]).toEqual([10_000, 1_000]);
});
