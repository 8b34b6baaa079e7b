import type { EventNote } from 'chancery';
import type { Pending } from './entry.ts';
import type { Pass } from './pass.ts';
import type { Plan } from './plan.ts';

/** An Event's note holds 1,024 bytes; a hundred names help nobody. */
const MAX_NAMES = 10;

/** Says on the ConfigMap what a restart cannot do. */
export function announcePlan(plan: Plan, pass: Pass): void {
  for (const selector of plan.unmatched) {
    const note = `changed, but no Pod matches ${selector}`;
    record(pass, { type: 'Warning', reason: 'NoMatchingPods', action: 'Restart', note });
  }
  if (plan.barePods.size > 0) {
    const names = joined([...plan.barePods]);
    const note = `changed, but nothing would bring these Pods back, so that they still run: ${names}`;
    record(pass, { type: 'Warning', reason: 'BarePod', action: 'Restart', note });
  }
}

/** Says on the ConfigMap which workloads replace their Pods now. */
export function announceRollouts(workloads: readonly string[], pass: Pass): void {
  if (workloads.length > 0) announceRestart(`restarted ${joined(workloads)}`, pass);
}

/** Says on the ConfigMap which Pods were removed. */
export function announceRemovals(pending: Pending, pass: Pass): void {
  const evicted = Object.values(pending.evict);
  const deleted = Object.values(pending.delete);
  if (evicted.length > 0) announceRestart(`evicted Pods ${joined(evicted)}`, pass);
  if (deleted.length > 0) announceRestart(`deleted Pods ${joined(deleted)}`, pass);
}

/** Says on the ConfigMap that a restart is not complete. */
export function announceFailure(message: string, pass: Pass): void {
  const note = `changed, but not everything could be restarted: ${message}`;
  record(pass, { type: 'Warning', reason: 'RestartFailed', action: 'Restart', note });
}

function announceRestart(what: string, pass: Pass): void {
  const note = `changed; ${what}`;
  record(pass, { type: 'Normal', reason: 'PodsRestarted', action: 'Restart', note });
}

function record({ configMap, context }: Pass, event: Omit<EventNote, 'regarding'>): void {
  if (configMap !== undefined) context.events.record({ ...event, regarding: configMap });
}

function joined(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}
