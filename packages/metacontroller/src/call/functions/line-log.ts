import type { Log } from 'chancery';

/**
 * Number of lines of one run that are logged. A program that writes the allowed 10 MB as short
 * lines would flood the log.
 */
const MAX_LOGGED_LINES = 1_000;

/** Number of characters of a line that are logged. */
const MAX_LINE_CHARS = 1_024;

/** Lines of standard error → lines of the log. Empty lines are skipped. */
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
