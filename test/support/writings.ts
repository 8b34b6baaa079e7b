/**
 * Ways to write the same JSON. kube-apiserver writes compact JSON, names before the rest, and so does
 * Go's `json.Encoder`, which aggregated API servers use. Of anything else nobody can tell who an object
 * is without parsing it, and nothing may depend on that.
 */
import { pipeline, Transform } from 'node:stream';
import type { Transport, TransportResponse } from '../../operator/transport/transport.ts';

/** A value as JSON. */
export type Writing = (value: unknown) => string;

interface Manner {
  /** Put between all of it. Default nothing. */
  readonly gap?: string;
  /** The members of each object come in the opposite order. Default false. */
  readonly isBackwards?: boolean;
  /** The first letter of each member's name is an escape. Default false. */
  readonly escapes?: boolean;
}

function writing({ gap = '', isBackwards = false, escapes = false }: Manner): Writing {
  const write: Writing = (value) => {
    if (Array.isArray(value)) return `[${value.map((each) => gap + write(each)).join(',')}${gap}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const texts = members.map(
      ([name, member]) => `${gap}${key(name)}${gap}:${gap}${write(member)}`,
    );
    return `{${(isBackwards ? texts.reverse() : texts).join(',')}${gap}}`;
  };
  const key = (name: string): string =>
    escapes && /^[a-z]/i.test(name)
      ? `"\\u00${name.charCodeAt(0).toString(16)}${JSON.stringify(name.slice(1)).slice(1)}`
      : JSON.stringify(name);
  return write;
}

/** Each way, and whether answers so written are parsed when they arrive. */
export const WRITINGS: readonly (readonly [name: string, write: Writing, parsed: boolean])[] = [
  ['as kube-apiserver does', writing({}), false],
  ['with white space', writing({ gap: ' ' }), true],
  ['with other white space', writing({ gap: '\t' }), true],
  ['with escaped names', writing({ escapes: true }), true],
  ['with members in the opposite order', writing({ isBackwards: true }), true],
];

/** `transport`, whose answers are written anew, line by line where they are those of a watch. */
export function rewritten(transport: Transport, write: Writing): Transport {
  return {
    async send(request) {
      const response = await transport.send(request);
      const { purpose } = request;
      return { ...response, body: rewrittenBody(response, purpose === 'watch', write) };
    },
    close: () => transport.close(),
  };
}

/** What is no JSON, such as a line that was cut short, passes as it came. */
function rewrittenBody(
  { body }: TransportResponse,
  inLines: boolean,
  write: Writing,
): TransportResponse['body'] {
  const anew = (text: string): string => {
    try {
      return write(JSON.parse(text));
    } catch {
      return text;
    }
  };
  let waiting = '';
  const rewriting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = (waiting + chunk).split('\n');
      waiting = inLines ? (lines.pop() ?? '') : lines.splice(0).join('\n');
      done(null, lines.map((line) => `${anew(line)}\n`).join('') || undefined);
    },
    flush(done) {
      done(null, inLines ? waiting : anew(waiting));
    },
  });
  // Its failure reaches the reader through what is returned.
  return pipeline(body, rewriting, () => {});
}
