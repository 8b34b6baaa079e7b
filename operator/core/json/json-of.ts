/**
 * The value of a string with JSON. Undefined for a string that is not JSON, for an empty string, and for
 * undefined.
 */
export function jsonOf(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
