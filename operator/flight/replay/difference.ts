import { jsonOf } from '../../core/json/json-of.ts';
import { mappingOf } from '../../core/mapping.ts';

/** A point where a replay differs from the record. */
export interface Difference {
  /** Milliseconds since the recorder began. */
  readonly at: number;
  readonly controller: string;
  readonly key: string;
  /** The number of the attempt at the key, counted from 1 in the record. Undefined outside of an attempt. */
  readonly attempt: number | undefined;
  readonly kind: 'write' | 'no-write' | 'outcome' | 'no-begin' | 'begin' | 'no-end' | 'read';
  /** What the record contains, in words. */
  readonly recorded: string;
  /** What the replay did, in words. */
  readonly now: string;
  /** Further details, one line each. */
  readonly details: readonly string[];
}

/** A difference as lines for people. @param wall - wall time of the difference, in milliseconds since 1970. */
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

/** For example `12.345 s`. */
export function shownAt(at: number): string {
  return `${(at / 1_000).toFixed(3)} s`;
}

/** A request without its body: `PATCH /api/v1/namespaces/demo/configmaps/web (apply)`. */
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

/** The name of an object that is created, which is only in the body. */
function nameIn(body: string | undefined): string | undefined {
  const { name, generateName } = mappingOf(mappingOf(jsonOf(body)).metadata);
  if (typeof name === 'string') return name;
  return typeof generateName === 'string' ? `${generateName}…` : undefined;
}
