import type { KeyState } from '../../controller/run/key-state.ts';
import { counted } from '../../core/text/counted.ts';
import type { SharingStatus } from '../sharding/sharding.ts';
import type { KeyWait } from './key-answer.ts';
import type { RememberedKey } from './key-memory.ts';
import type { ObservedController } from './observed-controller.ts';
import type { LeadershipStatus, ProcessStatus } from './process-status.ts';

/** The state of the process, as far as all keys depend on it. */
export interface Surroundings {
  readonly phase: ProcessStatus['phase'];
  readonly leadership: LeadershipStatus | undefined;
  readonly sharing: SharingStatus | undefined;
}

/** Maps the name of a policy to the sentence about a key that the policy delays. */
export const POLICY_WORDS: Readonly<Record<string, string>> = {
  'cache-sync': 'the cache of the reconciled objects has no first list',
  'consistency-wait':
    'a cache does not show yet what the last attempt wrote; that takes 5 s at most',
  'min-interval': 'minIntervalMs of the controller keeps the attempts of a key apart',
  'write-loops':
    'its attempts are caused by their own writes, or another writer changes them back: it is slowed',
  'requeue-brake': 'its reconciler asked for the next attempt at once again and again',
};

/** What prevents this process from reconciling a key now, regardless of the state of the key. */
export function blockerOf(
  controller: ObservedController,
  { group }: KeyState,
  { phase, leadership, sharing }: Surroundings,
): KeyWait | undefined {
  const blocked = (by: string, why: string): KeyWait => ({ by, forMs: undefined, why });
  if (phase === 'stopping') return blocked('process', 'the process is stopping');
  const { activity, needsLeaderElection, troubledSources } = controller;
  if (!activity.working) {
    if (needsLeaderElection && leadership?.leads === false) {
      const { holder } = leadership;
      return blocked(
        'leadership',
        holder ? `replica ${holder} leads and works on it` : 'no replica leads yet',
      );
    }
    const missing = troubledSources.filter(({ synced }) => !synced);
    const names = missing.map(({ resource, health }) => `${resource} (${health})`).join(', ');
    if (names !== '')
      return blocked('source', `the controller waits for the first list of ${names}`);
    return blocked('process', 'the controller has not begun');
  }
  if (group === undefined || group.isHere) return undefined;
  const holder = sharing?.groups[group.group]?.holder;
  const whose = holder ? `replica ${holder} holds` : 'no replica holds';
  return blocked('group', `${whose} group ${group.group}, to which it belongs`);
}

/** Everything that the key waits for in addition to the result of `blockerOf`, the longest wait first. */
export function waitsOf(
  controller: ObservedController,
  state: KeyState,
  remembered: RememberedKey | undefined,
): readonly KeyWait[] {
  const byPolicies = state.waits.map(({ policy, forMs }) => ({
    ...{ by: policy, forMs },
    why: POLICY_WORDS[policy] ?? `the policy ${policy} lets it wait`,
  }));
  return [
    ...ownWait(controller, state, remembered, byPolicies),
    ...byPolicies,
    ...sources(controller),
  ];
}

/** The wait of a key in the queue: until a worker is free, or until a certain time. */
function ownWait(
  { activity }: ObservedController,
  state: KeyState,
  remembered: RememberedKey | undefined,
  byPolicies: readonly KeyWait[],
): readonly KeyWait[] {
  if (state.state === 'ready') {
    const { busy, ready, workers } = activity;
    const before = ready
      .filter(({ priority }) => priority >= (state.priority ?? 0))
      .reduce((sum, { keys }) => sum + keys, 0);
    const keys = `${counted(before, 'key')} of this priority or a higher one ${before === 1 ? 'is' : 'are'} ready`;
    const why = `${busy} of ${counted(workers, 'worker')} ${busy === 1 ? 'is' : 'are'} busy, and ${keys}`;
    return [{ by: 'workers', forMs: undefined, why }];
  }
  const { dueInMs } = state;
  if (dueInMs === undefined) return [];
  // If a policy delays the key until the same time, the policy is the reason for this time. The two times
  // come from the same clock, but may have been rounded.
  if (byPolicies.some(({ forMs }) => forMs !== undefined && forMs >= dueInMs - 1)) return [];
  return [{ ...delayOf(state, remembered), forMs: dueInMs }];
}

function delayOf(
  { failures }: KeyState,
  remembered: RememberedKey | undefined,
): Pick<KeyWait, 'by' | 'why'> {
  const outcome = remembered?.last?.outcome;
  if (outcome === 'requeue') {
    return { by: 'back-off', why: 'the API server refused a write, which is tried again' };
  }
  if (failures > 0) {
    return { by: 'back-off', why: `the back-off after ${counted(failures, 'failure')} in a row` };
  }
  if (outcome === 'requeue_after') {
    return { by: 'requeueAfterMs', why: 'the reconciler has asked for it' };
  }
  return { by: 'delay', why: 'it was enqueued with a delay' };
}

/**
 * The waits for sources that are failing: as long as a source fails, changes of its objects do not wake the
 * key.
 */
function sources({ troubledSources }: ObservedController): readonly KeyWait[] {
  return troubledSources.map(({ resource, health, synced }) => ({
    by: 'source',
    forMs: undefined,
    why: synced
      ? `changes of ${resource} may be missing: its watch is ${health}`
      : `${resource} has no first list (${health})`,
  }));
}
