import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../core/clock.ts';
import { messageOf, OperatorError } from '../../core/errors.ts';
import type { HeaderLine } from '../../flight/record-line.ts';
import { recordedLog } from '../../flight/recorded-log.ts';
import { FlightRecording } from '../../flight/recording.ts';
import type { ManagerOptions } from '../../manager/manager.ts';
import type { Logger } from '../../manager/observe/logger.ts';
import { ENVIRONMENT, type Settings } from '../../manager/settings/settings.ts';
import type { Io } from '../command.ts';
import { exitCodeOf } from '../exit-code.ts';
import type { LoadedFiles } from '../loading/loaded-files.ts';
import { projectUrl } from '../loading/toolkit-hooks.ts';

interface FlightOptions {
  /** The folder of `--record`. Default: the folder in the settings. */
  readonly folder: string | undefined;
  readonly settings: Pick<Settings, 'record' | 'leaderElection'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly io: Pick<Io, 'env'>;
  /** The arguments after `--`. */
  readonly args: readonly string[];
  readonly files: LoadedFiles;
}

/** The recorder of a run. */
export interface Flight {
  /** Options for the manager. */
  readonly options: Required<Pick<ManagerOptions, 'observer' | 'random' | 'logger' | 'answer'>>;
  /**
   * Runs `work`, and writes a record when it fails. No record is written when `work` fails because
   * of wrong settings, because then nothing has happened.
   */
  during(work: () => Promise<void>): Promise<void>;
  /**
   * Writes a record when leadership is lost, unless the process becomes a standby. It gets the same
   * arguments as `onLeadershipLost`.
   *
   * @returns the milliseconds within which the process must exit. A process that should exit at
   * once may still write its record.
   */
  lost(withinMs: number, standsBy: AbortSignal): number;
}

/**
 * Time limit for the record when another process already leads. In this case the process can no
 * longer write anything else.
 */
const LAST_RECORD_MS = 5_000;

/**
 * Creates the flight recorder of the run. Undefined when neither an option nor a setting chooses a folder for
 * records.
 */
export function flightOf(options: FlightOptions): Flight | undefined {
  const { settings, clock, logger, io, args, files } = options;
  const { record } = settings;
  const folder = options.folder ?? record.folder;
  if (folder === undefined) return undefined;
  const recording = new FlightRecording({
    ...record,
    ...{ clock, folder, log: logger },
    facts: {
      settings: settingsIn(io.env),
      ...{ arguments: args, environment: io.env },
      modules: modulesOf(files),
    },
  });
  const { recorder } = recording;
  const last = new LastRecord(recording, clock);
  return {
    options: {
      observer: recorder,
      random: () => recorder.random.next(),
      logger: recordedLog(logger, (...line) => recorder.log(...line)),
      answer: recording.answer,
    },
    during: (work) => during(recording, work, () => last.written),
    lost: (withinMs, standsBy) => {
      const isStandby = settings.leaderElection?.onLost === 'standby';
      last.write(isStandby ? withinMs / 2 : 0, standsBy);
      return withinMs > 0 ? withinMs : LAST_RECORD_MS;
    },
  };
}

/**
 * The record of a process that has lost its leadership and ends. It is started early, because the
 * process may be killed.
 */
class LastRecord {
  readonly #recording: FlightRecording;
  readonly #clock: Clock;
  #written: Promise<unknown> | undefined;

  constructor(recording: FlightRecording, clock: Clock) {
    this.#recording = recording;
    this.#clock = clock;
  }

  /** Settles when the record is written. Undefined when no record was started. */
  get written(): Promise<unknown> | undefined {
    return this.#written;
  }

  /** @param cancel - aborts if the process can continue after all. */
  write(delayMs: number, cancel: AbortSignal): void {
    const write = (): void => {
      this.#written = this.#recording.write('exit', 'leadership was lost');
    };
    const cancelWrite = delayMs === 0 ? write() : this.#clock.schedule(delayMs, write);
    cancel.addEventListener(
      'abort',
      () => {
        cancelWrite?.();
        this.#written = undefined;
      },
      { once: true },
    );
  }
}

async function during(
  recording: FlightRecording,
  work: () => Promise<void>,
  lastRecord: () => Promise<unknown> | undefined,
): Promise<void> {
  await recording.prepare();
  using _listening = recording.listen();
  try {
    await work();
  } catch (error) {
    const code = error instanceof OperatorError ? exitCodeOf(error) : 1;
    if (code === 3) await (lastRecord() ?? recording.write('exit', messageOf(error)));
    else if (code !== 2) await recording.write('crash', messageOf(error));
    throw error;
  } finally {
    await recording.stop();
  }
}

/**
 * The loaded files at the time of a record. Paths are relative to the working directory, unless a
 * file is outside of it.
 */
function modulesOf({ hashes }: LoadedFiles): () => HeaderLine['modules'] {
  const project = projectUrl();
  const shown = (path: string): string => {
    const inside = project === undefined ? path : relative(fileURLToPath(project), path);
    return inside.startsWith('..') ? path : inside;
  };
  return () => [...hashes].map(([path, sha256]) => ({ path: shown(path), sha256 }));
}

/** The variables that the toolkit reads, if they are set. */
function settingsIn(env: Io['env']): Readonly<Record<string, string>> {
  const set = ENVIRONMENT.flatMap(([name]) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(set);
}
