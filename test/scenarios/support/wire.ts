/** The head of an answer whose body comes in chunks. */
export const CHUNKED: string =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';

/** One chunk of such a body. */
export function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** The line of a watch event. */
export function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}
