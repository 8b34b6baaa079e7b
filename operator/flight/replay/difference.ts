import { jsonOf } from '../../core/json/json-of.ts';
import { mappingOf } from '../../core/mapping.ts';

/** A point where a replay differs from the record. */
export interface Difference {
  /** Milliseconds since the recorder began. */
  readonly at: number;
  readonly controller: string;
  readonly key: string;
  /**
   * The number of the attempt among all attempts for the key in the record, counted from 1. Undefined outside
   * of an attempt.
   */
  readonly attempt: number | undefined;
  readonly kind: 'write' | 'no-write' | 'outcome' | 'no-begin' | 'begin' | 'no-end' | 'read';
  /** A phrase that says what the record contains. */
  readonly recorded: string;
  /** A phrase that says what the replay did. */
  readonly now: string;
  /** Further details, one line each. */
  readonly details: readonly string[];
}

/** Formats a difference for people. @param wall - wall time of the difference, in milliseconds since 1970. */
export function differenceText(difference: Difference, wall: number): readonly string[] {
  const { at, controller, key, attempt, recorded, now, details } = difference;
  const which = attempt === undefined ? '' : `attempt ${attempt} at `;
  return [
    `at ${shownAt(at)} (${new Date(wall).toISOString()}), controller ${controller}, ${which}${key}:`,
    `  recorded: ${recorded}`,
    `  now:      ${now}`,
    ...details.map((detail) => `    ${detail}`),
  ];
}

/** A time in the record as text, for example `12.345 s`. */
export function shownAt(at: number): string {
  return `${(at / 1_000).toFixed(3)} s`;
}

/** A request as text, without its body: `PATCH /api/v1/namespaces/demo/configmaps/web (apply)`. */
export function shownRequest({
  method,
  path,
  body,
}: {
  readonly method: string;
  readonly path: string;
  readonly body?: string | undefined;
}): string {
  const [pathname = ''] = path.split('?');
  const name = method === 'POST' ? nameIn(body) : undefined;
  return `${method} ${pathname}${name === undefined ? '' : ` of ${name}`}`;
}

/** The name of an object that is being created. Only the body contains it. */
function nameIn(body: string | undefined): string | undefined {
  const { name, generateName } = mappingOf(mappingOf(jsonOf(body)).metadata);
  if (typeof name === 'string') return name;
  return typeof generateName === 'string' ? `${generateName}…` : undefined;
}
