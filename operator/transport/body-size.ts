import type { Readable } from 'node:stream';

/**
 * Calls `told` with the size of `body` in bytes when all of it has arrived; never for one that breaks
 * off. Nothing is read by it, and nothing read later: a listener or a stream in between would change
 * who holds back whom.
 */
export function onArrived(body: Readable, told: (bytes: number) => void): void {
  let bytes = body.readableLength; // what came together with the head
  if (body.readableEnded) {
    told(bytes);
    return;
  }
  const push = body.push.bind(body);
  body.push = (chunk: Uint8Array | null, encoding?: BufferEncoding): boolean => {
    bytes += chunk?.length ?? 0;
    return push(chunk, encoding);
  };
  body.once('end', () => told(bytes));
}
