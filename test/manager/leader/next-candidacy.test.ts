/** An elector that stands again for a process that has lost: another term, with a fence of its own. */

import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AmbassadorError } from '../../../operator/core/errors.ts';
import type { LeaderElector } from '../../../operator/manager/leader/leader-elector.ts';
import { type Candidate, leader, watched } from './candidate.ts';
import { FakeLeaseStore } from './fake-lease-store.ts';

const REFUSED = new AmbassadorError('refused', {
  code: 'AMBASSADOR_UNREACHABLE',
  fate: 'not-sent',
});

interface Lost extends Candidate {
  readonly clock: FakeClock;
  readonly store: FakeLeaseStore;
}

/** A leader that has lost because nothing answers, 10 s after its last renewal. */
async function lost(): Promise<Lost> {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const elected = await leader('a', store, clock);
  watched(elected.elector.renew(elected.stop.signal));
  store.treat = () => REFUSED;
  await clock.advanceAndSettle(10_000);
  return { ...elected, clock, store };
}

/** Advances until it leads; returns when, on the clock. */
async function leadsAt(elector: LeaderElector, clock: FakeClock): Promise<number> {
  while (!elector.isLeader && clock.monotonic() < 120_000) await clock.advanceAndSettle(100);
  return clock.monotonic();
}

test('[real R-4] the next term begins when the Lease of the lost term has expired, with a new transition number', async () => {
  const { clock, elector, lines, stop, store } = await lost();
  const next = elector.nextCandidacy();
  const acquiring = watched(next.acquire(stop.signal));
  store.treat = () => 'serve';
  store.requests.length = 0;

  const ledAt = await leadsAt(next, clock);

  expect(acquiring.outcome).toBe('resolved');
  expect(ledAt).toBeGreaterThanOrEqual(15_000);
  expect(ledAt).toBeLessThan(15_000 + 2_100);
  const writes = store.requests.filter(({ verb }) => verb === 'update' || verb === 'create');
  expect(writes.map(({ atMs }) => atMs)).toEqual([ledAt]);
  expect(store.lease?.spec).toMatchObject({
    holderIdentity: 'a',
    leaseTransitions: 1,
    acquireTime: new Date(ledAt).toISOString().replace('Z', '000Z'),
  });
  expect(lines.map(({ message }) => message).filter((each) => each.includes('lead'))).toEqual([
    'stands for leadership',
    'leads',
    'leadership lost',
    'leads',
  ]);
});

test('[real R-4] [LE-12] the fence of the lost term stays closed while the fence of the next term is open', async () => {
  const { clock, elector, stop, store } = await lost();
  const next = elector.nextCandidacy();
  watched(next.acquire(stop.signal));
  const whileStanding = [elector, next].map(({ fence }) =>
    refusalOf(() => fence.writeDeadlineAt()),
  );
  store.treat = () => 'serve';

  await leadsAt(next, clock);

  expect(whileStanding).toEqual(['LEADERSHIP_LOST', 'LEADERSHIP_LOST']);
  expect(next.fence.writeDeadlineAt()).toBeGreaterThan(clock.monotonic());
  expect(next.eventFence.writeDeadlineAt()).toBeGreaterThan(clock.monotonic());
  expect(refusalOf(() => elector.fence.writeDeadlineAt())).toBe('LEADERSHIP_LOST');
  expect(refusalOf(() => elector.eventFence.writeDeadlineAt())).toBe('LEADERSHIP_LOST');
});

test('[real R-4] a late renewal of the lost term does not make the process the leader of that term again', async () => {
  const { clock, elector, stop, store } = await lost();
  const next = elector.nextCandidacy();
  watched(next.acquire(stop.signal));
  await clock.advanceAndSettle(10_000);
  const late = new Date(clock.now()).toISOString().replace('Z', '000Z');
  store.edit({ spec: { renewTime: late } });
  store.treat = () => 'serve';

  await leadsAt(next, clock);

  expect(store.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 1 });
});

test('[real R-4] if a response is lost, the process still takes the Lease only once, with one new transition', async () => {
  const { clock, elector, stop, store } = await lost();
  const next = elector.nextCandidacy();
  watched(next.acquire(stop.signal));
  let answersLost = 0;
  store.treat = ({ verb }) => (verb === 'update' && answersLost++ === 0 ? 'lose-answer' : 'serve');

  await leadsAt(next, clock);

  expect(answersLost).toBe(2);
  expect(store.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 1 });
});

test('[real R-4] if another process took the Lease meanwhile, it is taken back only after its duration without a renewal', async () => {
  const { clock, elector, leaders, stop, store } = await lost();
  const next = elector.nextCandidacy();
  watched(next.acquire(stop.signal));
  await clock.advanceAndSettle(10_000);
  store.edit({ spec: { holderIdentity: 'b', leaseTransitions: 1 } });
  store.treat = () => 'serve';
  const seenAt = clock.monotonic();

  const ledAt = await leadsAt(next, clock);

  expect(ledAt - seenAt).toBeGreaterThanOrEqual(15_000);
  expect(leaders).toEqual(['a', 'b', 'a']);
  expect(store.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 2 });
});

test('[real R-4] nextCandidacy throws if the term is not lost', async () => {
  const clock = new FakeClock();
  const { elector } = await leader('a', new FakeLeaseStore(clock), clock);

  expect(() => elector.nextCandidacy()).toThrow(
    expect.objectContaining({ code: 'LEADERSHIP_LOST' }),
  );
});

function refusalOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
  return 'passed';
}
