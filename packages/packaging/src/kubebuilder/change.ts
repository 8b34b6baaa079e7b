import type { ProjectRecord } from './record.ts';

/** What a command changes in a project. */
export interface Change {
  /** All files that belong to the result. Those that are as before are left out of the answer. */
  readonly files: ReadonlyMap<string, string>;
  /** For the person at the terminal. */
  readonly messages: readonly string[];
}

/** A change, and the record of the project after it. */
export interface RecordedChange extends Change {
  readonly record: ProjectRecord;
}
