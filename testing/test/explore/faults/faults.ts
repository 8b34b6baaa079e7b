import { deleteByName } from './deletion/delete-by-name.ts';
import { finalizerTooEarly } from './deletion/finalizer-too-early.ts';
import { forgottenRequeue } from './deletion/forgotten-requeue.ts';
import { lateFinalizer } from './deletion/late-finalizer.ts';
import { recreatedOwner } from './deletion/recreated-owner.ts';
import type { Fault } from './fault.ts';
import { effectDoneAgain } from './restarts/effect-done-again.ts';
import { lockOfTheDead } from './restarts/lock-of-the-dead.ts';
import { replayedStart } from './restarts/replayed-start.ts';
import { unsavedName } from './restarts/unsaved-name.ts';
import { absentOwner } from './stale-reads/absent-owner.ts';
import { cleanupByCachedStatus } from './stale-reads/cleanup-by-cached-status.ts';
import { doubleCreate } from './stale-reads/double-create.ts';
import { finalizerByCache } from './stale-reads/finalizer-by-cache.ts';
import { mixedGenerations } from './stale-reads/mixed-generations.ts';
import { unwatchedReference } from './stale-reads/unwatched-reference.ts';
import { childrenAtOnce } from './writes/children-at-once.ts';
import { countedByLabel } from './writes/counted-by-label.ts';
import { doubleAllocation } from './writes/double-allocation.ts';
import { doublingRetry } from './writes/doubling-retry.ts';
import { lostFinalizer } from './writes/lost-finalizer.ts';
import { staleReplicas } from './writes/stale-replicas.ts';
import { uncheckedOwner } from './writes/unchecked-owner.ts';
import { unconditionalUpdate } from './writes/unconditional-update.ts';
import { wholeStatus } from './writes/whole-status.ts';

/** Every operator with a fault, in the order of tables. */
export const FAULTS: readonly Fault[] = [
  lostFinalizer,
  unconditionalUpdate,
  wholeStatus,
  staleReplicas,
  doubleCreate,
  mixedGenerations,
  cleanupByCachedStatus,
  finalizerByCache,
  absentOwner,
  unwatchedReference,
  uncheckedOwner,
  countedByLabel,
  doubleAllocation,
  doublingRetry,
  childrenAtOnce,
  finalizerTooEarly,
  lateFinalizer,
  deleteByName,
  recreatedOwner,
  forgottenRequeue,
  unsavedName,
  lockOfTheDead,
  replayedStart,
  effectDoneAgain,
];
