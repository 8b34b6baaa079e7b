import { expect, test } from 'vitest';
import {
  type Effect,
  type GroupEvent,
  type GroupObservation,
  type GroupState,
  mayWrite,
  NEW_GROUP,
  type Phase,
  step,
} from '../../../operator/manager/sharding/group-machine.ts';

const FREE: GroupObservation = {
  generationHeld: true,
  holder: 'none',
  stale: false,
  preferred: 'self',
};
const OWN: GroupObservation = { ...FREE, holder: 'self' };

const observed = (observation: Partial<GroupObservation>): GroupEvent => ({
  kind: 'observed',
  observation: { ...FREE, ...observation },
});

function after(
  events: readonly (GroupEvent | Exclude<GroupEvent['kind'], 'observed'>)[],
  from: GroupState = NEW_GROUP,
): { readonly phase: Phase; readonly state: GroupState; readonly effects: readonly Effect[] } {
  let state = from;
  const effects: Effect[] = [];
  for (const event of events) {
    const result = step(state, typeof event === 'string' ? { kind: event } : event);
    state = result.state;
    effects.push(...result.effects);
  }
  return { phase: state.phase, state, effects };
}

const { state: OWNING } = after([observed({}), 'acquired', 'synced']);

test('a preferred member claims a free group, lists its objects, and then reconciles them', () => {
  expect(after([observed({}), 'acquired', 'synced'])).toMatchObject({
    phase: 'owning',
    effects: ['claim', 'open-range', 'dispatch'],
  });
});

test.each<Partial<GroupObservation>>([
  { holder: 'none' },
  { holder: 'self' },
  { holder: 'other', stale: true },
])('the preferred member claims a group at once, and another member after three more observations: %j', (free) => {
  const notMine = observed({ ...free, preferred: 'other' });

  expect(after([observed(free)]).effects).toEqual(['claim']);
  expect(after([notMine, notMine, notMine]).effects).toEqual([]);
  expect(after([notMine, notMine, notMine, notMine]).effects).toEqual(['claim']);
  const interrupted = [notMine, notMine, observed({ holder: 'other' }), notMine, notMine];
  expect(after(interrupted).effects).toEqual([]);
});

test('a member does not claim a group with a live holder, or a group of another generation', () => {
  expect(after([observed({ holder: 'other' })]).effects).toEqual([]);
  expect(after([observed({ generationHeld: false })]).effects).toEqual([]);
});

test('[SH-3] a holder drains its group if two renewals in a row prefer another member, and releases the idle group', () => {
  const other = observed({ ...OWN, preferred: 'other' });

  expect(after([other, observed(OWN), other], OWNING).phase).toBe('owning');
  expect(after([other, other], OWNING)).toMatchObject({
    phase: 'draining',
    effects: ['stop-dispatching'],
  });
  expect(after([other, other, 'idle'], OWNING)).toMatchObject({
    phase: 'foreign',
    effects: ['stop-dispatching', 'drop-range', 'release'],
  });
});

test('an overdue drain aborts the running reconciles, and no write is allowed from then on', () => {
  const { effects, state } = after(['shutdown', 'drain-overdue'], OWNING);

  expect(mayWrite(state)).toBe(false);
  expect(effects).toEqual(['stop-dispatching', 'abort-reconciles']);
  expect(after(['idle'], state)).toMatchObject({ phase: 'foreign' });
});

test.each([
  'lost',
  'generation-lost',
] as const)('after %s no write is allowed, and the group can be claimed again when no reconcile runs', (kind) => {
  const { effects, state } = after([kind], OWNING);

  expect(mayWrite(state)).toBe(false);
  expect(effects).toEqual(['stop-dispatching', 'abort-reconciles']);
  expect(after([observed({})], state).effects).toEqual([]);
  expect(after(['idle', observed({})], state).phase).toBe('claiming');
});

test('a member loses its group if the group has another generation', () => {
  expect(after([observed({ ...OWN, generationHeld: false })], OWNING).phase).toBe('lost');
});

test('a stopping process claims no group, and releases a group if it gets the group through a late response', () => {
  expect(after(['shutdown', observed({}), observed({})]).effects).toEqual([]);
  expect(after([observed({}), 'shutdown', 'acquired'])).toMatchObject({
    phase: 'foreign',
    effects: ['claim', 'release'],
  });
  expect(after(['shutdown', 'idle', observed({}), observed({})], OWNING).phase).toBe('foreign');
});

test('a member may write only while it owns or drains the group', () => {
  const draining = after(['shutdown'], OWNING).state;
  const claiming = after([observed({})]).state;
  const warming = after(['acquired'], claiming).state;
  const lost = after(['lost'], OWNING).state;

  expect([OWNING, draining].map(mayWrite)).toEqual([true, true]);
  expect([NEW_GROUP, claiming, warming, lost].map(mayWrite)).toEqual([false, false, false, false]);
});
