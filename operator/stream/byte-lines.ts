import { DEFAULT_MAX_LINE_BYTES, tooLong } from './lines.ts';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;

/** Told of a line: `bytes` from `from` to `to`, without its terminator, good until it returns. */
type OnLine = (bytes: Buffer, from: number, to: number) => void;

/**
 * Chunks → lines, by the rules of `readLines`, but as bytes, and none of them copied that lies within a
 * chunk: for who makes no text of most of them.
 */
export class ByteLines {
  readonly #maxLineBytes: number;
  /** The start of a line whose end has not arrived, joined once it has. */
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(maxLineBytes: number = DEFAULT_MAX_LINE_BYTES) {
    this.#maxLineBytes = maxLineBytes;
  }

  /**
   * Tells of every line that ends in `chunk`, in order.
   *
   * @throws ProtocolError `DECODE` when a line outgrows the limit, behind those that end before; what
   *   `onLine` throws.
   */
  read(chunk: Buffer, onLine: OnLine): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#held.length === 0) tell(chunk, start, end, onLine);
      else this.#tellHeld(chunk.subarray(start, end), onLine);
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes > this.#maxLineBytes) throw tooLong(this.#heldBytes, this.#maxLineBytes);
  }

  #tellHeld(end: Buffer, onLine: OnLine): void {
    const line = Buffer.concat([...this.#held, end], this.#heldBytes + end.length);
    this.#held = [];
    this.#heldBytes = 0;
    tell(line, 0, line.length, onLine);
  }
}

/** An event begins with a brace: the rest of such a line is not looked at. */
function tell(bytes: Buffer, from: number, end: number, onLine: OnLine): void {
  const to = end > from && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
  let first = from;
  while (first < to && isBlank(bytes[first])) first++;
  if (first < to) onLine(bytes, from, to);
}

/** What JSON takes for white space: a line of any other control character is none that is passed over. */
function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN;
}
