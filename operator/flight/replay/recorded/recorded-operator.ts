import type { Controller } from '../../../controller/controller.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import { overridden, type Settings, settingsFrom } from '../../../manager/settings/settings.ts';
import type { HeaderLine } from '../../record-line.ts';

/**
 * Time limit of watches in the replayed process. They never last as long, because the record determines when
 * a watch ends.
 */
const NEVER_SECONDS = 30 * 24 * 60 * 60;

/**
 * The recorded settings, except for settings that would use a port, a Lease or a timer that the replay does
 * not have.
 *
 * @param own - the settings that the modules themselves add.
 */
export function replaySettings(
  recorded: Readonly<Record<string, string>>,
  own: Partial<Settings> = {},
): Settings {
  // The replay does not acquire a Lease, which would need further settings.
  const { CHANCERY_LEADER_ELECTION: _, ...others } = recorded;
  return {
    ...overridden(settingsFrom(others), own),
    ...{
      healthPort: 0,
      metricsPort: 0,
      installCrds: false,
      selfTest: 'off',
      webhookGate: undefined,
      // Work that is still running when the replay or the leadership ends is abandoned at once.
      shutdownTimeoutMs: 0,
    },
    ...{ leaderElection: undefined, sharding: undefined, relistIntervalMs: 0 },
    watchTimeoutSeconds: [NEVER_SECONDS, NEVER_SECONDS + 1],
  };
}

/** True for a process that worked only while it was the leader. */
export function hasElection(
  { CHANCERY_LEADER_ELECTION: election = '' }: Readonly<Record<string, string>>,
  { leaderElection }: Partial<Settings> = {},
): boolean {
  return leaderElection !== undefined || /^(?:true|1|yes|on)$/i.test(election);
}

interface RecordedControllersOptions {
  /** If true, the modules may lack controllers of the record, but must have at least one of them. */
  readonly partly: boolean;
  /** Returns how many additional workers a controller gets. */
  readonly spareWorkers: (name: string) => number;
  /** Called with a note about controllers that are only in the record, or only in the modules. */
  readonly note: (text: string) => void;
}

/**
 * The controllers of the record, without resyncs and triggers, which depend on the time since the process
 * started.
 *
 * @throws ConfigurationError `CONFIG` when the modules lack controllers of the record.
 */
export function recordedControllers(
  header: Pick<HeaderLine, 'controllers'>,
  declared: readonly Controller[],
  { partly, spareWorkers, note }: RecordedControllersOptions,
): readonly Controller[] {
  const names = new Set(header.controllers.map(({ name }) => name));
  const missing = [...names].filter((name) => !declared.some((each) => each.name === name));
  const others = declared.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  const isAnother = missing.length === names.size;
  if (missing.length > 0 && (isAnother || !partly)) {
    const remedy = isAnother ? '' : ', or let --force replay a part of it';
    throw new ConfigurationError(
      `the record is of ${list([...names])}, and the modules have ${list(declared.map(({ name }) => name))}: ` +
        `replay it with the modules that were recorded${remedy}`,
    );
  }
  if (missing.length > 0) note(`recorded, and not replayed: ${list(missing)}`);
  if (others.length > 0) note(`not in the record, and not replayed: ${list(others)}`);
  // Resyncs and triggers depend on the time since the process started. So they are turned off, and their
  // wakes come from the record.
  const ofTime = { resyncPeriodMs: 0, triggers: [] };
  return declared
    .filter(({ name }) => names.has(name))
    .map((each) => {
      const maxConcurrentReconciles = each.maxConcurrentReconciles + spareWorkers(each.name);
      return Object.freeze({ ...each, ...ofTime, maxConcurrentReconciles });
    });
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'no controller' : names.join(', ');
}

/** The error for a process that was never the leader while it was recorded. */
export function neverLed(): ConfigurationError {
  return new ConfigurationError(
    'the record cannot be replayed: the process did not lead while it was recorded, so that it reconciled nothing',
  );
}

/** @param jumpedMs - how far the wall clock was set forward; negative if it was set back. */
export function jumpNote(jumpedMs: number): string {
  const way = jumpedMs > 0 ? 'forward' : 'back';
  const seconds = (Math.abs(jumpedMs) / 1_000).toFixed(1);
  return `the wall clock was set ${way} by ${seconds} s while the record was made; the replay does the same`;
}

/** A note that lists the paths that were not compared. */
export function secretNote(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(', ');
  const more = paths.length > 5 ? ' and others' : '';
  return `not compared, because they may come from values of Secrets, which the record does not have: ${shown}${more}`;
}
