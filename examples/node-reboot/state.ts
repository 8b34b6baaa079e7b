/** Labels and annotations of one Node → where it is on its way through a reboot. */
import {
  AFTER_REBOOT,
  annotationOf,
  BEFORE_REBOOT,
  isTrue,
  labelOf,
  PHASE,
  REBOOT_IN_PROGRESS,
  REBOOT_NEEDED,
  REBOOT_OK,
  REBOOT_PAUSED,
  SINCE,
  type WithMetadata,
} from './protocol.ts';

/**
 * - `Idle`: nothing is asked for.
 * - `Paused`: it needs a reboot, and an administrator said no.
 * - `Waiting`: it needs a reboot, and has no place yet.
 * - `BeforeReboot`: it has a place; the checks before the reboot run.
 * - `Withdrawn`: the same, but it does not want to, or may not, reboot any more.
 * - `Rebooting`: the agent may reboot it, or does.
 * - `Rebooted`: the agent says that it is back.
 * - `AfterReboot`: the checks after the reboot run.
 */
export type State =
  | 'Idle'
  | 'Paused'
  | 'Waiting'
  | 'BeforeReboot'
  | 'Withdrawn'
  | 'Rebooting'
  | 'Rebooted'
  | 'AfterReboot';

/** What PHASE says: the states that last and hold a place, or that the Node has lost its place. */
export type Phase = 'BeforeReboot' | 'Rebooting' | 'AfterReboot' | 'TimedOut';

/** The protocol alone decides, never PHASE: whoever changes it by hand is understood. */
export function stateOf(node: WithMetadata): State {
  const needed = isTrue(node, REBOOT_NEEDED);
  const ok = isTrue(node, REBOOT_OK);
  const inProgress = isTrue(node, REBOOT_IN_PROGRESS);
  const isRebootable = needed && !ok && !inProgress && !isTrue(node, REBOOT_PAUSED);
  if (labelOf(node, AFTER_REBOOT) === 'true') return 'AfterReboot';
  if (labelOf(node, BEFORE_REBOOT) !== undefined && !isRebootable) return 'Withdrawn';
  if (labelOf(node, BEFORE_REBOOT) === 'true') return 'BeforeReboot';
  if (isRebootable) return 'Waiting';
  if (ok && saysFalse(node, REBOOT_NEEDED) && saysFalse(node, REBOOT_IN_PROGRESS))
    return 'Rebooted';
  // A Node that says it reboots is not available, with leave or without.
  if ((ok && needed) || inProgress) return 'Rebooting';
  return needed ? 'Paused' : 'Idle';
}

/** Only the agent's own `false` says that it is back: a Node without annotations says nothing. */
function saysFalse(node: WithMetadata, annotation: string): boolean {
  return annotationOf(node, annotation) === 'false';
}

/** Its time was up, and it has not come to an end since. */
export function hasTimedOut(node: WithMetadata): boolean {
  return annotationOf(node, PHASE) === 'TimedOut';
}

/** Since when it is in `phase`, as far as is noted. What was noted in the future is of a clock that went wrong. */
export function sinceOf(node: WithMetadata, phase: Phase, nowMs: number): number | undefined {
  if (annotationOf(node, PHASE) !== phase) return undefined;
  const sinceMs = Date.parse(annotationOf(node, SINCE) ?? '');
  return sinceMs <= nowMs ? sinceMs : undefined;
}
