import {
  DOCUMENT_LIMITS,
  inSlices,
  JsonLimitError,
  type JsonLimits,
  JsonTextError,
  readJsonDocuments,
  readJsonValue,
  runInSlices,
  type YamlReader,
  type YamlRequest,
} from 'chancery/internal';
import { DocumentError } from './document-error.ts';

/** The objects that are needed to read result files. */
export interface ReadParts {
  /** Parses results that are YAML, in its own thread. */
  readonly yaml: Pick<YamlReader, 'read'>;
  readonly signal: AbortSignal;
}

/**
 * The values of a result file that is a stream of JSON objects or lists. Integers that a number
 * cannot hold become bigints.
 *
 * @throws DocumentError for the first document that is invalid or exceeds a limit; its message
 * quotes nothing of the text. `signal.reason` when aborted.
 */
export async function readJsonFile(
  text: string,
  signal: AbortSignal,
  limits: JsonLimits = DOCUMENT_LIMITS,
): Promise<readonly unknown[]> {
  try {
    return await runInSlices(readJsonDocuments(text, limits), signal);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new DocumentError(error.document, error.message, { cause: error });
  }
}

/**
 * The documents of a result file: a stream of JSON values or, if the text is not JSON, YAML documents. Empty
 * documents are skipped. Integers that a number cannot hold become bigints.
 *
 * @throws the errors of `readJsonFile`.
 */
export async function readDocuments(text: string, parts: ReadParts): Promise<readonly unknown[]> {
  let notJson: unknown;
  try {
    return await readJsonFile(text, parts.signal);
  } catch (error) {
    if (!(error instanceof DocumentError) || error.cause instanceof JsonLimitError) throw error;
    notJson = error;
  }
  try {
    return await readYaml({ texts: [text], form: 'stream' }, DOCUMENT_LIMITS, parts);
  } catch (error) {
    // The two readers number documents differently. For JSON, the message should have the number of
    // the JSON reader.
    const looksLikeJson = /^[\s\uFEFF]*\{/.test(text) && !MARKER.test(text);
    throw looksLikeJson && error instanceof DocumentError ? notJson : error;
  }
}

/** Matches a line that ends a YAML document. */
const MARKER = /^(?:---(?=\s|$)|\.\.\.[ \t]*\r?$)/m;

/**
 * Parses strings that occur in documents, each JSON or YAML. Each value has the same index as its
 * string. The limits apply to all strings together.
 *
 * @throws the errors of `readJsonFile`. As the number of the document, they contain the number of the string,
 * counted from 1.
 */
export async function readTexts(
  texts: readonly string[],
  parts: ReadParts,
): Promise<readonly unknown[]> {
  const values: unknown[] = [];
  const others: number[] = [];
  let limits = DOCUMENT_LIMITS;
  await inSlices(texts, async (text, at) => {
    try {
      const read = await valueIn(text, at + 1, limits, parts.signal);
      limits = { ...limits, values: limits.values - read.values };
      values[at] = read.value;
    } catch (error) {
      if (!(error instanceof DocumentError) || error.cause instanceof JsonLimitError) throw error;
      others.push(at);
    }
  });
  if (others.length === 0) return values;
  const request = { texts: others.map((at) => texts[at] ?? ''), form: 'one' } as const;
  try {
    const read = await readYaml(request, limits, parts);
    for (const [index, at] of others.entries()) values[at] = read[index];
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const at = others[error.document - 1] ?? others[0] ?? 0;
    throw new DocumentError(at + 1, error.problem, { cause: error });
  }
  return values;
}

async function readYaml(
  request: YamlRequest,
  limits: JsonLimits,
  { yaml, signal }: ReadParts,
): Promise<readonly unknown[]> {
  const answer = await yaml.read(request, signal);
  if ('problem' in answer) throw new DocumentError(answer.document ?? 1, answer.problem);
  let left = limits;
  return await inSlices(answer.documents, async (document, at) => {
    const read = await valueIn(document, at + 1, left, signal);
    left = { ...left, values: left.values - read.values };
    return read.value;
  });
}

async function valueIn(text: string, document: number, limits: JsonLimits, signal: AbortSignal) {
  try {
    return await runInSlices(readJsonValue(text, limits), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error)) throw error;
    throw new DocumentError(document, error.message, { cause: error });
  }
}
