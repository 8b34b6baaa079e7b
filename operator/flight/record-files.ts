import { randomBytes } from 'node:crypto';
import { access, constants, type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Log } from '../controller/reconciler.ts';
import { systemClock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import { TimeSlice } from '../core/time-slice.ts';
import { VERSION } from '../core/version.ts';
import { keyedPlaceholders } from '../model/masks/keyed-placeholders.ts';
import { SecretValues } from '../model/masks/secret-values.ts';
import type { Flight } from './flight-recorder.ts';
import { MaskedFlight } from './masked-flight.ts';
import { recordLineText } from './parse-line.ts';
import {
  type HeaderLine,
  RECORD_FORMAT,
  RECORD_VERSION,
  type RecordReason,
} from './record-line.ts';

/** Facts about the process that a record contains in addition to the kept lines. */
export interface FlightFacts extends Pick<HeaderLine, 'settings' | 'arguments'> {
  /**
   * Returns the loaded modules. It is called only when a record is written, because modules may be loaded
   * late.
   */
  readonly modules: () => HeaderLine['modules'];
  /**
   * The environment variables of the process. The value of a variable is secret if its name suggests a
   * credential.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface RecordFilesOptions {
  readonly folder: string;
  readonly facts: FlightFacts;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * The number of records that are kept in a folder for each reason, including records of other processes. The
 * number is limited so that a process that crashes repeatedly does not fill the disk.
 */
const KEPT_OF_A_REASON = 3;

/** Number of characters that are compressed together. */
const PIECE_CHARS = 1024 ** 2;

/** Maximum characters of a whole record before compression. The reader of records refuses more than 1 Gi. */
const MAX_CHARS = 768 * 1024 ** 2;

const NAME = /^flight-\d{4}-\d\d-\d\dT[\d-]+Z-([a-z-]+)\.jsonl\.gz$/;

const compress = promisify(gzip);

/** Writes records into a folder. If this fails, the failure is logged, and the operator continues. */
export class RecordFiles {
  readonly #options: RecordFilesOptions;
  /**
   * The key for the placeholders of secret values. No record contains it, so a secret value cannot be found
   * by trying values.
   */
  readonly #key = randomBytes(32);
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RecordFilesOptions) {
    this.#options = options;
  }

  /** Creates the folder if it is missing, and logs a warning if files cannot be written there. */
  async prepare(): Promise<void> {
    const { folder, log } = this.#options;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await access(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      log.warn({ folder, reason: messageOf(error) }, 'flight records cannot be written');
    }
  }

  /**
   * Writes a record after all earlier records. Resolves to its path, or to undefined if it cannot be written.
   * Never rejects.
   */
  write(flight: Flight, reason: RecordReason, why?: string): Promise<string | undefined> {
    const written = this.#last.then(() => this.#write(flight, reason, why));
    this.#last = written;
    return written;
  }

  async #write(flight: Flight, reason: RecordReason, why?: string): Promise<string | undefined> {
    const { folder, log } = this.#options;
    let path: string | undefined;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await create(folder, flight, reason);
      path = file.path;
      try {
        await this.#fill(file.handle, flight, reason, why);
      } finally {
        await file.handle.close();
      }
      log.info({ file: path, reason, ...(why !== undefined && { why }) }, 'flight record written');
      await dropOld(folder, reason);
      return path;
    } catch (error) {
      log.warn({ folder, reason: messageOf(error) }, 'a flight record could not be written');
      if (path !== undefined) await rm(path, { force: true }).catch(() => {});
      return undefined;
    }
  }

  async #fill(file: FileHandle, flight: Flight, reason: RecordReason, why?: string): Promise<void> {
    const values = new SecretValues(keyedPlaceholders(this.#key));
    const masked = new MaskedFlight(flight, values);
    const slice = new TimeSlice(systemClock);
    for (const _ of masked.learn(this.#options.facts.environment)) {
      const pause = slice.exceeded;
      if (pause !== undefined) await pause;
    }
    let piece = [masked.text(this.#header(flight, reason, why))];
    let chars = 0;
    let lines = 1;
    const flush = async (): Promise<void> => {
      await file.appendFile(await compress(`${piece.join('\n')}\n`));
      piece = [];
      chars = 0;
    };
    let all = 0;
    for (const text of masked.lines()) {
      const pause = slice.exceeded;
      if (pause !== undefined) await pause;
      if (text === undefined) continue;
      all += text.length;
      if (all > MAX_CHARS) throw new Error(`it would have more than ${MAX_CHARS} characters`);
      piece.push(text);
      lines++;
      chars += text.length;
      if (chars >= PIECE_CHARS) await flush();
    }
    piece.push(recordLineText({ kind: 'end', lines }));
    await flush();
    await file.sync();
  }

  #header(flight: Flight, reason: RecordReason, why: string | undefined): HeaderLine {
    const { facts } = this.#options;
    const { beganWallMs, from, to, controllers, sources, limits, truncated } = flight;
    return {
      ...{ kind: 'header', format: RECORD_FORMAT, version: RECORD_VERSION, toolkit: VERSION },
      ...{ node: process.version, began: new Date(beganWallMs).toISOString(), from, to, reason },
      ...(why !== undefined && { why }),
      ...{ pid: process.pid, settings: facts.settings, arguments: facts.arguments },
      ...{ modules: facts.modules(), controllers, sources, limits },
      ...(truncated !== undefined && { truncated }),
    };
  }
}

/**
 * Creates a new file. If another operator has created a file with the same time in the folder, the next free
 * millisecond is used in the name.
 */
async function create(
  folder: string,
  { beganWallMs, to }: Flight,
  reason: RecordReason,
): Promise<{ readonly path: string; readonly handle: FileHandle }> {
  for (let wall = Math.round(beganWallMs + to); ; wall++) {
    const time = new Date(wall).toISOString().replaceAll(/[:.]/g, '-');
    const path = join(folder, `flight-${time}-${reason}.jsonl.gz`);
    try {
      return { path, handle: await open(path, 'wx', 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function dropOld(folder: string, reason: RecordReason): Promise<void> {
  const names = await readdir(folder);
  const same = names.filter((name) => NAME.exec(name)?.[1] === reason).sort();
  for (const name of same.slice(0, -KEPT_OF_A_REASON))
    await rm(join(folder, name), { force: true });
}
