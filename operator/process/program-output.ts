import type { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { TimeSlice } from '../core/time-slice.ts';

/**
 * Maximum length in bytes of a line that is passed to `onLine`. Kubernetes splits log lines of more than 16
 * KiB.
 */
const MAX_OUTPUT_LINE_BYTES = 16 * 1024;

/** Number of bytes at the end of standard error that are kept for messages. */
const STDERR_END_BYTES = 2_048;

type OnLine = (stream: 'stdout' | 'stderr', line: string) => void;

/**
 * The output of a program. It is read only as fast as its lines are handled: a program that writes faster
 * must wait, so that this process can do other work.
 */
export class ProgramOutput {
  readonly #onLine: OnLine | undefined;
  readonly #keepsStdout: boolean;
  readonly #onLimit: () => void;
  readonly #slice: TimeSlice;
  /**
   * Number of bytes that may still be read. It is below 0 when the limit is exceeded; no more output is read
   * then.
   */
  #leftBytes: number;
  readonly #kept: Buffer[] = [];
  #stderrEnd: Buffer = Buffer.alloc(0);

  constructor(options: {
    readonly limitBytes: number;
    readonly onLine: OnLine | undefined;
    /**
     * If true, standard output is kept, and `onLine` gets only lines of standard error. Default: true if
     * `onLine` is undefined, otherwise false.
     */
    readonly keepsStdout?: boolean | undefined;
    /** Called once, when the limit is exceeded. */
    readonly onLimit: () => void;
    readonly clock: Clock;
  }) {
    this.#leftBytes = options.limitBytes;
    this.#onLine = options.onLine;
    this.#keepsStdout = options.keepsStdout ?? options.onLine === undefined;
    this.#onLimit = options.onLimit;
    this.#slice = new TimeSlice(options.clock);
  }

  /** Standard output, if it is kept. */
  get stdout(): string {
    return Buffer.concat(this.#kept).toString();
  }

  get stderrEnd(): string {
    return this.#stderrEnd.toString();
  }

  /** Reads until the stream ends, is destroyed, or the limit is exceeded. */
  async read(name: 'stdout' | 'stderr', stream: Readable): Promise<void> {
    const lines = new Lines();
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (!this.#takes(chunk.length)) break;
        if (name === 'stderr') this.#keepEnd(chunk);
        if (name === 'stdout' && this.#keepsStdout) this.#kept.push(chunk);
        else if (this.#onLine !== undefined) await this.#give(name, lines.of(chunk));
      }
    } catch (error) {
      // The stream was destroyed while it was being read. The run has ended, but a process that could not be
      // ended keeps the pipe open.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    }
    if (this.#onLine !== undefined) await this.#give(name, lines.rest());
  }

  #takes(bytes: number): boolean {
    if (this.#leftBytes < 0) return false;
    this.#leftBytes -= bytes;
    if (this.#leftBytes >= 0) return true;
    this.#onLimit();
    return false;
  }

  async #give(name: 'stdout' | 'stderr', lines: Iterable<string>): Promise<void> {
    for (const line of lines) {
      this.#onLine?.(name, line);
      const pause = this.#slice.exceeded;
      if (pause !== undefined) await pause;
    }
  }

  #keepEnd(chunk: Buffer): void {
    const joined = Buffer.concat([this.#stderrEnd, chunk]);
    this.#stderrEnd = joined.subarray(Math.max(joined.length - STDERR_END_BYTES, 0));
  }
}

/** Splits bytes into lines without line feeds, in order. */
class Lines {
  /** The beginning of an unfinished line, at most `MAX_OUTPUT_LINE_BYTES` of it. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #omittedBytes = 0;

  *of(chunk: Buffer): Generator<string, void, undefined> {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      yield this.#taken();
    }
    this.#keep(chunk.subarray(from));
  }

  /** The last line, if it does not end in a line feed. */
  *rest(): Generator<string, void, undefined> {
    if (this.#heldBytes > 0) yield this.#taken();
  }

  #keep(part: Buffer): void {
    const fits = part.subarray(0, MAX_OUTPUT_LINE_BYTES - this.#heldBytes);
    if (fits.length > 0) this.#held.push(fits);
    this.#heldBytes += fits.length;
    this.#omittedBytes += part.length - fits.length;
  }

  #taken(): string {
    const text = Buffer.concat(this.#held).toString().replace(/\r$/, '');
    const omitted = this.#omittedBytes;
    this.#held = [];
    this.#heldBytes = 0;
    this.#omittedBytes = 0;
    return omitted === 0 ? text : `${text} … (${omitted} bytes omitted)`;
  }
}
