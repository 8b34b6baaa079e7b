import { readFile } from 'node:fs/promises';
import { ConfigurationError, messageOf } from 'chancery';
import type { HookName } from '../../spec.ts';
import type { FunctionsFile } from '../functions-file.ts';
import { parseFunctions } from './parse-functions.ts';
import { requireFunction } from './require-function.ts';

/**
 * Reads a file of functions, and checks that each program and module exists. So a mistake is
 * reported at startup, and not only when the first parent is reconciled. If the file changes later,
 * it is not read again.
 *
 * @throws ConfigurationError `CONFIG` with the entry.
 */
export async function loadFunctionsFile(path: string): Promise<FunctionsFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  const file = parseFunctions(text, path);
  for (const { kind, name, hooks } of file.controllers) {
    for (const [hook, entry] of Object.entries(hooks)) {
      try {
        await requireFunction(entry, hook as HookName);
      } catch (error) {
        const place = `${path}: ${hook} of ${kind} ${name}`;
        throw new ConfigurationError(`${place}: ${messageOf(error)}`, { cause: error });
      }
    }
  }
  return file;
}
