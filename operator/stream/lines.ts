import type { Readable } from 'node:stream';
import split2 from 'split2';
import { ProtocolError } from '../core/errors.ts';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Maximum bytes of an unfinished line. etcd refuses requests over 1.5 MiB, JSON escapes can turn one byte
 * into six, and a line contains one object, so lines of kube-apiserver have at most 9 MiB. The limit is
 * higher because some aggregated API servers do not store objects in etcd.
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
 * spaces, tabs and carriage returns are omitted. CRLF is accepted. Bytes are split at `\n` before UTF-8 is
 * decoded, so a chunk may end anywhere. A last line without `\n` is never yielded, because it may be cut
 * short even if it looks complete. The body is not read before the consumer requests more lines.
 *
 * @param body - for example the body of a `TransportResponse`. When the reader leaves its loop, or calls
 *   `return()` before the loop begins, the body is destroyed, which closes the connection.
 * @throws ProtocolError `DECODE` when a line exceeds `maxLineBytes`.
 * @throws the error of `body`. For the body of a transport, this is an AmbassadorError `CONNECTION_LOST` when
 *   the answer breaks off, or `signal.reason` when the request is aborted.
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
  // The beginning of an unfinished line. If it were passed to split2, split2 would join and search it again
  // with every chunk, so the time would grow with the square of the line's length.
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

/** The lines of `whole`, which ends with a newline, so that the splitter keeps no unfinished line. */
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
 * True if `text` has only white space according to JSON. A line with any other control character is not
 * skipped, so that the JSON parser reports an error.
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
 * `generator`, but its methods `return` and `throw` call `release` first. Otherwise a generator that was
 * never started would keep its resources open, because its `finally` blocks would not run.
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
