/**
 * A message between processes of the harness: one JSON object a line. A command to a process has `do`, its
 * answer has `is`.
 */
export interface Message {
  readonly is: string;
  readonly [field: string]: unknown;
}

/** @returns undefined for a line that is no message, such as output of a library. */
export function parseMessage(line: string): Message | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is Message {
  return (
    typeof value === 'object' && value !== null && 'is' in value && typeof value.is === 'string'
  );
}

/** @throws Error when the message has no such number. */
export function numberIn(message: Readonly<Record<string, unknown>>, field: string): number {
  const value = message[field];
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Error(`${JSON.stringify(field)} is no number in ${JSON.stringify(message)}`);
}

/** A time in nanoseconds, which JSON can only hold as text. @throws Error when there is none. */
export function nanosecondsIn(message: Readonly<Record<string, unknown>>, field: string): bigint {
  const value = message[field];
  if (typeof value === 'string' && /^[0-9]+$/.test(value)) return BigInt(value);
  throw new Error(`${JSON.stringify(field)} is no time in ${JSON.stringify(message)}`);
}
