/** One line of a recording. `test/recordings/README.md` describes the format. */
export interface RecordedExchange {
  /** The number of the request, counted from 1. */
  readonly id: number;
  /** Time of the request, in milliseconds since the recording began. */
  readonly at: number;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Length in bytes of a body that is omitted. */
    readonly omitted?: number;
    /** The lines of a watch, each with its time. Only whole lines are included. */
    readonly chunks?: readonly WatchChunk[];
    readonly end?: WatchEnd;
  };
}

export interface WatchChunk {
  readonly at: number;
  readonly data: string;
}

/**
 * How a watch ended. `eof`: normally. `reset`: the connection broke. `open`: it was still open when
 * the recording ended.
 */
export interface WatchEnd {
  readonly at: number;
  readonly how: 'eof' | 'reset' | 'client closed' | 'open';
}

/** The reason why an exchange is not in the recording, in words for users. */
export type Omission =
  | 'with a body that is neither JSON nor YAML'
  | 'with a broken body that may have a Secret'
  | 'with a request over 4 MiB'
  | 'with a request that was not sent completely'
  | 'to a program behind the API server'
  | 'without an answer'
  | 'beyond the limits of a recording';

/** Limits of a recording. */
export interface RecordLimits {
  readonly exchanges: number;
  /** Maximum bytes of all lines together. */
  readonly fileBytes: number;
  /** Maximum bytes of a request. The API server itself refuses requests above 3 MiB. */
  readonly requestBytes: number;
  /**
   * Maximum bytes of an answer. A longer answer is an OpenAPI document, or a list that no test
   * reads.
   */
  readonly answerBytes: number;
  readonly watchBytes: number;
  readonly watchMs: number;
  /** Maximum bytes of all active exchanges together. */
  readonly heldBytes: number;
  /**
   * Maximum number of different values of Secrets. Every recorded body is searched for every value.
   */
  readonly secretValues: number;
}

const MIB = 1024 * 1024;

export const RECORD_LIMITS: RecordLimits = {
  exchanges: 20_000,
  fileBytes: 256 * MIB,
  requestBytes: 4 * MIB,
  answerBytes: 300_000,
  watchBytes: 16 * MIB,
  watchMs: 3_600_000,
  heldBytes: 256 * MIB,
  secretValues: 5_000,
};
