/**
 * The parsed value of a JSON text. Undefined for a text that is not JSON, for an empty string, and for
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
