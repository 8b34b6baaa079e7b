import { isMapping, JSON_LIMITS, type Mapping } from 'chancery/internal';
import { DocumentError } from '../results/document-error.ts';
import { readJsonFile } from '../results/read-documents.ts';
import { HookError } from '../run/hook-error.ts';

/** The environment variable with the path of a response file. */
type ResponseFile = 'ADMISSION_RESPONSE_PATH' | 'CONVERSION_RESPONSE_PATH';

/**
 * Reads the JSON object in a response file. The object may be as large as the file, because one
 * answer may contain a page of a list.
 *
 * @throws HookError when there is no object, or more than one.
 */
export async function responseIn(
  text: string,
  {
    file,
    hook,
    signal,
  }: { readonly file: ResponseFile; readonly hook: string; readonly signal: AbortSignal },
): Promise<Mapping> {
  const answers = await read(text, { file, hook, signal });
  const [answer] = answers;
  if (answer === undefined) throw badAnswer(hook, `the file ${file} is empty`);
  if (answers.length > 1) {
    throw badAnswer(hook, `the file ${file} has ${answers.length} answers: write one`);
  }
  if (isMapping(answer)) return answer;
  throw badAnswer(hook, `the file ${file} must have a JSON object`);
}

/** The error for an answer that violates the contract. It quotes nothing of the answer. */
export function badAnswer(hook: string, problem: string, cause?: unknown): HookError {
  const options = { context: { hook }, ...(cause !== undefined && { cause }) };
  return new HookError('result', `the answer of ${hook} is refused: ${problem}`, options);
}

async function read(
  text: string,
  { file, hook, signal }: Parameters<typeof responseIn>[1],
): Promise<readonly unknown[]> {
  try {
    return await readJsonFile(text, signal, JSON_LIMITS);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw badAnswer(hook, `the file ${file}: ${error.message}`, error);
  }
}
