/** One line of a recording. `test/recordings/README.md` describes the form. */
export interface RecordedExchange {
  /** From 1, in the order in which requests came. */
  readonly id: number;
  /** When the request came, in milliseconds since the recording began. */
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
    /** Length of a body that is left out, in bytes. */
    readonly omitted?: number;
    /** Of a watch: whole lines, and when each came. */
    readonly chunks?: readonly WatchChunk[];
    readonly end?: WatchEnd;
  };
}

export interface WatchChunk {
  readonly at: number;
  readonly data: string;
}

/** `eof`: in order. `reset`: the connection broke. `open`: it was open when the recording ended. */
export interface WatchEnd {
  readonly at: number;
  readonly how: 'eof' | 'reset' | 'client closed' | 'open';
}

/** Why an exchange is not in the recording, as people are told. */
export type LeftOut =
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
  /** Bytes of all lines. */
  readonly fileBytes: number;
  /** The API server itself refuses more than 3 MiB. */
  readonly requestBytes: number;
  /** In bytes: a longer answer is a document of OpenAPI, or a list that no test reads. */
  readonly answerBytes: number;
  readonly watchBytes: number;
  readonly watchMs: number;
  /** Bytes of exchanges that are under way. */
  readonly heldBytes: number;
  /** Different values of Secrets. Each is looked for in each text. */
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
