import { isConflict, messageOf, rfc3339 } from 'chancery';
import { deletePods } from './actions/delete.ts';
import { evictNext } from './actions/evict.ts';
import { rollOut } from './actions/rollout.ts';
import { announceFailure, announcePlan, announceRemovals, announceRollouts } from './announce.ts';
import { revisionOf } from './content.ts';
import type { Entry, Pending } from './entry.ts';
import type { Memory } from './memory.ts';
import type { Pass, PassResult } from './pass.ts';
import { type Plan, planRestart } from './plan.ts';
import { type Entries, writeEntry } from './state.ts';
import type { AcceptedWatcher } from './watcher.ts';

/** What the Pods should have: the digests of a ConfigMap, and who watches it. */
export type Wanted = Pick<Entry, 'hash' | 'metadataHash' | 'frontEnds'>;

type Begun = Entry & { readonly pending: Pending };

/**
 * Restarts the Pods of a changed ConfigMap.
 *
 * Exactly once, also when the process ends half-way: a workload's template carries a stamp of the
 * restart, and Pods to remove are noted down by uid before the first is removed.
 */
export async function begin(
  pass: Pass,
  memory: Memory,
  entry: Entry,
  entries: Entries,
  wanted: Wanted,
): Promise<PassResult> {
  const { namespace, context } = pass;
  context.log.info({ configMap: pass.name, hash: wanted.hash }, 'Modification detected');
  const acting = actingWatchers(pass, entry, wanted);
  const plan = await planRestart(namespace, acting, context);
  announcePlan(plan, pass);
  const restarts = (entry.pending ?? entry).restarts + 1;
  await rollOutAll(plan, `${revisionOf(wanted)}.${restarts}`, pass);
  noteReports(plan, memory, rfc3339(context.clock.now()));
  const pending: Pending = {
    hash: wanted.hash,
    metadataHash: wanted.metadataHash,
    restarts,
    evict: Object.fromEntries(plan.evict),
    delete: Object.fromEntries(plan.delete),
    readyPods: Object.fromEntries(plan.readyPods),
  };
  const begun = { ...entry, pending };
  if (plan.evict.size + plan.delete.size === 0) return finish(pass, begun, entries, wanted);
  await writeEntry(pass, begun, entries, context);
  return advance(pass, begun, entries, wanted);
}

/** Takes the next step of a restart that removes Pods. */
export async function advance(
  pass: Pass,
  begun: Begun,
  entries: Entries,
  wanted: Wanted,
): Promise<PassResult> {
  const { namespace, context, accepted } = pass;
  const { pending } = begun;
  await deletePods(namespace, pending.delete, context);
  const { left, nextInMs } = await evictNext(namespace, pending, accepted, context);
  if (left === 0) return finish(pass, begun, entries, wanted);
  if (Object.keys(pending.delete).length > 0) {
    announceRemovals({ ...pending, evict: {} }, pass);
    await writeEntry(pass, { ...begun, pending: { ...pending, delete: {} } }, entries, context);
  }
  return {
    phase: 'restarting',
    observedHash: begun.hash,
    result: { requeueAfterMs: nextInMs },
  };
}

async function finish(
  pass: Pass,
  { pending }: Begun,
  entries: Entries,
  { frontEnds, metadataHash }: Wanted,
): Promise<PassResult> {
  const { hash, restarts } = pending;
  await writeEntry(pass, { hash, metadataHash, restarts, frontEnds }, entries, pass.context);
  announceRemovals(pending, pass);
  return { phase: 'watching', observedHash: hash, result: undefined };
}

/** A change of metadata alone moves only those who asked for it. */
function actingWatchers(
  { accepted }: Pass,
  entry: Entry,
  wanted: Wanted,
): readonly AcceptedWatcher[] {
  const { pending = entry } = entry;
  const dataChanged = entry.hash !== wanted.hash || pending.hash !== wanted.hash;
  return accepted.filter(({ demand }) => dataChanged || demand.restartOn === 'any');
}

/** @throws the first failure, after every workload had its turn. */
async function rollOutAll(plan: Plan, stamp: string, pass: Pass): Promise<void> {
  const restarted: string[] = [];
  const failures: unknown[] = [];
  for (const owner of plan.rollouts.values()) {
    const name = `${owner.resource.kind}/${owner.workload.metadata.name}`;
    try {
      const isNew = await rollOut(owner, { configMap: pass.name, stamp }, pass.context);
      if (isNew) restarted.push(name);
    } catch (error) {
      pass.context.signal.throwIfAborted();
      if (!isConflict(error)) announceFailure(`${name}: ${messageOf(error)}`, pass);
      failures.push(error);
    }
  }
  announceRollouts(restarted, pass);
  if (failures.length > 0) throw failures[0];
}

function noteReports(plan: Plan, { reports }: Memory, lastRestartTime: string): void {
  for (const [{ declaredBy }, names] of plan.podsOf) {
    const { uid } = declaredBy.metadata;
    if (uid === undefined || names.length === 0) continue;
    reports.set(uid, { lastRestartTime, lastRestartedPods: names.slice(0, MAX_REPORTED_PODS) });
  }
}

/** A status is for reading; a thousand names would only make the object large. */
const MAX_REPORTED_PODS = 50;
