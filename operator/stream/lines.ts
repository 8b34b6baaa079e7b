import type { Readable } from 'node:stream';
import split2 from 'split2';
import { ProtocolError } from '../core/errors.ts';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Maximum bytes of an unfinished line. etcd refuses requests over 1.5 MiB, JSON escapes turn one byte into at
 * most six, and a MODIFIED line contains one object: 9 MiB. The limit is higher because of aggregated API
 * servers that do not store in etcd.
 */
export const DEFAULT_MAX_LINE_BYTES: number = 64 * 1024 * 1024;

export interface ReadLinesOptions {
  /** Maximum bytes of a line. Default 64 MiB: see `DEFAULT_MAX_LINE_BYTES`. */
  readonly maxLineBytes?: number;
  /** Called for every chunk as it arrives, before it is split. Must not throw. */
  readonly onChunk?: (bytes: number) => void;
}

/**
 * Splits bytes into lines, for answers that are streams of lines, such as the log of a Pod.
 *
 * Yields all complete lines of a chunk as one array, in order, without terminators. Lines that contain only
 * spaces, tabs and carriage returns are omitted. CRLF is accepted. Splits bytes at `\n` before decoding
 * UTF-8, so a chunk may end anywhere. A last line without `\n` is never yielded, however the stream ended,
 * because it may be cut short even if it looks complete. Does not read ahead of the consumer.
 *
 * @param body - for example the body of a `TransportResponse`. Leaving the loop destroys the body, which
 *   closes the connection; so does `return()` before the loop begins.
 * @throws ProtocolError `DECODE` when a line exceeds `maxLineBytes`.
 * @throws the error of `body`. With a transport: AmbassadorError `CONNECTION_LOST` when the answer
 *   breaks off, and `signal.reason` when the request is aborted.
 */
export function readLines(
  body: Readable,
  options: ReadLinesOptions = {},
): AsyncGenerator<readonly string[], void, undefined> {
  return ownedIterator(linesOf(body, options), () => body.destroy());
}

async function* linesOf(
  body: Readable,
  { maxLineBytes = DEFAULT_MAX_LINE_BYTES, onChunk }: ReadLinesOptions,
): AsyncGenerator<readonly string[], void, undefined> {
  const splitter = split2('\n');
  // The beginning of an unfinished line. split2 would join and search it again with every chunk, which takes
  // quadratic time for a long line.
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    onChunk?.(chunk.length);
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const whole = chunk.subarray(0, end);
      const lines = splitLines(
        splitter,
        held.length === 0 ? whole : Buffer.concat([...held, whole]),
      );
      held = [];
      heldBytes = 0;
      if (lines.length > 0) yield lines;
    }
    if (end < chunk.length) {
      held.push(end === 0 ? chunk : chunk.subarray(end));
      heldBytes += chunk.length - end;
      if (heldBytes > maxLineBytes) throw tooLong(heldBytes, maxLineBytes);
    }
  }
}

/** The lines of `whole`. It ends with a newline, so nothing stays in the splitter. */
function splitLines(splitter: ReturnType<typeof split2>, whole: Buffer): string[] {
  const lines: string[] = [];
  splitter.write(whole);
  for (let line: unknown = splitter.read(); line !== null; line = splitter.read()) {
    const text = withoutCarriageReturn(line as string);
    if (!isBlank(text)) lines.push(text);
  }
  return lines;
}

/**
 * True if `text` has only white space according to JSON. Any other control character must reach the JSON
 * parser and cause an error.
 */
function isBlank(text: string): boolean {
  return /^[ \t\r]*$/.test(text);
}

function withoutCarriageReturn(line: string): string {
  return line.charCodeAt(line.length - 1) === CARRIAGE_RETURN ? line.slice(0, -1) : line;
}

export function tooLong(gotBytes: number, maxLineBytes: number): ProtocolError {
  return new ProtocolError('a line of the answer is too long', {
    code: 'DECODE',
    context: { gotBytes, maxLineBytes },
  });
}

/**
 * `generator`, with `return` and `throw` that call `release` first. A generator that was never started skips
 * its `finally`, so without this its resources would stay open.
 */
export function ownedIterator<T>(
  generator: AsyncGenerator<T, void, undefined>,
  release: () => void,
): AsyncGenerator<T, void, undefined> {
  return {
    next: () => generator.next(),
    return: (value) => {
      release();
      return generator.return(value);
    },
    throw: (error) => {
      release();
      return generator.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await this.return();
    },
  };
}
