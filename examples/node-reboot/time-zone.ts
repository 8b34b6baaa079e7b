/** Instants ↔ what the clocks on the wall show, by the time zones that Node has built in. */

const DAY_MS = 86_400_000;

/** A wall time is the number of milliseconds after which clocks that began with 1970 in UTC would show it. */
export interface TimeZone {
  wallAt(instantMs: number): number;
  /**
   * The first instant at which the clocks show `wallMs`. Where they are put forward over it, as much
   * later as they are put forward.
   */
  instantAt(wallMs: number): number;
}

/** @param name - as in the IANA database: `Europe/Berlin`, `UTC`. @returns undefined when there is none. */
export function timeZone(name: string): TimeZone | undefined {
  const format = formatFor(name);
  if (format === undefined) return undefined;
  const wallAt = (instantMs: number): number => {
    const shown: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instantMs)) shown[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    const inSecondMs = ((instantMs % 1_000) + 1_000) % 1_000;
    return Date.UTC(year, month - 1, day, hour, minute, second) + inSecondMs;
  };
  const offsetAt = (instantMs: number): number => wallAt(instantMs) - instantMs;
  const instantAt = (wallMs: number): number => {
    // No zone changes its clocks twice within two days: one of these two offsets holds, or both do.
    const before = wallMs - offsetAt(wallMs - DAY_MS);
    const after = wallMs - offsetAt(wallMs + DAY_MS);
    const shows = [before, after].filter((instantMs) => wallAt(instantMs) === wallMs);
    return shows.length === 0 ? before : Math.min(...shows);
  };
  return { wallAt, instantAt };
}

function formatFor(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
