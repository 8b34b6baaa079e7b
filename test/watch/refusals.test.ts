/** When a 403 of the API server is a retry, and when it is a state of its own. */
import { expect, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { ApiError } from '../../operator/model/status.ts';
import { FakeCollection } from '../support/fake-collection.ts';
import { start } from './started-reflector.ts';

const refused = (): ApiError => new ApiError({ code: 403, reason: 'Forbidden' });

/** A reflector that has watched for a minute, and whose watch then ends. */
async function healthy(...afterwards: readonly Error[]) {
  const collection = new FakeCollection();
  const started = start({}, collection);
  await started.clock.advanceAndSettle(60_000);
  collection.failWatches(...afterwards);
  collection.newestWatch.end();
  return started;
}

test('[real R-7] [W-20] a 403 after a healthy period is retried at first, and counts as forbidden at the third refusal', async () => {
  const { clock, statuses } = await healthy(refused(), refused(), refused());

  await clock.advanceAndSettle(12_000);
  const early = [...statuses];
  await clock.advanceAndSettle(7_000);
  const late = [...statuses];
  await clock.advanceAndSettle(60_000);

  expect(early).toEqual(['healthy', 'failing: forbidden']);
  expect(late).toEqual([...early, 'forbidden: forbidden']);
  expect(statuses).toEqual([...late, 'healthy']);
});

test('[real R-7] [W-20] refusals during several restarts with healthy periods between them do not count as forbidden', async () => {
  const { clock, collection, statuses } = await healthy(refused(), refused());

  for (let restart = 0; restart < 3; restart++) {
    await clock.advanceAndSettle(60_000);
    collection.failWatches(refused(), refused());
    collection.newestWatch.end();
  }
  await clock.advanceAndSettle(60_000);

  const retry = ['failing: forbidden', 'healthy'];
  expect(statuses).toEqual(['healthy', ...retry, ...retry, ...retry, ...retry]);
});

test('[real R-7] [W-20] a 403 for the first list counts as forbidden at once', async () => {
  const collection = new FakeCollection();
  collection.failLists(refused());

  const { clock, statuses } = start({}, collection);
  await clock.advanceAndSettle(1_000);

  expect(statuses).toEqual(['forbidden: forbidden']);
});

test('[real R-7] [W-20] a refusal by the ambassador’s filter counts as forbidden at once, even after a healthy period', async () => {
  const filtered = new AmbassadorError('no', { code: 'AMBASSADOR_FORBIDDEN', fate: 'not-sent' });

  const { clock, statuses } = await healthy(filtered);
  await clock.advanceAndSettle(1_000);

  expect(statuses).toEqual(['healthy', 'forbidden: filtered']);
});
