import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import nodeProcess from 'node:process';
import type { Log } from '../controller/reconciler.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import { FlightRecorder, type RecorderLimits } from './flight-recorder.ts';
import { type FlightFacts, RecordFiles } from './record-files.ts';
import type { RecordReason } from './record-line.ts';

interface FlightRecordingOptions extends RecorderLimits {
  readonly clock: Clock;
  readonly folder: string;
  readonly facts: FlightFacts;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** True if `POST /debug/record` writes a record. */
  readonly endpoint: boolean;
}

/**
 * The object that reports signals and uncaught errors of the process, which is `process` itself by default.
 */
export interface ProcessEvents {
  on(name: string, listener: (...facts: unknown[]) => void): unknown;
  off(name: string, listener: (...facts: unknown[]) => void): unknown;
}

/**
 * The signal that requests a record. A JVM writes a thread dump on the same signal. All other signals that a
 * process may use already have a meaning in the toolkit or in Node.
 */
const SIGNAL = 'SIGQUIT';

/**
 * Milliseconds between a trigger and the writing of its record, so that the record also contains later
 * events, such as the log line that explains the trigger.
 */
const AFTER_TRIGGER_MS = 1_000;

/**
 * Minimum milliseconds between two records for the same reason. For example, a write loop may continue for
 * hours.
 */
const BETWEEN_TRIGGERS_MS = 10 * 60_000;

/**
 * Minimum milliseconds between two requested records, because anyone who can reach the health port may
 * request a record.
 */
const BETWEEN_REQUESTS_MS = 10_000;

/** Records a process, and writes a record on request and when something goes wrong. */
export class FlightRecording {
  /** The recorder for the process. */
  readonly recorder: FlightRecorder;
  readonly #options: FlightRecordingOptions;
  readonly #files: RecordFiles;
  /** For each reason, the time when a record was last triggered. */
  readonly #triggeredAt = new Map<RecordReason, number>();
  /** Functions that write the records that were triggered and are not written yet. */
  readonly #due = new Set<() => void>();
  #requestedAt = Number.NEGATIVE_INFINITY;
  /** Settles when all requested records are written. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(options: FlightRecordingOptions) {
    this.#options = options;
    this.#files = new RecordFiles(options);
    this.recorder = new FlightRecorder({
      ...options,
      seed: randomInt(2 ** 32),
      triggered: (reason, why) => this.#triggered(reason, why),
    });
  }

  /** Creates the folder if it is missing, and logs a warning if files cannot be written there. */
  prepare(): Promise<void> {
    return this.#files.prepare();
  }

  /**
   * Writes a record of everything until now. Resolves to its path, or to undefined if it cannot be written.
   * Never rejects.
   */
  write(reason: RecordReason, why?: string): Promise<string | undefined> {
    const flight = this.recorder.flight();
    if (flight === undefined) return Promise.resolve(undefined);
    const written = this.#files.write(flight, reason, why);
    this.#written = Promise.all([this.#written, written]);
    return written;
  }

  /** Writes a record on SIGQUIT and after an uncaught error, until the returned object is disposed of. */
  listen(events: ProcessEvents = nodeProcess): Disposable {
    const asked = (): void => void this.write('asked', `received ${SIGNAL}`);
    const crashed = (error: unknown): void => {
      // The same timer may throw many times, so only the first error results in a record.
      if (this.#isFirst('crash')) void this.write('crash', messageOf(error));
    };
    const listeners = [
      [SIGNAL, asked],
      ['uncaughtExceptionMonitor', crashed],
      ['unhandledRejection', crashed],
    ] as const;
    for (const [name, listener] of listeners) events.on(name, listener);
    return {
      [Symbol.dispose]: () => {
        for (const [name, listener] of listeners) events.off(name, listener);
      },
    };
  }

  /** Answers `POST /debug/record` on the health port. Returns false for any other request. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): boolean => {
    const [path] = (request.url ?? '').split('?', 1);
    if (!this.#options.endpoint || path !== '/debug/record' || request.method !== 'POST')
      return false;
    const now = this.#options.clock.monotonic();
    if (now - this.#requestedAt < BETWEEN_REQUESTS_MS) {
      reply(response, 429, { error: 'a record was asked for a moment ago' });
      return true;
    }
    this.#requestedAt = now;
    void this.write('asked', 'POST /debug/record').then((file) =>
      file === undefined
        ? reply(response, 500, { error: 'the record could not be written, see the log' })
        : reply(response, 200, { file }),
    );
    return true;
  };

  /** Stops recording. Resolves when all records are written. */
  async stop(): Promise<void> {
    for (const write of [...this.#due]) write();
    this.recorder.stop();
    await this.#written;
  }

  #triggered(reason: RecordReason, why: string): void {
    if (!this.#isFirst(reason)) return;
    const write = (): void => {
      cancel();
      this.#due.delete(write);
      void this.write(reason, why);
    };
    const cancel = this.#options.clock.schedule(AFTER_TRIGGER_MS, write);
    this.#due.add(write);
  }

  #isFirst(reason: RecordReason): boolean {
    const now = this.#options.clock.monotonic();
    const before = this.#triggeredAt.get(reason) ?? Number.NEGATIVE_INFINITY;
    if (now - before < BETWEEN_TRIGGERS_MS) return false;
    this.#triggeredAt.set(reason, now);
    return true;
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
}
