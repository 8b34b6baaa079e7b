/** Hooks that fail or answer nonsense: what parents show, what is told, and that no child is lost by it. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import {
  ORCHARDS,
  type OrchardRequest,
  orchard,
  orchards,
  plan,
  planned,
  syncedOf,
  syncedWith,
} from './support/orchards.ts';
import { PATIENT, startMetacontroller } from './support/place.ts';
import { Reply } from './support/webhooks.ts';

/** A cluster in which `north` has its plan, and a hook that then answers something else about it. */
async function settledPlace(answer: (body: OrchardRequest) => unknown, webhook: object = {}) {
  let isBroken = false;
  const decide = (body: OrchardRequest): unknown =>
    isBroken && body.parent.metadata.name === 'north' ? answer(body) : plan(body);
  const place = await startMetacontroller({
    subjects: [orchards({ decide, webhook })],
    definitions: [ORCHARDS],
  });
  await place.apply(orchard('north', 1));
  await planned(place, 'north', 1);
  await place.idle();
  isBroken = true;
  return {
    place,
    mend: () => {
      isBroken = false;
    },
  };
}

test.each<[string, (body: OrchardRequest) => unknown, string]>([
  ['500', () => new Reply(500), 'BadStatus'],
  ['204', () => new Reply(204), 'BadStatus'],
  ['a redirect', () => new Reply(302, '', { location: '/else' }), 'BadStatus'],
  ['a page', () => new Reply(200, '<html></html>'), 'InvalidAnswer'],
  ['more than 10 MB', () => new Reply(200, ' '.repeat(10_000_001)), 'TooLarge'],
  ['nothing about children', () => ({}), 'InvalidAnswer'],
  ['null in place of children', () => ({ children: null }), 'InvalidAnswer'],
  ['null as a child', () => ({ children: [null] }), 'InvalidAnswer'],
])('[metacontroller 8] a hook that answers %s costs no child, and is told by condition, Event and metric', async (_, answer, reason) => {
  const { place, mend } = await settledPlace(answer);

  await place.apply(orchard('north', 2));
  const condition = await syncedWith(place, 'north', reason);
  const [event] = await place.told('SyncError');
  await place.apply(orchard('south', 7));
  await planned(place, 'south', 7); // its neighbour goes on
  const kept = await planned(place, 'north', 1);
  mend();
  await planned(place, 'north', 2); // by the back-off: nothing changes meanwhile
  await eventually(async () => (await syncedOf(place, 'north')) === undefined, PATIENT);

  const labels = `{controller="composite-orchards",reason="${reason}"}`;
  expect(place.operator.meter.snapshot()).toHaveProperty([
    `metacontroller_parent_failures_total${labels}`,
  ]);
  expect(condition.status).toBe('False');
  expect(event).toMatchObject({ type: 'Warning' });
  expect(kept.metadata.deletionTimestamp).toBeUndefined();
});
