import type { Log } from 'chancery';

/**
 * Maximum number of lines that are logged for one run. A hook that writes the allowed 10 MB as
 * short lines would otherwise make 1 GB of logs.
 */
const MAX_LOGGED_LINES = 10_000;

/**
 * A piece of a line that fits into one line of the log. The log keeps at most 2,048 characters of a
 * string.
 */
const PIECE = /.{1,1024}/gsu;

/** Names of levels in the output of hooks, as loggers of several languages write them. */
const LEVELS: ReadonlyMap<unknown, 'debug' | 'info' | 'warn' | 'error'> = new Map([
  ['trace', 'debug'],
  ['debug', 'debug'],
  ['warn', 'warn'],
  ['warning', 'warn'],
  ['error', 'error'],
  ['fatal', 'error'],
  ['critical', 'error'],
]);

/** Members of a JSON line that describe the line itself. All other members are logged as fields. */
const OF_THE_LINE: ReadonlySet<string> = new Set(['level', 'msg', 'message', 'time']);

/**
 * A function that logs the lines of a hook. A long line is logged as several lines, which are
 * numbered by the field `part` from the second line on. Blank lines are skipped. After 10,000 lines
 * of a run, all further lines are skipped as well.
 *
 * @param facts - additional fields of each line: the hook, and the reason for its run.
 * @param readsJson - if true, a line that is a JSON object is logged with the level and the message
 * in this object. Its other members become fields below `fields`.
 */
export function hookOutput(
  log: Log,
  facts: object,
  readsJson: boolean,
): (output: 'stdout' | 'stderr', line: string) => void {
  let lines = 0;
  return (output, line) => {
    if (line.trim() === '') return;
    lines++;
    if (lines > MAX_LOGGED_LINES) {
      if (lines === MAX_LOGGED_LINES + 1) {
        log.warn(
          { ...facts, lines: MAX_LOGGED_LINES },
          'the hook wrote more lines; they are not logged',
        );
      }
      return;
    }
    const entry = readsJson ? objectIn(line) : undefined;
    if (entry === undefined) logPieces(log, { ...facts, output }, line);
    else logEntry(log, { ...facts, output }, entry);
  };
}

function logPieces(log: Log, facts: object, line: string): void {
  const pieces = line.match(PIECE) ?? [];
  pieces.forEach((piece, index) => {
    log.info({ ...facts, line: piece, ...(index > 0 && { part: index + 1 }) }, 'the hook wrote');
  });
}

function logEntry(log: Log, facts: object, entry: Readonly<Record<string, unknown>>): void {
  const { level, msg, message } = entry;
  const others = Object.entries(entry).filter(([name]) => !OF_THE_LINE.has(name));
  const text = [msg, message].find((each) => typeof each === 'string') ?? 'the hook wrote';
  const fields = { ...facts, ...(others.length > 0 && { fields: Object.fromEntries(others) }) };
  const word = typeof level === 'string' ? level.toLowerCase() : undefined;
  log[LEVELS.get(word) ?? 'info'](fields, text as string);
}

function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined; // a line of text that begins with a brace
  }
}
