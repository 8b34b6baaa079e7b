import { flag, type ReadSetting, wholeNumber } from './text.ts';

/** What `chancery run` records of itself, see docs/guides/operate/flight-recorder.md. */
export interface RecordSettings {
  /** The folder for records. Undefined: nothing is recorded. */
  readonly folder: string | undefined;
  /** How far back a record reaches. */
  readonly minutes: number;
  /** Memory that is kept for it besides the caches. */
  readonly megabytes: number;
  /** `POST /debug/record` on the health port writes a record. */
  readonly endpoint: boolean;
}

const DEFAULT_MINUTES = 10;
const DEFAULT_MEGABYTES = 64;
/** A day: what happened earlier is not in anybody's memory. */
const MAX_MINUTES = 1_440;
/** What Node can hold of it beside an operator. */
const MAX_MEGABYTES = 1_024;

export const RECORD_ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  [
    'CHANCERY_RECORD_DIR',
    'chancery run: keeps what the operator does in memory, and writes a record into this folder when it is asked, and ' +
      'when something is wrong; default: it keeps nothing',
  ],
  ['CHANCERY_RECORD_MINUTES', 'how far back a record reaches, 1 to 1440; default 10'],
  ['CHANCERY_RECORD_MEGABYTES', 'memory for it besides the caches, 1 to 1024; default 64'],
  [
    'CHANCERY_RECORD_ENDPOINT',
    'true: POST /debug/record on the health port writes a record; default false',
  ],
];

/**
 * The settings of the recorder. It records nothing without a folder.
 *
 * @throws ConfigurationError `CONFIG` with the name of the variable, the expected value and the found one.
 */
export function recordFrom(read: ReadSetting): RecordSettings {
  const minutes = { min: 1, max: MAX_MINUTES };
  const megabytes = { min: 1, max: MAX_MEGABYTES };
  return {
    folder: read('CHANCERY_RECORD_DIR'),
    minutes: wholeNumber(read, 'CHANCERY_RECORD_MINUTES', minutes) ?? DEFAULT_MINUTES,
    megabytes: wholeNumber(read, 'CHANCERY_RECORD_MEGABYTES', megabytes) ?? DEFAULT_MEGABYTES,
    endpoint: flag(read, 'CHANCERY_RECORD_ENDPOINT', false),
  };
}
