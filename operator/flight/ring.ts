import { type KeptLine, sizeOf } from './kept-line.ts';

export interface RingLimits {
  /** The lines cover at least this many milliseconds, unless they would need more memory than `bytes`. */
  readonly ms: number;
  /** Maximum memory of all lines in bytes, which is estimated. */
  readonly bytes: number;
}

/**
 * A section of the ring that begins with the state of the process, so that it can be read without the lines
 * before it.
 */
interface Segment {
  readonly number: number;
  readonly at: number;
  readonly lines: KeptLine[];
  bytes: number;
}

/**
 * A segment is full when it reaches the limits of the ring divided by this number. So when the oldest segment
 * is dropped, about this part of the period is lost.
 */
const PARTS = 8;

/** The lines of the last minutes, in segments. The oldest segment is always dropped as a whole. */
export class Ring {
  readonly #limits: RingLimits;
  readonly #segments: Segment[] = [];
  #bytes = 0;
  #hasDropped = false;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  /** The estimated memory of all lines in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True when the lines cover less time than they should, because their memory is limited. */
  isTruncated(at: number): boolean {
    return this.#hasDropped && at - this.from < this.#limits.ms;
  }

  /** The number of the next segment. */
  get next(): number {
    return (this.#segments.at(-1)?.number ?? -1) + 1;
  }

  /** The time when the oldest segment began. */
  get from(): number {
    return this.#segments[0]?.at ?? 0;
  }

  /** Returns how full the newest segment is. If the result is 1 or more, a new segment should begin. */
  fill(at: number): number {
    const newest = this.#segments.at(-1);
    if (newest === undefined) return 1;
    const { ms, bytes } = this.#limits;
    return PARTS * Math.max((at - newest.at) / ms, newest.bytes / bytes);
  }

  /** Begins a segment with the lines that describe its state. */
  begin(at: number, lines: readonly KeptLine[]): void {
    this.#segments.push({ number: this.next, at, lines: [], bytes: 0 });
    for (const line of lines) this.add(line);
    this.#drop(at);
  }

  /** Adds a line to the newest segment. Before the first segment nothing is kept. */
  add(line: KeptLine): void {
    const newest = this.#segments.at(-1);
    if (newest === undefined) return;
    newest.lines.push(line);
    this.weigh(sizeOf(line));
  }

  /**
   * Adds `bytes` to the size of the newest segment. They stand for memory beside the lines that cannot be
   * freed while the segment is kept.
   */
  weigh(bytes: number): void {
    const newest = this.#segments.at(-1);
    if (newest === undefined) return;
    newest.bytes += bytes;
    this.#bytes += bytes;
  }

  /** All lines, the oldest first. The returned list does not change when more lines are added to the ring. */
  lines(): readonly KeptLine[] {
    return this.#segments.flatMap(({ lines }) => lines);
  }

  #drop(at: number): void {
    const { ms, bytes } = this.#limits;
    for (;;) {
      const [oldest, second] = this.#segments;
      if (oldest === undefined || second === undefined) return;
      const isOld = at - second.at >= ms;
      if (!isOld && this.#bytes <= bytes) return;
      this.#hasDropped = true;
      this.#segments.shift();
      this.#bytes -= oldest.bytes;
    }
  }
}
