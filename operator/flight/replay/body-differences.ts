import { jsonOf } from '../../core/json/json-of.ts';
import { isMapping } from '../../core/mapping.ts';

/**
 * Two times in bodies count as equal if they differ by at most this many milliseconds. The time in a replay
 * differs from the recorded time by the processing time, and by fractions of a second.
 */
const SAME_TIME_MS = 2_000;

/** Maximum number of differences that are described. More differences would not help a reader. */
const MOST_DIFFERENCES = 8;

const MOST_CHARS = 80;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Matches a digest or a token: a string of digits and letters that no person would write. */
const DIGEST = /^(?=.*\d)(?:[0-9a-f]{8,}|[A-Za-z0-9+/_-]{16,}={0,2})$/;

/** How the body of a write differs from the recorded body. */
export interface BodyDifferences {
  /** Descriptions of the differences, at most eight. Empty when the bodies are the same. */
  readonly texts: readonly string[];
  /**
   * Paths of values that may be digests of secret values, which the record does not contain. These values
   * count as equal.
   */
  readonly fromSecrets: readonly string[];
}

/**
 * Compares two bodies as JSON. The order of members does not matter. Times that are within two seconds of
 * each other count as equal.
 *
 * @param hasSecrets - true if the record has placeholders for secret values. The replayed code then computes
 *   digests of placeholders, which differ from the recorded digests.
 */
export function bodyDifferences(
  recorded: string | undefined,
  now: string | undefined,
  hasSecrets: boolean,
): BodyDifferences {
  if ((recorded ?? '') === (now ?? '')) return { texts: [], fromSecrets: [] };
  const [before, after] = [jsonOf(recorded), jsonOf(now)];
  if (before === undefined || after === undefined) {
    return { texts: [`the body was ${shown(recorded)}, and is ${shown(now)}`], fromSecrets: [] };
  }
  const texts: string[] = [];
  const fromSecrets: string[] = [];
  const waiting: [path: string, before: unknown, after: unknown][] = [['', before, after]];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [path, was, is] = next;
    if (isMapping(was) && isMapping(is)) {
      for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
        waiting.push([path === '' ? name : `${path}.${name}`, was[name], is[name]]);
      }
    } else if (Array.isArray(was) && Array.isArray(is) && was.length === is.length) {
      for (const [index, item] of was.entries()) {
        waiting.push([`${path}[${index}]`, item, is[index]]);
      }
    } else if (!isSame(was, is)) {
      if (hasSecrets && areDigests(was, is)) fromSecrets.push(path);
      else texts.push(`${path || 'the body'} was ${shown(was)}, and is ${shown(is)}`);
    }
  }
  return { texts: texts.slice(0, MOST_DIFFERENCES), fromSecrets };
}

function isSame(was: unknown, is: unknown): boolean {
  if (Object.is(was, is)) return true;
  if (typeof was !== 'string' || typeof is !== 'string') {
    return typeof was === 'object' && JSON.stringify(was) === JSON.stringify(is);
  }
  if (!TIME.test(was) || !TIME.test(is)) return false;
  return Math.abs(Date.parse(was) - Date.parse(is)) <= SAME_TIME_MS;
}

function areDigests(was: unknown, is: unknown): boolean {
  if (typeof was !== 'string' || typeof is !== 'string') return false;
  return was.length === is.length && DIGEST.test(was) && DIGEST.test(is);
}

function shown(value: unknown): string {
  if (value === undefined) return 'not there';
  const text = JSON.stringify(value);
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)}…`;
}
