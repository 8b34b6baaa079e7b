import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readItems } from '../../operator/stream/list-items.ts';

const KIB = 1024;
const CHUNK_BYTES = 64 * KIB;

/** A body that has all of its chunks at once, as a socket behind a stall. */
function bodyOf(text: string): Readable {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    chunks.push(bytes.subarray(at, at + CHUNK_BYTES));
  }
  return Readable.from(chunks);
}

/** Tells how many objects were read in each turn of the event loop. */
async function objectsOfTurns(read: (seen: () => void) => Promise<unknown>): Promise<number[]> {
  const turns = [0];
  let isReading = true;
  const turn = (): void => {
    if (!isReading) return;
    turns.push(0);
    setImmediate(turn);
  };
  setImmediate(turn);
  await read(() => {
    turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
  });
  isReading = false;
  return turns;
}

const objects = Array.from({ length: 4_000 }, (_, index) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `turn-${index}`, uid: `uid-${index}`, resourceVersion: `${index + 1}` },
  data: { text: 'x'.repeat(900) },
}));
const bytesOfOne = JSON.stringify(objects.at(-1)).length;
/** What fits in 512 KiB, and the chunk that goes beyond. */
const most = Math.ceil((576 * KIB) / (bytesOfOne - 10));

test('[L-15] a list of 4 MB is read in several turns of the event loop, and no item is missing', async () => {
  const text = JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', items: objects });
  let items = 0;

  const turns = await objectsOfTurns((seen) =>
    readItems(bodyOf(text), {
      onItem() {
        seen();
        items++;
      },
    }),
  );

  expect(items).toBe(objects.length);
  expect(Math.max(...turns)).toBeLessThanOrEqual(most);
});
