/** The shortest of these waits, in milliseconds; what is due already, or never, is none. */
export function earliest(waits: readonly (number | undefined)[]): number | undefined {
  const ahead = waits.filter((ms): ms is number => ms !== undefined && ms > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
