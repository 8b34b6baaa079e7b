/**
 * Lines that hold next to nothing, between lines that are parsed and lines that are not. kube-apiserver sends none of them: it writes each
 * event as one JSON object behind which comes a line feed, and escapes control characters within
 * (`Encode` in k8s.io/apimachinery pkg/runtime/serializer/json/json.go, over Go's `json.Encoder`). A
 * proxy, or an aggregated API server, may. client-go's reader takes what JSON takes for white space as
 * nothing and anything else as an error (`jsonFrameReader` in pkg/util/framer/framer.go, over Go's
 * `json.Decoder`).
 */
import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../operator/core/errors.ts';
import { bodyOf, decoded, linesOf } from './decoded.ts';

type Added = (name: string) => string;

const compact: Added = (name) =>
  JSON.stringify({
    type: 'ADDED',
    object: { kind: 'A', apiVersion: 'v1', metadata: { name, uid: 'u', resourceVersion: '1' } },
  });
const spaced: Added = (name) => compact(name).replaceAll(',', ' , ');

/** What comes of an odd line between two others, in one chunk or byte by byte. */
async function between(odd: string, added: Added, cut: boolean) {
  const bytes = Buffer.from(linesOf([added('a'), odd, added('b')]));
  const body = bodyOf(bytes, cut ? [...bytes.keys()] : []);
  const { events, error, scanned } = await decoded(body);
  const names = events.map((event) => 'object' in event && event.object.metadata.name);
  expect(scanned).toBe(added === compact ? names.length : 0);
  return { names, error, body };
}

describe.each([
  ['without parsing it', compact],
  ['by parsing it', spaced],
])('an odd line next to a line that the decoder reads %s', (_, added) => {
  test.each([
    ['NUL', '\u0000'],
    ['another control character', '\u0001'],
    ['a unit separator', '\u001f'],
    ['a vertical tab', '\u000b'],
    ['a form feed', '\u000c'],
    ['DEL', '\u007f'],
    ['the control character NEL', '\u0085'],
    ['control characters between spaces', ' \u0000\t'],
    ['a carriage return after NUL', '\u0000\r'],
    ['a no-break space', '\u00a0'],
    ['a line separator', '\u2028'],
    ['a byte order mark', '\ufeff'],
    ['a byte order mark before an event', `\ufeff${compact('c')}`],
    ['NUL after an event', `${compact('c')}\u0000`],
  ])('[W-13] an odd line of %s ends the watch, after the events before it are delivered', async (_row, odd) => {
    for (const cut of [false, true]) {
      const { names, error, body } = await between(odd, added, cut);

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
  ])('[W-10] an odd line that is %s is ignored', async (_row, odd) => {
    for (const cut of [false, true]) {
      const { names, error } = await between(odd, added, cut);

      expect({ names, error }).toEqual({ names: ['a', 'b'], error: undefined });
    }
  });
});
