import type { Controller } from '../../../controller/controller.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import { type Settings, settingsFrom } from '../../../manager/settings/settings.ts';
import type { HeaderLine } from '../../record-line.ts';

/** A limit of the replayed process that nothing reaches: the record says when a watch ends. */
const NEVER_SECONDS = 30 * 24 * 60 * 60;

/** The recorded settings, without what needs a port, a Lease or a clock of another process. */
export function replaySettings(recorded: Readonly<Record<string, string>>): Settings {
  return {
    ...settingsFrom(recorded),
    ...{
      healthPort: 0,
      metricsPort: 0,
      installCrds: false,
      selfTest: 'off',
      webhookGate: undefined,
    },
    ...{ leaderElection: undefined, sharding: undefined, relistIntervalMs: 0 },
    watchTimeoutSeconds: [NEVER_SECONDS, NEVER_SECONDS + 1],
  };
}

/** True for a process that worked only while it led. */
export function hasElection({
  CHANCERY_LEADER_ELECTION: election = '',
}: Readonly<Record<string, string>>): boolean {
  return /^(?:true|1|yes|on)$/i.test(election);
}

/**
 * The controllers of the record, without what follows the time since the start of a process.
 *
 * @param note - told of controllers that are not in the record.
 * @throws ConfigurationError `CONFIG` when the record is of controllers that are not there.
 */
export function recordedControllers(
  header: Pick<HeaderLine, 'controllers'>,
  declared: readonly Controller[],
  note: (text: string) => void,
): readonly Controller[] {
  const { controllers } = header;
  const names = new Set(controllers.map(({ name }) => name));
  const missing = [...names].filter((name) => !declared.some((each) => each.name === name));
  if (missing.length > 0) {
    throw new ConfigurationError(
      `the record is of ${list([...names])}, and the modules have ${list(declared.map(({ name }) => name))}: ` +
        'replay it with the modules that were recorded',
    );
  }
  const others = declared.filter(({ name }) => !names.has(name));
  if (others.length > 0) {
    note(`not in the record, and not replayed: ${list(others.map(({ name }) => name))}`);
  }
  // Resyncs and triggers follow the time since the start of the process: their wakes come from the record.
  const ofTime = { resyncPeriodMs: 0, triggers: [] };
  return declared
    .filter(({ name }) => names.has(name))
    .map((each) => Object.freeze({ ...each, ...ofTime }));
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'no controller' : names.join(', ');
}

/** Says which paths were not compared. */
export function secretNote(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(', ');
  const more = paths.length > 5 ? ' and others' : '';
  return `not compared, because they may come from values of Secrets, which the record does not have: ${shown}${more}`;
}
