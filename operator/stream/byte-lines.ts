import type { Readable } from 'node:stream';
import { DEFAULT_MAX_LINE_BYTES, type ReadLinesOptions, tooLong } from './lines.ts';
import { ownedIterator } from './owned-iterator.ts';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/**
 * Bytes → lines, as `readLines`, but as bytes: for who makes no text of most of them. They are good
 * until the next batch is asked for, and are not to be kept: each holds the chunk that it came in.
 */
export function readByteLines(
  body: Readable,
  options: ReadLinesOptions = {},
): AsyncGenerator<readonly Buffer[], void, undefined> {
  return ownedIterator(linesOf(body, options), () => body.destroy());
}

async function* linesOf(
  body: Readable,
  { maxLineBytes = DEFAULT_MAX_LINE_BYTES, onChunk }: ReadLinesOptions,
): AsyncGenerator<readonly Buffer[], void, undefined> {
  // The start of a line whose end has not arrived, joined once it has.
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    onChunk?.(chunk.length);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      const line = held.length === 0 ? piece : Buffer.concat([...held, piece]);
      held = [];
      heldBytes = 0;
      start = end + 1;
      const text = withoutCarriageReturn(line);
      if (!isBlank(text)) lines.push(text);
    }
    if (lines.length > 0) yield lines;
    if (start === chunk.length) continue;
    held.push(start === 0 ? chunk : chunk.subarray(start));
    heldBytes += chunk.length - start;
    if (heldBytes > maxLineBytes) throw tooLong(heldBytes, maxLineBytes);
  }
}

function withoutCarriageReturn(line: Buffer): Buffer {
  return line[line.length - 1] === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}

/** An event begins with a brace: the rest of such a line is not looked at. */
function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte > SPACE) return false;
  return true;
}
