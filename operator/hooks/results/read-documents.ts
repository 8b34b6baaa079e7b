import { parseExact } from '../../client/rest-client.ts';
import { messageOf } from '../../core/errors.ts';
import { yieldToEventLoop } from '../../core/time-slice.ts';
import { parseYaml } from '../../core/yaml.ts';
import { DocumentError, readJsonStream } from './json-stream.ts';

/**
 * Characters of one YAML document. etcd refuses objects of more than 1.5 MiB, and reading YAML is so slow that a
 * larger document would stop the process for seconds. JSON has no such limit.
 */
const MAX_YAML_CHARS = 2 * 1024 * 1024;

/** A line that ends a document. `---` at the beginning of a line is never part of a value. */
const MARKER = /^(?:---(?=\s|$)|\.\.\.[ \t]*\r?$)/m;

/**
 * The documents of a result file: a stream of JSON values, or, if it is not one, YAML documents. Empty documents
 * are left out. Integers that a number cannot hold become bigints.
 *
 * @throws DocumentError for the first document that cannot be read. Its message quotes nothing of the text.
 */
export async function readDocuments(text: string): Promise<readonly unknown[]> {
  let notJson: unknown;
  try {
    return await inSlices(readJsonStream(text), (value) => value);
  } catch (error) {
    notJson = error;
  }
  try {
    return await readYamlDocuments(text);
  } catch (error) {
    // The numbers of both readings differ. The writer of JSON must get that of JSON.
    const looksLikeJson = /^[\s\uFEFF]*\{/.test(text) && !MARKER.test(text);
    throw looksLikeJson ? notJson : error;
  }
}

/** Documents that are handled in one turn of the event loop. They take a few milliseconds. */
const SLICE = 500;

/** What `handle` makes of each value. Other work goes on in between. */
export async function inSlices<T, R>(
  values: Iterable<T>,
  handle: (value: T, at: number) => R,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (const value of values) {
    results.push(handle(value, results.length));
    if (results.length % SLICE === 0) await yieldToEventLoop();
  }
  return results;
}

async function readYamlDocuments(text: string): Promise<readonly unknown[]> {
  const values: unknown[] = [];
  for (const part of text.split(MARKER)) {
    const number = values.length + 1;
    if (part.length > MAX_YAML_CHARS) {
      throw new DocumentError(
        number,
        `has ${part.length} characters, more than the ${MAX_YAML_CHARS} of a YAML document: write JSON`,
      );
    }
    const value = parsed(part, number);
    if (value !== null && value !== undefined) values.push(value);
    await yieldToEventLoop(); // YAML is slow, and other work must go on between two documents
  }
  return values;
}

/**
 * The value of a text that stands in a document: JSON or YAML.
 *
 * @throws Error for any other text, and for YAML of more than 2 MiB.
 */
export function readText(text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    if (text.length > MAX_YAML_CHARS) throw error;
    return parseYaml(text, { exactIntegers: true });
  }
}

function parsed(part: string, number: number): unknown {
  try {
    return parseYaml(part, { exactIntegers: true });
  } catch (error) {
    throw new DocumentError(number, `is neither JSON nor YAML${positionIn(messageOf(error))}`);
  }
}

/** The message of the YAML package quotes the text. Only the position stays. */
function positionIn(message: string): string {
  const position = / at line \d+, column \d+/.exec(message)?.[0];
  return position === undefined ? '' : `,${position} of the document`;
}
