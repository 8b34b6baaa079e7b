/** A text goes when it is replaced, with all that was ever taken from it. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { WatchEvent } from '../../operator/model/entry.ts';
import { Cache } from '../../operator/store/cache.ts';
import { scanEvent } from '../../operator/stream/decode.ts';

const OBJECTS = 700;
/** Below the size from which a text is put together of several. */
const LARGE = 40_000;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapMegabytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}

function event(
  type: 'ADDED' | 'MODIFIED',
  at: number,
  version: number,
  namespace: object,
): WatchEvent {
  const name = `a-name-that-is-no-short-one-${at}`;
  const uid = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  const metadata = { name, ...namespace, uid, resourceVersion: String(version) };
  const text = 'x'.repeat(type === 'ADDED' ? LARGE : 10);
  const object = { kind: 'Thing', apiVersion: 'v1', metadata, spec: { text } };
  const bytes = Buffer.from(JSON.stringify({ type, object }));
  const scanned = scanEvent(bytes, 0, bytes.length, { dropManagedFields: true });
  if (typeof scanned === 'object') return scanned;
  return expect.fail('it is parsed');
}

test.each([
  ['in a namespace', { namespace: 'demo' }],
  ['without a namespace', {}],
])('the text of a replaced object is released from memory: objects %s', (_, namespace) => {
  const cache = new Cache();
  const before = heapMegabytes();

  for (let at = 0; at < OBJECTS; at++) cache.apply(event('ADDED', at, 1_000 + at, namespace));
  const full = heapMegabytes() - before;
  for (let at = 0; at < OBJECTS; at++) cache.apply(event('MODIFIED', at, 5_000 + at, namespace));
  const left = heapMegabytes() - before;

  expect(cache.entries?.size).toBe(OBJECTS);
  expect(full).toBeGreaterThan((OBJECTS * LARGE) / 1e6 / 2);
  expect(left).toBeLessThan(full / 4);
});
