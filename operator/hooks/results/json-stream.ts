import { parseExact } from '../../client/rest-client.ts';
import { messageOf } from '../../core/errors.ts';
import { visibleJson } from '../../core/visible-text.ts';

/** A text is not a stream of documents. */
export class DocumentError extends Error {
  /** From 1. */
  readonly document: number;

  constructor(document: number, problem: string, options?: ErrorOptions) {
    super(`document ${document}: ${problem}`, options);
    this.document = document;
  }
}

/** A name in a message: quoted, and cut to 40 characters. */
export function shownName(name: string): string {
  return visibleJson(JSON.stringify(name.slice(0, 40)));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * The values of a stream of JSON objects or arrays, with or without white space between them. Integers that a
 * number cannot hold become bigints.
 *
 * @throws DocumentError for the first value that is not JSON, or that is neither an object nor an array. Its message
 *   quotes nothing of the text.
 */
export function* readJsonStream(text: string): Generator<unknown, void, undefined> {
  let number = 0;
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    number += 1;
    const end = endOfValue(text, at);
    if (end === undefined) {
      const isCut = text[at] === '{' || text[at] === '[';
      throw new DocumentError(
        number,
        isCut ? 'the file ends inside it' : 'is not a JSON object or array',
      );
    }
    yield parsedValue(text.slice(at, end), number);
    at = end;
  }
}

function parsedValue(json: string, number: number): unknown {
  try {
    return parseExact(json);
  } catch (error) {
    throw new DocumentError(number, `is not JSON, ${withoutText(error)}`);
  }
}

/** White space of JSON, and the byte order mark that some programs write first. */
const SPACE = /[\s\uFEFF]*/y;

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** Where the object or array at `from` ends. Undefined when there is none, or when it has no end. */
function endOfValue(text: string, from: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) {
      if (depth === 0) return undefined;
      inString = true;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      if (depth <= 0) return at + 1;
    } else if (depth === 0) return undefined;
  }
  return undefined;
}

/** JSON.parse quotes the text around an error, which may be a Secret's. Only the position stays. */
function withoutText(error: unknown): string {
  return /at position \d+/.exec(messageOf(error))?.[0] ?? 'its syntax is wrong';
}
