import type { Log } from 'chancery';

/** Lines of one run that are logged. A hook that writes the allowed 10 MB as short lines would make 1 GB of logs. */
const MAX_LOGGED_LINES = 10_000;

/** Characters of a line that stand in one line of the log, which keeps at most 2,048 of a text. */
const PIECE = /.{1,1024}/gsu;

/** Words for levels in the lines of hooks, as loggers of several languages write them. */
const LEVELS: ReadonlyMap<unknown, 'debug' | 'info' | 'warn' | 'error'> = new Map([
  ['trace', 'debug'],
  ['debug', 'debug'],
  ['warn', 'warn'],
  ['warning', 'warn'],
  ['error', 'error'],
  ['fatal', 'error'],
  ['critical', 'error'],
]);

/** What a hook says of a line itself, and not as a fact. */
const OF_THE_LINE: ReadonlySet<string> = new Set(['level', 'msg', 'message', 'time']);

/**
 * Lines of a hook → lines of the log. A long line becomes several, numbered from the second on by `part`. Lines without
 * text are left out, and so are those beyond the 10,000th of a run.
 *
 * @param facts - what each line has beside them: which hook it is, and why it runs.
 * @param readsJson - a line that is a JSON object is logged with its own level and message, and its other members as
 *   fields below `fields`.
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
    const said = readsJson ? objectIn(line) : undefined;
    if (said === undefined) logPieces(log, { ...facts, output }, line);
    else logSaid(log, { ...facts, output }, said);
  };
}

function logPieces(log: Log, facts: object, line: string): void {
  const pieces = line.match(PIECE) ?? [];
  pieces.forEach((piece, index) => {
    log.info({ ...facts, line: piece, ...(index > 0 && { part: index + 1 }) }, 'the hook wrote');
  });
}

function logSaid(log: Log, facts: object, said: Readonly<Record<string, unknown>>): void {
  const { level, msg, message } = said;
  const others = Object.entries(said).filter(([name]) => !OF_THE_LINE.has(name));
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
