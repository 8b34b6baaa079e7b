import { flag, type ReadSetting, wholeNumber } from './text.ts';

/** What `chancery run` records about itself, see docs/guides/operate/flight-recorder.md. */
export interface RecordSettings {
  /** The folder for records. If undefined, nothing is recorded. */
  readonly folder: string | undefined;
  /** The number of minutes that a record covers. */
  readonly minutes: number;
  /** Megabytes of memory that are reserved for the record, in addition to the caches. */
  readonly megabytes: number;
  /** True if `POST /debug/record` on the health port writes a record. */
  readonly endpoint: boolean;
}

const DEFAULT_MINUTES = 10;
const DEFAULT_MEGABYTES = 64;
/** The longest time that a record can cover: one day. */
const MAX_MINUTES = 1_440;
/** The maximum for a record. Node must hold it in memory in addition to the operator itself. */
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
 * The settings of the recorder. Without a folder, nothing is recorded.
 *
 * @throws ConfigurationError `CONFIG` with the name of the variable, the expected and the found value.
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
