import { DAYS } from './resource.ts';

const weekdays: readonly string[] = DAYS;

/**
 * Instant → hour of the week on the clocks of `timeZone`: 0 is Monday from 00:00 to 01:00. Follows summer
 * time: an hour may come twice, or be left out.
 *
 * @returns undefined for a zone that is not known.
 */
export function hourOfWeek(timeZone: string): ((ms: number) => number) | undefined {
  const format = formatFor(timeZone);
  if (format === undefined) return undefined;
  return (ms) => {
    const parts = format.formatToParts(ms);
    const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
    return weekdays.indexOf(part('weekday')) * 24 + Number(part('hour'));
  };
}

function formatFor(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      hourCycle: 'h23',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
