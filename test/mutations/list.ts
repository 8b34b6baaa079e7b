/** Faults of the engine and of the command. Each of them changes behaviour, and a test must find it. */
import { readFileSync } from 'node:fs';

export interface Mutation {
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
  /** What no longer works. */
  readonly breaks: string;
}

/**
 * Places were drawn by a seed among comparisons, conditions and returned values, more of them where a folder has more
 * lines. Which of them change behaviour, and what breaks, was decided by reading.
 */
export const MUTATIONS: readonly Mutation[] = JSON.parse(
  readFileSync(new URL('list.json', import.meta.url), 'utf8'),
);
