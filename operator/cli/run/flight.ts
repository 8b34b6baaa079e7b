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
  /** Of `--record`. Default: that of the settings. */
  readonly folder: string | undefined;
  readonly settings: Pick<Settings, 'record' | 'leaderElection'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly io: Pick<Io, 'env'>;
  /** The words after `--`. */
  readonly args: readonly string[];
  readonly files: LoadedFiles;
}

/** The recorder of a run. */
export interface Flight {
  /** What the manager gets of it. */
  readonly options: Required<Pick<ManagerOptions, 'observer' | 'random' | 'logger' | 'answer'>>;
  /** Runs `work`, and writes a record when it fails, unless its settings are wrong: then nothing has happened. */
  during(work: () => Promise<void>): Promise<void>;
  /**
   * Leadership is lost: writes a record, unless the process comes to stand by. Takes what `onLeadershipLost` gets.
   *
   * @returns within how many milliseconds the process must exit. One that should be gone at once may still write.
   */
  lost(withinMs: number, standsBy: AbortSignal): number;
}

/** Another process leads already, so that this one can write nothing but its record. */
const LAST_RECORD_MS = 5_000;

/** Records the run; undefined when no folder is named. */
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

/** The record of a process that has lost its leadership and ends: begun in time, because the process may be killed. */
class LastRecord {
  readonly #recording: FlightRecording;
  readonly #clock: Clock;
  #written: Promise<unknown> | undefined;

  constructor(recording: FlightRecording, clock: Clock) {
    this.#recording = recording;
    this.#clock = clock;
  }

  /** Undefined when no such record was begun. */
  get written(): Promise<unknown> | undefined {
    return this.#written;
  }

  /** @param cancel - aborts when the process does not end after all. */
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

/** The files up to the moment of a record. Paths are from the working directory, unless a file is outside of it. */
function modulesOf({ hashes }: LoadedFiles): () => HeaderLine['modules'] {
  const project = projectUrl();
  const shown = (path: string): string => {
    const inside = project === undefined ? path : relative(fileURLToPath(project), path);
    return inside.startsWith('..') ? path : inside;
  };
  return () => [...hashes].map(([path, sha256]) => ({ path: shown(path), sha256 }));
}

/** The variables that the toolkit reads and that are set. */
function settingsIn(env: Io['env']): Readonly<Record<string, string>> {
  const set = ENVIRONMENT.flatMap(([name]) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(set);
}
