import { DOCUMENT_LIMITS, type JsonLimits, JsonTextError } from './json-limits.ts';
import { JsonSyntaxError, parseInPieces, parsePart } from './parse-in-pieces.ts';
import { PIECE_CHARS, scanJson } from './scan-json.ts';

/**
 * The values of a stream of JSON objects or lists, with or without white space between them. Integers that a
 * number cannot represent exactly become bigints. Yields often enough that no turn of the event loop becomes
 * long.
 *
 * @throws JsonTextError for the first value that is not JSON, that is neither an object nor a list, or that
 *   exceeds a limit. Its message does not quote `text`.
 */
export function* readJsonDocuments(
  text: string,
  limits: JsonLimits = DOCUMENT_LIMITS,
): Generator<void, readonly unknown[], undefined> {
  const { parts, large, isCut } = yield* scanJson(text, limits, (document) => {
    throw new JsonTextError(document, 'is not a JSON object or array');
  });
  if (isCut) throw new JsonTextError(parts.length + 1, 'the file ends inside it');
  const values: unknown[] = [];
  let chars = 0;
  for (const part of parts) {
    try {
      if (large.has(part.start)) values.push(yield* parseInPieces(text, part, large));
      else values.push(parsePart(text.slice(part.start, part.end), part.start));
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      const where =
        error.position === undefined
          ? 'its syntax is wrong'
          : `at position ${error.position - part.start}`;
      throw new JsonTextError(values.length + 1, `is not JSON, ${where}`, { cause: error });
    }
    chars += part.end - part.start;
    if (chars < SLICE_CHARS) continue;
    chars = 0;
    yield;
  }
  return values;
}

/** Maximum number of characters of small documents that are parsed in one turn of the event loop. */
const SLICE_CHARS = 32 * 1024;

/** Matches a text that is only white space according to JSON. */
const SPACE = /^[ \t\r\n]*$/;

/** A parsed value, and the number of members that its objects have in the JSON text. */
export interface ReadJson {
  readonly value: unknown;
  readonly members: number;
  /** Number of objects, lists, and their members and items. */
  readonly values: number;
}

/**
 * The value of a text that consists of one JSON value. Yields like `readJsonDocuments`.
 *
 * @throws JsonLimitError for a text above a limit; JsonTextError or JsonSyntaxError for a text that is not
 *   JSON.
 */
export function* readJsonValue(
  text: string,
  limits: JsonLimits,
): Generator<void, ReadJson, undefined> {
  let isOther = false;
  const { parts, large, isCut, ...counts } = yield* scanJson(text, limits, () => {
    isOther = true;
  });
  const [part, second] = parts;
  if (part !== undefined && second !== undefined)
    throw new JsonSyntaxError({ position: second.start });
  if (isCut && text.length > PIECE_CHARS) throw new JsonSyntaxError({ endsEarly: true });
  if (part !== undefined && large.has(part.start)) {
    const isAlone = SPACE.test(text.slice(0, part.start)) && SPACE.test(text.slice(part.end));
    if (isOther || !isAlone) throw new JsonSyntaxError({ position: part.end });
    return { value: yield* parseInPieces(text, part, large), ...counts };
  }
  return { value: parsePart(text, 0), ...counts };
}
