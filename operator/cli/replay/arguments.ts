import { ConfigurationError } from '../../core/errors.ts';
import { parseGoDuration } from '../../core/go/go-duration.ts';
import type { FlightRecord } from '../../flight/read-record.ts';
import type { GivenTo } from '../command-table.ts';
import type { REPLAY } from './table.ts';

/** The parsed command line of `chancery replay`. */
export interface ReplayArguments {
  readonly file: string;
  /** Paths of modules. Empty when the command should only write the HTML page. */
  readonly modules: readonly string[];
  readonly key: string | undefined;
  readonly until: string | undefined;
  readonly inspect: boolean;
  readonly html: string | undefined;
  readonly toTest: string | undefined;
  readonly force: boolean;
}

/**
 * Parses the command line of `chancery replay`.
 *
 * @throws ConfigurationError `CONFIG` in one line with the expected and the actual value.
 */
export function replayArguments({ values, words }: GivenTo<typeof REPLAY>): ReplayArguments {
  const { html, key, toTest } = values;
  const [file, ...modules] = words;
  if (file === undefined) {
    throw new ConfigurationError(
      'expected the FILE of a record, such as flight.jsonl.gz; got none',
    );
  }
  if (modules.length === 0 && html === undefined) {
    throw new ConfigurationError(
      'expected the MODULE that was recorded, such as operator.ts, or --html; got neither',
    );
  }
  if (modules.length === 0 && (toTest !== undefined || values.inspect)) {
    throw new ConfigurationError('--to-test and --inspect need the MODULE that was recorded');
  }
  if (toTest !== undefined && !/\.test\.[cm]?[jt]s$/.test(toTest)) {
    throw new ConfigurationError('--to-test must name a test file, such as web.test.ts');
  }
  return { ...values, html, key, toTest, file, modules };
}

/**
 * The time of `--until`, in milliseconds since the recorder began.
 *
 * @throws ConfigurationError `CONFIG` for a text that is not a time, and for a time outside of the
 * record.
 */
export function untilAt(
  text: string | undefined,
  record: Pick<FlightRecord, 'header' | 'lines'>,
): number | undefined {
  if (text === undefined) return undefined;
  const { header } = record;
  const at = parseGoDuration(text) ?? momentOf(Date.parse(text), record);
  if (Number.isNaN(at)) {
    throw new ConfigurationError(
      `--until must be a duration such as 12.5s or a time such as 2026-01-31T12:00:00Z, got ${JSON.stringify(text)}`,
    );
  }
  if (at < header.from || at > header.to) {
    const [from, to] = [header.from, header.to].map((each) => `${(each / 1_000).toFixed(3)}s`);
    throw new ConfigurationError(
      `--until is outside of the record, which goes from ${from} to ${to}`,
    );
  }
  return at;
}

/**
 * The time at which the wall clock showed `wall`, in milliseconds since the recorder began. If the
 * clock was set back, this is the first such time. If the clock was set forward past `wall`, this
 * is the time at which it was set.
 */
function momentOf(wall: number, { header, lines }: Pick<FlightRecord, 'header' | 'lines'>): number {
  const { began, from } = header;
  let wallAtZero = Date.parse(began);
  let since = from;
  for (const line of lines) {
    if (line.kind !== 'clock') continue;
    const at = wall - wallAtZero;
    if (line.at > from) {
      if (at >= since && at < line.at) return at;
      if (at >= line.at && wall < line.wall) return line.at;
      since = line.at;
    }
    wallAtZero = line.wall - line.at;
  }
  return wall - wallAtZero;
}
