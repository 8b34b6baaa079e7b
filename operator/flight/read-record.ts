import { createReadStream } from 'node:fs';
import { constants, createGunzip } from 'node:zlib';
import { ConfigurationError, messageOf } from '../core/errors.ts';
import { jsonOf } from '../core/json/json-of.ts';
import { parseRecordLine, RecordLineError } from './parse-line.ts';
import { type HeaderLine, RECORD_FORMAT, RECORD_VERSION, type RecordLine } from './record-line.ts';

/** The content of a flight record that was read from a file. */
export interface FlightRecord {
  readonly header: HeaderLine;
  /** All lines between the header and the end. */
  readonly lines: readonly RecordLine[];
  /** Why the record is incomplete. Undefined for a complete record. */
  readonly cutOff?: string;
  /** The number of lines whose kind this version does not know. They are omitted. */
  readonly unknownLines: number;
}

/** The limits for a record that is read. Even the largest possible ring results in smaller records. */
export interface RecordLimits {
  /**
   * Maximum characters of all lines. Default 1 Gi. For comparison, a ring of 64 MB results in about 200 MB.
   */
  readonly chars?: number;
  /** Maximum characters of one line. Default 64 Mi. */
  readonly lineChars?: number;
}

const DEFAULT_CHARS = 1024 ** 3;
const DEFAULT_LINE_CHARS = 64 * 1024 ** 2;

/**
 * Reads a record. If a record was cut off, everything before that point is read, and `cutOff` contains the
 * reason.
 *
 * @throws ConfigurationError `CONFIG` when the file cannot be read, is not a record, has another version, has
 *   a damaged line, or exceeds the limits. The message does not quote the file.
 */
export async function readRecord(file: string, limits: RecordLimits = {}): Promise<FlightRecord> {
  const reader = new RecordReader(file);
  let cutOff: string | undefined;
  try {
    for await (const { text, number, isWhole } of linesOf(file, limits)) {
      if (!isWhole && jsonOf(text) === undefined) cutOff = `line ${number} ends in its middle`;
      else reader.add(text, number);
    }
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw unreadable(file, reader.hasBegun ? messageOf(error) : problemOf(error), error);
  }
  return reader.record(cutOff);
}

class RecordReader {
  readonly #file: string;
  readonly #lines: RecordLine[] = [];
  #header: HeaderLine | undefined;
  #end: number | undefined;
  #unknown = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** True when at least one line has been read. */
  get hasBegun(): boolean {
    return this.#header !== undefined;
  }

  add(text: string, number: number): void {
    const line = this.#parsed(text, number);
    if (this.#header === undefined) {
      this.#header = this.#checkedHeader(line);
      return;
    }
    if (this.#end !== undefined) throw unreadable(this.#file, `line ${number} follows its end`);
    if (line === undefined) this.#unknown++;
    else if (line.kind === 'end') this.#end = line.lines;
    else if (line.kind === 'header') throw unreadable(this.#file, 'it has two headers');
    else this.#lines.push(line);
  }

  record(cutOff: string | undefined): FlightRecord {
    if (this.#header === undefined) throw unreadable(this.#file, 'it has no header');
    const lines = this.#lines.length + this.#unknown + 1;
    const missing =
      this.#end === undefined
        ? (cutOff ?? 'it has no line that says it is whole')
        : this.#end === lines
          ? cutOff
          : `it has ${lines} lines, and its end says ${this.#end}`;
    return {
      header: this.#header,
      lines: this.#lines,
      ...(missing !== undefined && { cutOff: missing }),
      unknownLines: this.#unknown,
    };
  }

  #parsed(text: string, number: number): RecordLine | undefined {
    try {
      return parseRecordLine(text);
    } catch (error) {
      if (!(error instanceof RecordLineError)) throw error;
      throw unreadable(this.#file, `line ${number} ${error.message}`);
    }
  }

  #checkedHeader(line: RecordLine | undefined): HeaderLine {
    if (line?.kind !== 'header' || line.format !== RECORD_FORMAT) {
      throw unreadable(this.#file, 'its first line is not the header of a flight record');
    }
    if (line.version !== RECORD_VERSION) {
      throw unreadable(
        this.#file,
        `it has version ${line.version}, and this toolkit reads version ${RECORD_VERSION}; read it with chancery ${line.toolkit}, which wrote it`,
      );
    }
    return line;
  }
}

interface TextLine {
  readonly text: string;
  /** The number of the line, counted from 1. */
  readonly number: number;
  /** False for the text after the last line break, which is not a complete line. */
  readonly isWhole: boolean;
}

async function* linesOf(
  file: string,
  { chars = DEFAULT_CHARS, lineChars = DEFAULT_LINE_CHARS }: RecordLimits,
): AsyncGenerator<TextLine, void, undefined> {
  const input = createReadStream(file);
  // If the compressed data are cut off, everything that can be read is used. The line `end` tells whether a
  // record is complete.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  input.on('error', (error) => gunzip.destroy(error));
  input.pipe(gunzip).setEncoding('utf8');
  let rest: string[] = [];
  let restChars = 0;
  let seen = 0;
  let number = 1;
  try {
    for await (const chunk of gunzip as AsyncIterable<string>) {
      seen += chunk.length;
      if (seen > chars) throw unreadable(file, `it has more than ${chars} characters`);
      const [first = '', ...more] = chunk.split('\n');
      rest.push(first);
      restChars += first.length;
      if (restChars > lineChars) {
        throw unreadable(file, `line ${number} has more than ${lineChars} characters`);
      }
      for (const next of more) {
        yield { text: rest.join(''), number: number++, isWhole: true };
        rest = [next];
        restChars = next.length;
      }
    }
    if (restChars > 0) yield { text: rest.join(''), number, isWhole: false };
  } finally {
    input.destroy();
    gunzip.destroy();
  }
}

/** Why not even the header of a file can be read. */
function problemOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'Z_DATA_ERROR'
    ? 'it is not compressed, as records of "chancery run --record" are'
    : messageOf(error);
}

function unreadable(file: string, problem: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`cannot read the flight record ${file}: ${problem}`, { cause });
}
