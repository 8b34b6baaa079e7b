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
  readonly settings: Pick<Settings, 'record'>;
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
}

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
  return {
    options: {
      observer: recorder,
      random: () => recorder.random.next(),
      logger: recordedLog(logger, (...line) => recorder.log(...line)),
      answer: recording.answer,
    },
    during: (work) => during(recording, work),
  };
}

async function during(recording: FlightRecording, work: () => Promise<void>): Promise<void> {
  await recording.prepare();
  using _listening = recording.listen();
  try {
    await work();
  } catch (error) {
    const code = error instanceof OperatorError ? exitCodeOf(error) : 1;
    if (code !== 2) await recording.write(code === 3 ? 'exit' : 'crash', messageOf(error));
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
