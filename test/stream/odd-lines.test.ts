/**
 * Lines that hold next to nothing, in both decoders. kube-apiserver sends none of them: it writes each
 * event as one JSON object behind which comes a line feed, and escapes control characters within
 * (`Encode` in k8s.io/apimachinery pkg/runtime/serializer/json/json.go, over Go's `json.Encoder`). A
 * proxy, or an aggregated API server, may. client-go's reader takes what JSON takes for white space as
 * nothing and anything else as an error (`jsonFrameReader` in pkg/util/framer/framer.go, over Go's
 * `json.Decoder`).
 */
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../operator/core/errors.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { WatchEvent } from '../../operator/model/watch-event.ts';
import { decodeWatchEvents } from '../../operator/stream/decode.ts';
import { decodeHeldEvents } from '../../operator/stream/decode-held.ts';
import { readLines } from '../../operator/stream/lines.ts';
import { collect } from '../support/recorded-stream.ts';
import { chunksOf } from './chunks.ts';

const added = (name: string): string =>
  JSON.stringify({
    type: 'ADDED',
    object: { kind: 'A', apiVersion: 'v1', metadata: { name, uid: 'u', resourceVersion: '1' } },
  });

const DECODERS: readonly [
  name: string,
  decode: (body: Readable) => AsyncIterable<readonly WatchEvent<KubernetesObject>[]>,
][] = [
  ['as text', (body) => decodeWatchEvents(readLines(body))],
  ['as bytes', (body) => decodeHeldEvents(body, { dropManagedFields: true })],
];

interface Decoded {
  readonly names: readonly unknown[];
  readonly error: unknown;
  readonly body: Readable;
}

/** What comes of an odd line between two others, in one chunk or byte by byte. */
async function between(
  odd: string,
  decode: (typeof DECODERS)[number][1],
  cut: boolean,
): Promise<Decoded> {
  const bytes = Buffer.from(`${added('a')}\n${odd}\n${added('b')}\n`);
  const pieces = chunksOf(bytes, cut ? [...bytes.keys()] : []);
  const body = Readable.from(pieces, { objectMode: true });
  const { items, error } = await collect(decode(body));
  const names = items
    .flat()
    .map((event) => (event.type === 'BOOKMARK' ? 'bookmark' : event.object.metadata.name));
  return { names, error, body };
}

describe.each(DECODERS)('a line read %s', (_, decode) => {
  test.each([
    ['NUL', '\u0000'],
    ['another control character', '\u0001'],
    ['a unit separator', '\u001f'],
    ['a vertical tab', '\u000b'],
    ['a form feed', '\u000c'],
    ['DEL', '\u007f'],
    ['a next line of C1', '\u0085'],
    ['control characters between spaces', ' \u0000\t'],
    ['a carriage return behind NUL', '\u0000\r'],
    ['a no-break space', '\u00a0'],
    ['a line separator', '\u2028'],
    ['a byte order mark', '\ufeff'],
    ['a byte order mark before an event', `\ufeff${added('c')}`],
    ['NUL behind an event', `${added('c')}\u0000`],
  ])('[W-13] that is %s ends the watch, behind the events before it', async (_row, odd) => {
    for (const cut of [false, true]) {
      const { names, error, body } = await between(odd, decode, cut);

      expect(names).toEqual(['a']);
      expect(error).toBeInstanceOf(ProtocolError);
      expect(error).toMatchObject({ code: 'DECODE' });
      expect(body.destroyed).toBe(true);
    }
  });

  test.each([
    ['empty', ''],
    ['a carriage return', '\r'],
    ['several carriage returns', '\r\r\r'],
    ['spaces', '   '],
    ['spaces and tabs', ' \t \t\r'],
  ])('[W-10] that is %s means nothing', async (_row, odd) => {
    for (const cut of [false, true]) {
      const { names, error } = await between(odd, decode, cut);

      expect({ names, error }).toEqual({ names: ['a', 'b'], error: undefined });
    }
  });
});
