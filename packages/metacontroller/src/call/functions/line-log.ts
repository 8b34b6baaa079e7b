import type { Log } from 'chancery';

/**
 * Maximum number of lines that are logged for one run. A program that writes the allowed 10 MB as
 * short lines would flood the log.
 */
const MAX_LOGGED_LINES = 1_000;

/** Maximum number of characters that are logged of one line. */
const MAX_LINE_CHARS = 1_024;

/** A function that logs each line of standard error. Empty lines are skipped. */
export function lineLog(log: Log, facts: object): (line: string) => void {
  let lines = 0;
  return (line) => {
    if (line.trim() === '') return;
    lines++;
    if (lines <= MAX_LOGGED_LINES) {
      const fields = { ...facts, output: 'stderr', line: line.slice(0, MAX_LINE_CHARS) };
      log.info(fields, 'the hook wrote');
    } else if (lines === MAX_LOGGED_LINES + 1) {
      log.warn(
        { ...facts, lines: MAX_LOGGED_LINES },
        'the hook wrote more lines; they are not logged',
      );
    }
  };
}
