import type { Entry } from '../model/entry.ts';
import type {
  AnswerLine,
  BeginLine,
  CachedLine,
  ChunkLine,
  ClockLine,
  EndedLine,
  HeldLine,
  LeaderLine,
  LogLine,
  OutcomeLine,
  QueuedLine,
  RequestLine,
  StateLine,
  WakeLine,
  WatchLine,
} from './record-line.ts';

/** Bytes of an answer as they arrived. This is a reference, not a copy. */
export interface KeptChunk extends Omit<ChunkLine, 'text'> {
  readonly bytes: Uint8Array;
}

/** The contents of a cache, as references to its entries, which never change. */
export interface KeptCache extends Omit<CachedLine, 'objects'> {
  readonly entries: readonly Entry[];
}

/**
 * A line as it is kept in memory. It is formatted, and secrets are removed, only when a record is written.
 */
export type KeptLine =
  | ClockLine
  | StateLine
  | KeptCache
  | QueuedLine
  | RequestLine
  | AnswerLine
  | KeptChunk
  | EndedLine
  | WakeLine
  | BeginLine
  | OutcomeLine
  | HeldLine
  | WatchLine
  | LeaderLine
  | LogLine;

/** A line about an exchange or an attempt, which may have to be repeated in a later segment. */
export type CarriedLine = RequestLine | AnswerLine | KeptChunk | EndedLine | BeginLine;

/**
 * Memory in bytes of an object with a few numbers and short strings, measured with 100,000 such objects in
 * Node 24.
 */
const LINE_BYTES = 200;

/**
 * Memory in bytes of a Buffer that shares its memory with other Buffers, and of the line that contains the
 * Buffer.
 */
const CHUNK_BYTES = 400;

/** Memory in bytes of a reference in a list. */
const REFERENCE_BYTES = 8;

/** The estimated memory in bytes that cannot be freed while a line is kept. */
export function sizeOf(line: KeptLine): number {
  switch (line.kind) {
    case 'chunk':
      return CHUNK_BYTES + line.bytes.byteLength;
    case 'cached':
      return LINE_BYTES + REFERENCE_BYTES * line.entries.length;
    case 'request':
      return LINE_BYTES + line.path.length + (line.body?.length ?? 0);
    case 'answer':
      return 2 * LINE_BYTES;
    default:
      return LINE_BYTES;
  }
}
