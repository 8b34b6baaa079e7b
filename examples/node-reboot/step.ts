/** One Node → what is to be written on it now. Pure: the state machine of a reboot. */
import { type KubernetesObject, rfc3339 } from 'chancery';
import {
  AFTER_REBOOT,
  annotationOf,
  BEFORE_REBOOT,
  isTrue,
  PHASE,
  REBOOT_IN_PROGRESS,
  REBOOT_OK,
  SINCE,
} from './protocol.ts';
import type { RebootSettings } from './settings.ts';
import { hasTimedOut, type Phase, sinceOf, stateOf } from './state.ts';

/** By name; null takes it away. Nothing but keys of this operator, and the checks' own answers. */
type Keys = Readonly<Record<string, string | null>>;

export interface Step {
  readonly labels?: Keys;
  readonly annotations: Keys;
  readonly event?: {
    readonly type: 'Normal' | 'Warning';
    readonly reason: string;
    readonly note: string;
  };
}

export type StepSettings = Pick<RebootSettings, 'beforeReboot' | 'afterReboot' | 'rebootTimeoutMs'>;

const FORGOTTEN: Keys = { [PHASE]: null, [SINCE]: null };

/** What brings `node` on without anybody else's leave; undefined when it has to wait. */
export function nextStep(
  node: KubernetesObject,
  settings: StepSettings,
  nowMs: number,
): Step | undefined {
  const { beforeReboot, afterReboot } = settings;
  switch (stateOf(node)) {
    case 'Withdrawn':
      return {
        labels: { [BEFORE_REBOOT]: null },
        annotations: { ...without(beforeReboot), ...FORGOTTEN },
        event: normal('RebootWithdrawn', 'it does not want to reboot any more, or may not'),
      };
    case 'BeforeReboot':
      if (!areTrue(node, beforeReboot)) return limit(node, 'BeforeReboot', settings, nowMs);
      return {
        labels: { [BEFORE_REBOOT]: null },
        annotations: {
          ...without(beforeReboot),
          [REBOOT_OK]: 'true',
          ...noted('Rebooting', nowMs),
        },
        event: normal('RebootApproved', 'its agent may drain and reboot it'),
      };
    case 'Rebooting':
      return limit(node, 'Rebooting', settings, nowMs);
    case 'Rebooted':
      return {
        labels: { [AFTER_REBOOT]: 'true' },
        // An answer of the reboot before this one is no answer.
        annotations: { ...without(afterReboot), ...noted('AfterReboot', nowMs) },
        event: normal('Rebooted', 'it is back; the checks after the reboot may run'),
      };
    case 'AfterReboot':
      if (!areTrue(node, afterReboot)) return limit(node, 'AfterReboot', settings, nowMs);
      return {
        labels: { [AFTER_REBOOT]: null },
        annotations: { ...without(afterReboot), [REBOOT_OK]: 'false', ...FORGOTTEN },
        event: normal('RebootFinished', 'another Node may have its place'),
      };
    case 'Idle':
      return isNoted(node) ? { annotations: FORGOTTEN } : undefined;
    default: // Paused or Waiting: that it has timed out is remembered, so that others go first
      return isNoted(node) && !hasTimedOut(node) ? { annotations: FORGOTTEN } : undefined;
  }
}

/** The step that needs a place: `node` is Waiting, and it is its turn. */
export function beginStep({ beforeReboot }: StepSettings, nowMs: number): Step {
  return {
    labels: { [BEFORE_REBOOT]: 'true' },
    annotations: { ...without(beforeReboot), ...noted('BeforeReboot', nowMs) },
    event: normal('RebootScheduled', 'the checks before the reboot may run'),
  };
}

/** Milliseconds until the time of `node` is up; undefined when nothing runs out. */
export function leftMs(
  node: KubernetesObject,
  { rebootTimeoutMs }: StepSettings,
  nowMs: number,
): number | undefined {
  const state = stateOf(node);
  if (rebootTimeoutMs === 0 || !isTimed(state)) return undefined;
  const sinceMs = sinceOf(node, state, nowMs);
  return sinceMs === undefined ? undefined : Math.max(0, sinceMs + rebootTimeoutMs - nowMs);
}

function isTimed(state: string): state is Exclude<Phase, 'TimedOut'> {
  return state === 'BeforeReboot' || state === 'Rebooting' || state === 'AfterReboot';
}

/** Notes since when `node` is in `phase`, and takes its place away when that is too long ago. */
function limit(
  node: KubernetesObject,
  phase: Exclude<Phase, 'TimedOut'>,
  settings: StepSettings,
  nowMs: number,
): Step | undefined {
  if (hasTimedOut(node)) return undefined; // nothing more is done about it until it moves
  const sinceMs = sinceOf(node, phase, nowMs);
  // Begun by another hand: the original operator, or an administrator.
  if (sinceMs === undefined) return { annotations: noted(phase, nowMs) };
  if (leftMs(node, settings, nowMs) !== 0) return undefined;
  const note = `it is in phase ${phase} since ${rfc3339(sinceMs)}: its place goes to another Node`;
  return {
    ...(phase === 'BeforeReboot' && { labels: { [BEFORE_REBOOT]: null } }),
    annotations: {
      ...(phase === 'BeforeReboot' && without(settings.beforeReboot)),
      // One that has not begun must not begin when it wakes up, beside the one that has its place.
      ...(phase === 'Rebooting' && !isTrue(node, REBOOT_IN_PROGRESS) && { [REBOOT_OK]: 'false' }),
      ...noted('TimedOut', nowMs),
    },
    event: { type: 'Warning', reason: 'RebootTimeout', note },
  };
}

function noted(phase: Phase, nowMs: number): Keys {
  return { [PHASE]: phase, [SINCE]: rfc3339(nowMs) };
}

function isNoted(node: KubernetesObject): boolean {
  return annotationOf(node, PHASE) !== undefined || annotationOf(node, SINCE) !== undefined;
}

function without(names: readonly string[]): Keys {
  return Object.fromEntries(names.map((name) => [name, null]));
}

function areTrue(node: KubernetesObject, names: readonly string[]): boolean {
  return names.every((name) => isTrue(node, name));
}

function normal(reason: string, note: string): NonNullable<Step['event']> {
  return { type: 'Normal', reason, note };
}
