import type { ProjectRecord } from './record.ts';

/** The changes of a command in a project. */
export interface Change {
  /** All files of the result. Unchanged files are omitted from the answer. */
  readonly files: ReadonlyMap<string, string>;
  /** Messages for the user in the terminal. */
  readonly messages: readonly string[];
}

/** A change, and the record of the project after it. */
export interface RecordedChange extends Change {
  readonly record: ProjectRecord;
}
